#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Which images may run a request. Every function here is pure and may be called from any thread.
namespace plimsoll::run {

struct SoftwareRuleDraft {
  std::string mode;  // empty, `exact` or `approved`
  std::vector<std::string> identities;
  friend bool operator==(const SoftwareRuleDraft&, const SoftwareRuleDraft&) = default;
};

// True when the rule is absent or lists `identity`. An empty identity satisfies no rule.
bool Allows(const SoftwareRuleDraft& rule, std::string_view identity);

// The rule in force for one call of a session: what both rules allow, in the order of `open`, with mode `exact` where
// one identity is left. An absent rule allows everything, so the other one stands as it is. Nothing when no identity is
// left. Both rules are expected to be well formed.
std::optional<SoftwareRuleDraft> Narrowed(const SoftwareRuleDraft& open, const SoftwareRuleDraft& call);

}  // namespace plimsoll::run
