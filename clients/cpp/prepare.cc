#include "clients/cpp/prepare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "clients/cpp/owner.h"
#include "isolation/tier.h"

namespace plimsoll::client {
namespace {

Error InvalidOption(std::string message) {
  return {.error_class = ErrorClass::kInvalidOption,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

Error InvalidRequest(const base::Error& error) { return client::InvalidRequest(std::string(base::TextOf(error))); }

// The name of the first text that is not UTF-8, or empty. JSON could not carry it unchanged.
class FindBadText {
 public:
  std::string_view operator()(std::monostate) const { return {}; }
  std::string_view operator()(const run::JavaScript& javascript) const {
    return First({{"javascript.code", javascript.code}, {"javascript.grant_profile", javascript.grant_profile}});
  }
  std::string_view operator()(const run::Project& project) const {
    if (!Good(project.steps)) {
      return "project.steps";
    }
    if (!Good(project.files)) {
      return "project.files";
    }
    return Good(project.artifacts) ? First({{"project.grant_profile", project.grant_profile}}) : "project.artifacts";
  }
  std::string_view operator()(const run::Module& module) const { return First({{"module.model", module.model}}); }
  std::string_view operator()(const run::Cell& cell) const {
    return Good(cell.files) ? First({{"cell.code", cell.code}}) : "cell.files";
  }

 private:
  struct Named {
    std::string_view name;
    std::string_view text;
  };
  static std::string_view First(std::initializer_list<Named> texts) {
    for (const auto& [name, text] : texts) {
      if (!base::IsUtf8(text)) {
        return name;
      }
    }
    return {};
  }
  static bool Good(const std::vector<std::string>& texts) { return std::ranges::all_of(texts, base::IsUtf8); }
  static bool Good(const std::vector<run::File>& files) {
    return std::ranges::all_of(
        files, [](const run::File& file) { return base::IsUtf8(file.path) && base::IsUtf8(file.content); });
  }
};

// A time as the protocol sends it in an integer of type T.
template <typename T>
std::optional<T> OnTheWire(Milliseconds time) {
  constexpr T kMost = std::numeric_limits<T>::max();
  const double count = time.count();
  if (std::isnan(count)) {
    return std::nullopt;
  }
  if (count <= 0) {
    return 0;
  }
  return count >= kMost ? kMost : std::max(T{1}, static_cast<T>(count));
}

std::optional<Error> CheckTraceId(const std::string& trace_id) {
  // The daemon drops another one without a word.
  if (!trace_id.empty() && !run::IsTraceId(trace_id)) {
    return client::InvalidRequest("trace_id: not 1 to 64 characters of A-Z a-z 0-9 . _ : -");
  }
  return std::nullopt;
}

// The options as they are, before the limits are asked.
Result<run::Draft> DraftOf(run::Payload payload, const RunOptions& options, std::uint32_t protocol) {
  const auto timeout_ms = TimeoutOnTheWire(options.timeout);
  if (!timeout_ms) {
    return client::InvalidRequest("timeout: not a number");
  }
  if (auto refused = CheckTraceId(options.trace_id)) {
    return *std::move(refused);
  }
  if (const std::string_view field = std::visit(FindBadText{}, payload); !field.empty()) {
    return client::InvalidRequest(std::string(field).append(": not valid UTF-8"));
  }
  return run::Draft{.protocol = protocol,
                    .minimum_isolation = options.minimum_isolation,
                    .trace_id = options.trace_id,
                    .timeout_ms = *timeout_ms,
                    .software_rule = {options.software.mode, options.software.identities},
                    .payload = std::move(payload)};
}

Result<run::Request> Validate(run::Draft draft, run::Request::Cells cells) {
  base::Result<run::Request> request = run::Request::Validate(std::move(draft), cells);
  if (!request) {
    return InvalidRequest(request.error());
  }
  return std::move(request).value();
}

// The names of two floors that are both well formed: that of the stronger.
const std::string& StrongerFloor(const std::string& a, const std::string& b) {
  const isolation::Floor first = isolation::Floor::Parse(a).value();
  return isolation::Floor::Stronger(first, isolation::Floor::Parse(b).value()) == first ? a : b;
}

// The languages that were named, each once, in their order.
Result<std::vector<std::string>> LanguagesOf(const std::vector<std::string>& hint) {
  std::vector<std::string> out;
  for (const std::string& language : hint) {
    if (language != "javascript" && language != "python") {
      return client::InvalidRequest("languages: only javascript and python are known");
    }
    if (std::ranges::find(out, language) == out.end()) {
      out.push_back(language);
    }
  }
  return out;
}

}  // namespace

Error InvalidRequest(std::string message) {
  return {.error_class = ErrorClass::kInvalidRequest,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

std::optional<Error> CheckOptions(const ClientOptions& options) {
  if (!std::ranges::all_of(options.token, [](char c) { return c >= 0x21 && c <= 0x7e; })) {
    return InvalidOption("token: a character outside 0x21 to 0x7E; the token is not shown");
  }
  if (!std::isfinite(options.request_timeout.count()) || options.request_timeout.count() <= 0) {
    return InvalidOption("request_timeout: not a finite time above 0");
  }
  if (options.protocol < kOldestProtocol || options.protocol > kProtocol) {
    return InvalidOption("protocol: " + std::to_string(options.protocol) + ", this client speaks 4 and 5");
  }
  return std::nullopt;
}

std::optional<std::int32_t> TimeoutOnTheWire(Milliseconds timeout) { return OnTheWire<std::int32_t>(timeout); }
std::optional<std::uint32_t> LifetimeOnTheWire(Milliseconds time) { return OnTheWire<std::uint32_t>(time); }

Result<run::Request> Prepare(run::Payload payload, const RunOptions& options, std::uint32_t protocol) {
  Result<run::Draft> draft = DraftOf(std::move(payload), options, protocol);
  if (!draft) {
    return std::move(draft).error();
  }
  return Validate(*std::move(draft), run::Request::Cells::kRefused);
}

Result<run::Request> PrepareSessionCall(run::Payload payload, const RunOptions& options, std::uint32_t protocol,
                                        const SessionTerms& terms) {
  Result<run::Draft> draft = DraftOf(std::move(payload), options, protocol);
  if (!draft) {
    return std::move(draft).error();
  }
  // The call's own terms must be well formed before they are joined with the session's, which were checked at its open.
  const auto own = run::ValidateEnvelope(protocol, draft->minimum_isolation, draft->software_rule);
  if (!own) {
    return InvalidRequest(own.error());
  }
  auto rule = run::Narrowed(terms.software_rule, draft->software_rule);
  if (!rule) {
    return InvalidRequest("software: the session's rule and the call's have no identity in common");
  }
  draft->software_rule = *std::move(rule);
  draft->minimum_isolation = StrongerFloor(terms.minimum_isolation, draft->minimum_isolation);
  return Validate(*std::move(draft), run::Request::Cells::kAllowed);
}

Result<OpenRequest> PrepareOpen(const OpenSessionOptions& options, const ClientOptions& client) {
  const auto lifetime_ms = LifetimeOnTheWire(options.lifetime);
  const auto idle_timeout_ms = LifetimeOnTheWire(options.idle_timeout);
  if (!lifetime_ms || !idle_timeout_ms) {
    return InvalidRequest(lifetime_ms ? "idle_timeout: not a number" : "lifetime: not a number");
  }
  if (auto refused = CheckTraceId(options.trace_id)) {
    return *std::move(refused);
  }
  OpenRequest out{.protocol = client.protocol,
                  .minimum_isolation = options.minimum_isolation,
                  .trace_id = options.trace_id,
                  .lifetime_ms = *lifetime_ms,
                  .idle_timeout_ms = *idle_timeout_ms,
                  .software_rule = {options.software.mode, options.software.identities},
                  .languages = {},
                  .owner = {}};
  if (const auto terms = run::ValidateEnvelope(out.protocol, out.minimum_isolation, out.software_rule); !terms) {
    return InvalidRequest(terms.error());
  }
  Result<std::vector<std::string>> languages = LanguagesOf(options.languages);
  if (!languages) {
    return std::move(languages).error();
  }
  out.languages = *std::move(languages);
  if (options.owner) {
    if (options.owner->empty() || !base::IsUtf8(*options.owner)) {
      return InvalidRequest(options.owner->empty() ? "owner: is empty; leave it out for none"
                                                   : "owner: not valid UTF-8");
    }
    out.owner = OwnerDigest(client.token, *options.owner);
  }
  return out;
}

}  // namespace plimsoll::client
