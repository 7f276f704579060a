#include "clients/cpp/prepare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.h"

namespace plimsoll::client {
namespace {

Error InvalidOption(std::string message) {
  return {.error_class = ErrorClass::kInvalidOption,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

Error InvalidRequest(std::string message) {
  return {.error_class = ErrorClass::kInvalidRequest,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

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

}  // namespace

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

std::optional<std::int32_t> TimeoutOnTheWire(Milliseconds timeout) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const double count = timeout.count();
  if (std::isnan(count)) {
    return std::nullopt;
  }
  if (count <= 0) {
    return 0;
  }
  return count >= kMost ? kMost : std::max(1, static_cast<std::int32_t>(count));
}

Result<run::Request> Prepare(run::Payload payload, const RunOptions& options, std::uint32_t protocol) {
  const auto timeout_ms = TimeoutOnTheWire(options.timeout);
  if (!timeout_ms) {
    return InvalidRequest("timeout: not a number");
  }
  if (!options.trace_id.empty() && !run::IsTraceId(options.trace_id)) {
    return InvalidRequest("trace_id: not 1 to 64 characters of A-Z a-z 0-9 . _ : -");
  }
  if (const std::string_view field = std::visit(FindBadText{}, payload); !field.empty()) {
    return InvalidRequest(std::string(field).append(": not valid UTF-8"));
  }
  run::Draft draft{.protocol = protocol,
                   .minimum_isolation = options.minimum_isolation,
                   .trace_id = options.trace_id,
                   .timeout_ms = *timeout_ms,
                   .software_rule = {options.software.mode, options.software.identities},
                   .payload = std::move(payload)};
  base::Result<run::Request> request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  if (!request) {
    return InvalidRequest(std::string(base::TextOf(request.error())));
  }
  return std::move(request).value();
}

}  // namespace plimsoll::client
