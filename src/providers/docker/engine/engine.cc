#include "providers/docker/engine/engine.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "providers/docker/engine/answers.h"
#include "providers/docker/engine/api_version.h"
#include "providers/docker/engine/connections.h"
#include "providers/docker/engine/names.h"
#include "providers/docker/engine/platform.h"

namespace plimsoll::docker {
namespace {

using Kind = EngineError::Kind;

// The first that inspects an image for one platform and answers with its descriptor (engine 28.1).
constexpr ApiVersion kPlatformInspect{.major = 1, .minor = 49};

EngineError NotSent(Kind kind, std::string detail) {
  return {.kind = kind, .sent = http::Sent::kNothing, .detail = std::move(detail)};
}

EngineError FromFailure(const http::Failure& failure) {
  using Cause = http::Failure::Cause;
  Kind kind = Kind::kUnreachable;
  switch (failure.cause) {
    case Cause::kLookup:
    case Cause::kTooManyLookups:
    case Cause::kConnect:
    case Cause::kTls:
    case Cause::kClosed: break;
    case Cause::kInvalid:
    case Cause::kMalformed:
    case Cause::kTooLarge: kind = Kind::kMalformed; break;
    case Cause::kDeadline: kind = Kind::kDeadline; break;
    case Cause::kCanceled: kind = Kind::kCanceled; break;
  }
  return {.kind = kind, .sent = failure.sent, .detail = failure.detail};
}

// An answer whose status is none of those that a call succeeds with.
EngineError FromStatus(const http::Response& response) {
  Kind kind = Kind::kMalformed;
  if (response.status == 404) {
    kind = Kind::kNotFound;
  } else if (response.status == 409) {
    kind = Kind::kConflict;
  } else if (response.status >= 400) {
    kind = Kind::kRefused;
  }
  return {.kind = kind,
          .sent = http::Sent::kMaybe,
          .status = response.status,
          .detail = "status " + std::to_string(response.status) + ": " + ErrorText(response.body)};
}

// The status must be one of `good`.
Answer<http::Response> Judge(http::Outcome outcome, std::initializer_list<int> good) {
  if (const auto* failure = std::get_if<http::Failure>(&outcome)) {
    return FromFailure(*failure);
  }
  auto& response = std::get<http::Response>(outcome);
  if (std::find(good.begin(), good.end(), response.status) == good.end()) {
    return FromStatus(response);
  }
  return std::move(response);
}

template <typename T>
Answer<T> Typed(Answer<http::Response> answer, Parsed<T> (*parse)(std::string_view)) {
  if (auto* error = std::get_if<EngineError>(&answer)) {
    return std::move(*error);
  }
  Parsed<T> parsed = parse(std::get<http::Response>(answer).body);
  if (auto* malformed = std::get_if<Malformed>(&parsed)) {
    return EngineError{.kind = Kind::kMalformed, .sent = http::Sent::kMaybe, .detail = std::move(malformed->why)};
  }
  return std::move(std::get<T>(parsed));
}

Answer<base::Done> WithoutBody(Answer<http::Response> answer) {
  if (auto* error = std::get_if<EngineError>(&answer)) {
    return std::move(*error);
  }
  return base::Done{};
}

http::ClientRequest Request(std::string method, std::string target) {
  return {.method = std::move(method), .target = std::move(target), .headers = {}, .body = {}};
}

bool NamesContainer(std::string_view id) { return IsContainerId(id) || IsContainerName(id); }

// `{"<filter>":["<value>"]}`, ready for a query.
std::string Filter(std::string_view filter, std::string value) {
  const nlohmann::json object{{std::string(filter), nlohmann::json::array({std::move(value)})}};
  return PercentEncode(object.dump());
}

class HttpEngine final : public Engine {
 public:
  explicit HttpEngine(std::unique_ptr<Connections> connections) : connections_(std::move(connections)) {}

  Answer<EngineVersion> Negotiate(const http::Bounds& bounds) override {
    auto version =
        Typed<EngineVersion>(Judge(connections_->Call(Request("GET", "/version"), bounds), {200}), ParseVersion);
    if (const auto* answered = std::get_if<EngineVersion>(&version)) {
      if (auto error = Settle(*answered)) {
        return std::move(*error);
      }
    }
    return version;
  }

  Answer<EngineInfo> Info(const http::Bounds& bounds) override {
    return Typed<EngineInfo>(Call("GET", "/info", bounds, {200}), ParseInfo);
  }

  Answer<EngineImage> InspectImage(std::string_view reference, std::string_view platform,
                                   const http::Bounds& bounds) override {
    if (!IsImageReference(reference)) {
      return NotSent(Kind::kMalformed, "the image reference holds what may not stand in a path");
    }
    std::string target = "/images/" + std::string(reference) + "/json";
    if (!platform.empty()) {
      const auto parsed = ParsePlatform(platform);
      if (!parsed) {
        return NotSent(Kind::kMalformed, "the platform is not os/arch or os/arch/variant");
      }
      if (const auto api = *api_.Lock(); api && *api < kPlatformInspect) {
        return NotSent(Kind::kMalformed, "to inspect an image for one platform needs API " + ToText(kPlatformInspect) +
                                             " (engine 28.1); this engine serves " + ToText(*api));
      }
      target += "?platform=" + PercentEncode(ToJson(*parsed));
    }
    return Typed<EngineImage>(Call("GET", target, bounds, {200}), ParseImage);
  }

  Answer<std::string> Create(std::string_view name, std::string_view platform, std::string body,
                             const http::Bounds& bounds) override {
    if (!IsContainerName(name) || (!platform.empty() && !ParsePlatform(platform))) {
      return NotSent(Kind::kMalformed, "the container's name or platform may not stand in a query");
    }
    std::string target = "/containers/create?name=" + PercentEncode(name);
    if (!platform.empty()) {
      target += "&platform=" + PercentEncode(platform);
    }
    auto created = Typed<Created>(Call("POST", target, bounds, {201}, std::move(body)), ParseCreated);
    if (auto* error = std::get_if<EngineError>(&created)) {
      return std::move(*error);
    }
    return std::move(std::get<Created>(created).id);
  }

  Answer<Attached> Attach(std::string_view id, const http::Bounds& bounds) override {
    if (!NamesContainer(id)) {
      return BadName();
    }
    auto target = Versioned(Container(id, "/attach?stream=1&stdin=1&stdout=1&stderr=1"));
    if (auto* error = std::get_if<EngineError>(&target)) {
      return std::move(*error);
    }
    auto outcome = connections_->Upgrade(Request("POST", std::get<std::string>(std::move(target))), "tcp", bounds);
    if (auto* upgraded = std::get_if<http::Upgraded>(&outcome)) {
      return Attached{.socket = std::move(upgraded->socket), .early = std::move(upgraded->early)};
    }
    if (const auto* failure = std::get_if<http::Failure>(&outcome)) {
      return FromFailure(*failure);
    }
    return FromStatus(std::get<http::Response>(outcome));
  }

  Answer<base::Done> Start(std::string_view id, const http::Bounds& bounds) override {
    return NamesContainer(id) ? WithoutBody(Call("POST", Container(id, "/start"), bounds, {204, 304})) : BadName();
  }

  Answer<ContainerState> Inspect(std::string_view id, const http::Bounds& bounds) override {
    if (!NamesContainer(id)) {
      return BadName();
    }
    return Typed<ContainerState>(Call("GET", Container(id, "/json"), bounds, {200}), ParseContainer);
  }

  Answer<ContainerRecord> Examine(std::string_view id, const http::Bounds& bounds) override {
    if (!NamesContainer(id)) {
      return BadName();
    }
    return Typed<ContainerRecord>(Call("GET", Container(id, "/json"), bounds, {200}), ParseRecord);
  }

  Answer<base::Done> Pause(std::string_view id, const http::Bounds& bounds) override {
    return NamesContainer(id) ? WithoutBody(Call("POST", Container(id, "/pause"), bounds, {204})) : BadName();
  }

  Answer<base::Done> Unpause(std::string_view id, const http::Bounds& bounds) override {
    return NamesContainer(id) ? WithoutBody(Call("POST", Container(id, "/unpause"), bounds, {204})) : BadName();
  }

  Answer<base::Done> Remove(std::string_view id, const http::Bounds& bounds) override {
    return NamesContainer(id) ? WithoutBody(Call("DELETE", Container(id, "?force=1&v=1"), bounds, {204})) : BadName();
  }

  Answer<std::vector<ContainerListed>> ListByLabel(std::string_view label, const http::Bounds& bounds) override {
    if (!IsLabelName(label)) {
      return NotSent(Kind::kMalformed, "the label's name may not stand in a query");
    }
    auto listed = List(Filter("label", std::string(label)), bounds);
    if (auto* containers = std::get_if<std::vector<ContainerListed>>(&listed)) {
      std::erase_if(*containers, [&](const ContainerListed& one) { return !one.labels.contains(std::string(label)); });
    }
    return listed;
  }

  Answer<std::vector<ContainerListed>> ListByName(std::string_view name, const http::Bounds& bounds) override {
    if (!IsContainerName(name)) {
      return BadName();
    }
    // The engine's filter is a search that may find more than was meant; what counts is the comparison here.
    auto listed = List(Filter("name", std::string(name)), bounds);
    if (auto* containers = std::get_if<std::vector<ContainerListed>>(&listed)) {
      std::erase_if(*containers, [&](const ContainerListed& one) {
        return std::find(one.names.begin(), one.names.end(), name) == one.names.end();
      });
    }
    return listed;
  }

  Answer<std::vector<ContainerListed>> ListById(std::string_view id, const http::Bounds& bounds) override {
    if (!IsContainerId(id)) {
      return BadName();
    }
    auto listed = List(Filter("id", std::string(id)), bounds);
    if (auto* containers = std::get_if<std::vector<ContainerListed>>(&listed)) {
      std::erase_if(*containers, [&](const ContainerListed& one) { return one.id != id; });
    }
    return listed;
  }

 private:
  static EngineError BadName() {
    return NotSent(Kind::kMalformed, "the container's id or name may not stand in a path");
  }

  static EngineError UnknownVersion(std::string why) {
    return {.kind = Kind::kMalformed, .sent = http::Sent::kMaybe, .detail = std::move(why)};
  }

  static std::string Container(std::string_view id, std::string_view rest) {
    return std::string("/containers/").append(id).append(rest);
  }

  // Takes the API version to use from now on. The error when there is none.
  std::optional<EngineError> Settle(const EngineVersion& version) {
    const ApiVersion ours = ParseApiVersion(kOurApi).value_or(ApiVersion{});
    const ApiVersion least = ParseApiVersion(kLeastApi).value_or(ours);
    const auto theirs = ParseApiVersion(version.api);
    const auto their_least = version.least_api.empty() ? least : ParseApiVersion(version.least_api);
    if (!theirs || !their_least) {
      return UnknownVersion("the engine states an API version that is not two numbers");
    }
    if (*theirs < least) {
      return UnknownVersion("the engine serves API " + ToText(*theirs) + "; at least " + ToText(least) +
                            " (engine 20.10) is needed");
    }
    if (*their_least > ours) {
      return UnknownVersion("the engine serves API " + ToText(*their_least) + " and newer; at most " + ToText(ours) +
                            " is known here");
    }
    *api_.Lock() = std::min(*theirs, ours);
    return std::nullopt;
  }

  Answer<std::string> Versioned(std::string_view target) {
    const auto api = *api_.Lock();
    if (!api) {
      return NotSent(Kind::kUnreachable, "the engine has not answered with its version yet");
    }
    return ("/v" + ToText(*api)).append(target);
  }

  Answer<http::Response> Call(std::string method, std::string_view target, const http::Bounds& bounds,
                              std::initializer_list<int> good, std::string body = {}) {
    auto versioned = Versioned(target);
    if (auto* error = std::get_if<EngineError>(&versioned)) {
      return std::move(*error);
    }
    http::ClientRequest request = Request(std::move(method), std::move(std::get<std::string>(versioned)));
    if (!body.empty()) {
      request.headers.Add("content-type", "application/json");
      request.body = std::move(body);
    }
    return Judge(connections_->Call(request, bounds), good);
  }

  Answer<std::vector<ContainerListed>> List(const std::string& filters, const http::Bounds& bounds) {
    return Typed<std::vector<ContainerListed>>(Call("GET", "/containers/json?all=1&filters=" + filters, bounds, {200}),
                                               ParseList);
  }

  const std::unique_ptr<Connections> connections_;
  base::Guarded<std::optional<ApiVersion>> api_;  // empty until the first Negotiate
};

}  // namespace

base::Result<std::unique_ptr<Engine>> Engine::Create(std::string socket_path) {
  auto connections = Connections::Create(std::move(socket_path), kMaxAnswer);
  if (!connections) {
    return connections.error();
  }
  return std::unique_ptr<Engine>(std::make_unique<HttpEngine>(std::move(*connections)));
}

}  // namespace plimsoll::docker
