#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/guarded.h"

namespace plimsoll::docker {

// Names of containers that this process holds: recorded before the create request leaves, forgotten once the delete has
// finished or given up (LEASE-1). The reaper never touches one of them. Thread-safe.
class Leases {
 public:
  void Track(std::string name);
  void Forget(std::string_view name);
  bool Holds(std::string_view name) const;

 private:
  mutable base::Guarded<std::set<std::string, std::less<>>> names_;
};

inline constexpr std::string_view kExpiresLabel = "io.plimsoll.expires";
inline constexpr std::string_view kSessionLabel = "io.plimsoll.session";
// What containers are called: this and 16 hex digits.
inline constexpr std::string_view kNamePrefix = "plimsoll-";
inline constexpr std::string_view kSessionNamePrefix = "plsm-session-";

}  // namespace plimsoll::docker
