#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/provider_facts.h"
#include "daemon/settings_words.h"
#include "isolation/tier.h"

namespace plimsoll::daemon {

enum class Auth { kClientsFile, kSharedToken, kOpen };
std::string_view Name(Auth auth);

enum class KeyFile { kNone, kOwnerOnly, kReadableByOthers };

// What the hardened rules look at: settings in force, and the tier once it is proved.
struct Posture {
  ProviderFacts facts;
  isolation::StatedTier proved = {};  // empty before the smoke test
  Auth auth = Auth::kOpen;
  bool insecure_set = false;
  bool tls = false;
  KeyFile key_file = KeyFile::kNone;
  Address rpc = {};
  std::optional<Address> metrics = {};  // absent: off
  bool images_pinned = false;           // SANDBOX_REQUIRE_PINNED_IMAGES
  bool seccomp_off = false;             // SANDBOX_DOCKER_SECCOMP is `unconfined`
  std::vector<Id> positive = {};        // settings whose value is above 0
  int max_concurrent = 0;
  int per_caller_concurrent = 0;
  int rate_per_minute = 0;
  int rate_burst = 0;
  int max_sessions = 0;
  int max_sessions_per_caller = 0;
};

enum class RuleState { kMet, kViolated, kNotProved };
std::string_view Name(RuleState state);

// One rule of daemon.md 5 as applied to a posture. Texts are for an operator; none holds a secret.
struct RuleReport {
  std::string_view id;  // `H1` to `H17`
  std::string setting;
  RuleState state = RuleState::kMet;
  std::string found;
  std::string_view wanted;
  std::string_view why;
  std::string fix;
};

// Every rule that applies to the provider, in the order of their numbers.
std::vector<RuleReport> HardenedRules(const Posture& posture);

// The violated rules as one sentence, each with its setting; empty when none is. kNotProved is no violation here.
std::string Violations(const std::vector<RuleReport>& rules);

}  // namespace plimsoll::daemon
