#include "admission/check.h"

#include <string>

namespace plimsoll::admission {
namespace {

using base::Ok;
using base::Refusal;
using base::Rule;
using base::Status;

const isolation::Environment* OrNull(const std::optional<isolation::Environment>& environment) {
  return environment ? &*environment : nullptr;
}

// No grant profile exists in this daemon, so each one named is unknown. One text for every cause: a caller must not
// learn which profiles there are (W31).
Status CheckGrant(const run::Request& request) {
  if (request.grant_profile().empty()) {
    return Ok();
  }
  return Refusal{Rule::kPermissionDenied, "grant_profile: not available to this caller"};
}

Status CheckSoftware(const run::Request& request, const isolation::Environment* environment) {
  if (request.AllowsSoftware(environment == nullptr ? std::string_view() : environment->software_identity)) {
    return Ok();
  }
  return Refusal{Rule::kSoftwareMismatch,
                 "software_rule: the software of this provider is not established or not in the rule"};
}

Status CheckKind(const run::Request& request, const isolation::Profile& offer) {
  if (EnvironmentFor(request.kind(), offer) != nullptr) {
    return Ok();
  }
  return Refusal{Rule::kUnsupported, std::string("payload: provider ")
                                         .append(offer.provider)
                                         .append(" does not run a ")
                                         .append(run::Name(request.kind()))};
}

}  // namespace

const isolation::Environment* EnvironmentFor(run::Kind kind, const isolation::Profile& offer) {
  switch (kind) {
    case run::Kind::kJavaScript: return OrNull(offer.javascript);
    case run::Kind::kProject: return OrNull(offer.project);
    case run::Kind::kModule: return OrNull(offer.module);
    case run::Kind::kCell: return OrNull(offer.session);
  }
  return nullptr;  // unreachable: the switch is complete and -Wswitch keeps it so
}

Status MayRun(const run::Request& request, const Standing& standing) {
  if (!standing.offer.enabled) {
    return Refusal{Rule::kDisabled, "code execution is disabled"};
  }
  if (Status grant = CheckGrant(request); !grant) {
    return grant;
  }
  const auto floor = isolation::Floor::Stronger(request.floor(), standing.operator_floor);
  if (auto below = isolation::RefuseBelow(floor, standing.tier)) {
    return *std::move(below);
  }
  if (Status software = CheckSoftware(request, EnvironmentFor(request.kind(), standing.offer)); !software) {
    return software;
  }
  return CheckKind(request, standing.offer);
}

}  // namespace plimsoll::admission
