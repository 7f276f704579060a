#include "run/software_rule.h"

#include <algorithm>

namespace plimsoll::run {
namespace {

bool Lists(const SoftwareRuleDraft& rule, std::string_view identity) {
  return std::ranges::find(rule.identities, identity) != rule.identities.end();
}

}  // namespace

bool Allows(const SoftwareRuleDraft& rule, std::string_view identity) {
  return rule.identities.empty() || (!identity.empty() && Lists(rule, identity));
}

std::optional<SoftwareRuleDraft> Narrowed(const SoftwareRuleDraft& open, const SoftwareRuleDraft& call) {
  if (call.identities.empty()) {
    return open;
  }
  if (open.identities.empty()) {
    return call;
  }
  SoftwareRuleDraft both;
  std::ranges::copy_if(open.identities, std::back_inserter(both.identities),
                       [&](const std::string& identity) { return Lists(call, identity); });
  if (both.identities.empty()) {
    return std::nullopt;
  }
  both.mode = both.identities.size() == 1 ? "exact" : "approved";
  return both;
}

}  // namespace plimsoll::run
