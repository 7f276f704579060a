#include "run/request.h"

#include <algorithm>
#include <utility>

#include "run/check.h"
#include "run/limits.h"

namespace plimsoll::run {
namespace {

using base::Ok;
using base::Refusal;
using base::Result;
using base::Rule;
using base::Status;

Status CheckProtocol(std::uint32_t stated) {
  if (stated == 0) {
    return Refusal{Rule::kProtocolMissing, "protocol: none stated, this daemon serves 4 and 5"};
  }
  if (std::ranges::find(kServedProtocols, stated) == std::end(kServedProtocols)) {
    return Refusal{Rule::kProtocolNotServed,
                   "protocol: " + std::to_string(stated) + " is not served, this daemon serves 4 and 5"};
  }
  return Ok();
}

Status CheckPayload(const Draft& draft, Request::Cells cells) {
  struct Visitor {
    Request::Cells cells;
    Status operator()(std::monostate) const {
      return Refusal{Rule::kInvalidRequest, "payload: none given, one needed"};
    }
    Status operator()(const JavaScript& snippet) const {
      Status code = CheckCode("javascript.code", snippet.code);
      return code ? CheckGrantProfile("javascript.grant_profile", snippet.grant_profile) : code;
    }
    Status operator()(const Project& project) const {
      Status rest = CheckProject(project);
      return rest ? CheckGrantProfile("project.grant_profile", project.grant_profile) : rest;
    }
    Status operator()(const Module& module) const { return CheckModule(module); }
    Status operator()(const Cell& cell) const {
      if (cells == Request::Cells::kRefused) {
        return Refusal{Rule::kInvalidRequest, "payload: a cell runs in a session only"};
      }
      return CheckCell(cell);
    }
  };
  return std::visit(Visitor{cells}, draft.payload);
}

// 0 or less: the provider's default, which is 0 here.
std::chrono::milliseconds CutTimeout(std::int32_t timeout_ms) {
  return std::clamp(std::chrono::milliseconds(timeout_ms), std::chrono::milliseconds(0), kMaxTimeout);
}

template <typename T>
const T& Get(const Payload& payload) {
  const T* held = std::get_if<T>(&payload);
  PLIMSOLL_CHECK(held != nullptr);
  return *held;
}

}  // namespace

std::string_view Name(Kind kind) {
  switch (kind) {
    case Kind::kJavaScript: return "javascript";
    case Kind::kProject: return "project";
    case Kind::kModule: return "module";
    case Kind::kCell: return "cell";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

bool IsTraceId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTraceIdBytes && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
           c == ':' || c == '-';
  });
}

// The order is the protocol's: wire.md 7, Run 1 to 5.
Result<Request> Request::Validate(Draft draft, Cells cells) {
  Result<Envelope> envelope = ValidateEnvelope(draft.protocol, draft.minimum_isolation, draft.software_rule);
  if (!envelope) {
    return std::move(envelope).error();
  }
  if (Status payload = CheckPayload(draft, cells); !payload) {
    return std::move(payload).error();
  }
  return Request(std::move(draft), envelope->floor);
}

Result<Envelope> ValidateEnvelope(std::uint32_t protocol, std::string_view minimum_isolation,
                                  const SoftwareRuleDraft& rule) {
  if (Status served = CheckProtocol(protocol); !served) {
    return std::move(served).error();
  }
  Result<isolation::Floor> floor = isolation::Floor::Parse(minimum_isolation);
  if (!floor) {
    return std::move(floor).error();
  }
  if (Status well_formed = CheckSoftwareRule(rule); !well_formed) {
    return std::move(well_formed).error();
  }
  return Envelope{*floor};
}

Request::Request(Draft draft, isolation::Floor floor)
    : draft_(std::move(draft)),
      floor_(floor),
      // The variant's first alternative is "no payload", which CheckPayload refuses; the rest are in Kind's order.
      kind_(static_cast<Kind>(draft_.payload.index() - 1)),
      timeout_(CutTimeout(draft_.timeout_ms)),
      trace_id_rejected_(!draft_.trace_id.empty() && !IsTraceId(draft_.trace_id)) {}

const JavaScript& Request::javascript() const { return Get<JavaScript>(draft_.payload); }
const Project& Request::project() const { return Get<Project>(draft_.payload); }
const Module& Request::module() const { return Get<Module>(draft_.payload); }
const Cell& Request::cell() const { return Get<Cell>(draft_.payload); }

std::string_view Request::grant_profile() const {
  switch (kind_) {
    case Kind::kJavaScript: return javascript().grant_profile;
    case Kind::kProject: return project().grant_profile;
    case Kind::kModule:
    case Kind::kCell: return {};
  }
  return {};  // unreachable, as above
}

std::string_view Request::trace_id() const {
  return trace_id_rejected_ ? std::string_view() : std::string_view(draft_.trace_id);
}

}  // namespace plimsoll::run
