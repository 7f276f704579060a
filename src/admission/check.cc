#include "admission/check.h"

#include <algorithm>
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

Refusal Disabled() { return {Rule::kDisabled, "code execution is disabled"}; }

// No grant profile exists in this daemon, so each one named is unknown. One text for every cause: a caller must not
// learn which profiles there are (W31).
Status CheckGrant(const run::Request& request) {
  if (request.grant_profile().empty()) {
    return Ok();
  }
  return Refusal{Rule::kPermissionDenied, "grant_profile: not available to this caller"};
}

Status CheckSoftware(const run::SoftwareRuleDraft& rule, const isolation::Environment* environment) {
  if (run::Allows(rule, environment == nullptr ? std::string_view() : environment->software_identity)) {
    return Ok();
  }
  return Refusal{Rule::kSoftwareMismatch,
                 "software_rule: the software of this provider is not established or not in the rule"};
}

// `environment` is that of the request's kind.
Status CheckKind(const run::Request& request, const isolation::Profile& offer,
                 const isolation::Environment* environment) {
  if (environment == nullptr) {
    return Refusal{Rule::kUnsupported, std::string("payload: provider ")
                                           .append(offer.provider)
                                           .append(" does not run a ")
                                           .append(run::Name(request.kind()))};
  }
  const std::vector<std::string>& stated = environment->languages;
  if (request.kind() != run::Kind::kCell || std::ranges::find(stated, request.cell().language) != stated.end()) {
    return Ok();
  }
  return Refusal{Rule::kNotProven, "cell.language: no interpreter for " + request.cell().language +
                                       " is proven in the image of this session"};
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
    return Disabled();
  }
  if (Status grant = CheckGrant(request); !grant) {
    return grant;
  }
  const auto floor = isolation::Floor::Stronger(request.floor(), standing.operator_floor);
  if (auto below = isolation::RefuseBelow(floor, standing.tier)) {
    return *std::move(below);
  }
  const isolation::Environment* environment = EnvironmentFor(request.kind(), standing.offer);
  if (Status software = CheckSoftware(request.as_sent().software_rule, environment); !software) {
    return software;
  }
  return CheckKind(request, standing.offer, environment);
}

Status MayOpen(isolation::Floor floor, const run::SoftwareRuleDraft& rule, const Standing& standing) {
  if (!standing.offer.enabled) {
    return Disabled();
  }
  if (!standing.offer.session) {
    return Refusal{Rule::kUnsupported, "sessions are not supported here"};
  }
  const auto in_force = isolation::Floor::Stronger(floor, standing.operator_floor);
  if (auto below = isolation::RefuseBelow(in_force, standing.tier)) {
    return *std::move(below);
  }
  return CheckSoftware(rule, &*standing.offer.session);
}

}  // namespace plimsoll::admission
