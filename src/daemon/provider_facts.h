#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/settings_words.h"
#include "isolation/profile.h"
#include "isolation/tier.h"

namespace plimsoll::daemon {

enum class Billing { kFree, kBySecond };
// Whether runs use this machine's memory, which a budget can then bound.
enum class RunsAt { kThisMachine, kElsewhere };
enum class Sessions { kNever, kPossible };
enum class Pools { kNone, kRunsAndSessions };
enum class Guests { kNoUser, kUserChosen };  // whether SANDBOX_GUEST_UID means something
enum class Images { kNone, kPinnable };      // whether SANDBOX_REQUIRE_PINNED_IMAGES means something

// What the start rules need to know of a provider before it exists (daemon.md 2.3 to 2.5, 5).
struct ProviderFacts {
  std::string_view name;
  isolation::Tier best = isolation::Tier::kNone;  // no configuration of it proves a stronger one
  Billing billing = Billing::kFree;
  RunsAt runs_at = RunsAt::kThisMachine;
  Sessions sessions = Sessions::kNever;
  Pools pools = Pools::kNone;
  Guests guests = Guests::kNoUser;
  Images images = Images::kNone;
  isolation::Resources when_unset = {};  // what an envelope setting of 0 means; 0: the provider does not say
  std::uint32_t least_memory_mb = 0;     // a smaller limit of one run is a start error; 0 asks for the default
  std::vector<Id> not_enforced = {};     // envelope settings that are a start error above 0
  std::vector<Id> hardened_wants = {};   // H11: settings that hardened mode wants above 0
};

inline constexpr std::string_view kDisabled = "disabled";
inline constexpr std::string_view kDocker = "docker";

// The facts of `name`, one of the choices of SANDBOX_PROVIDER or kDisabled; aborts on another.
ProviderFacts FactsOf(std::string_view name);

}  // namespace plimsoll::daemon
