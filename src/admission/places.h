#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace plimsoll::admission {

// How many sessions may be open at once.
struct SessionCaps {
  int max = 0;         // 0: sessions are off
  int per_caller = 0;  // 0: no cap
  int per_owner = 0;   // of one caller; 0: no cap
};

// The places of sessions and of opens in progress (sessions.md 5). A place is held until the sandbox is gone; one of an
// owner only until the session has ended. A pure value. Not thread-safe.
class Places {
 public:
  explicit Places(SessionCaps caps) : caps_(caps) {}

  // The cap that leaves no place for one more session of this owner, in the order in which they are asked.
  enum class Cap { kOwner, kDaemon, kCaller };
  std::optional<Cap> FullFor(std::string_view principal, std::string_view owner) const;
  // kAtCapacity, in words of the cap.
  base::Refusal Refuse(Cap cap) const;

  // Takes both places, whether or not there is room. The empty owner has none.
  void Take(std::string_view principal, std::string_view owner);
  void Give(std::string_view principal);
  void GiveOwners(std::string_view principal, std::string_view owner);

 private:
  using Owner = std::pair<std::string, std::string>;  // its caller, its name: owners of two callers never meet

  SessionCaps caps_;
  int held_ = 0;
  std::map<std::string, int, std::less<>> callers_;
  std::map<Owner, int> owners_;
};

}  // namespace plimsoll::admission
