#pragma once

#include <sys/types.h>

#include <optional>

namespace plimsoll::guest {

// Every process that descends from the agent: guests, their children, and what became an orphan and came back.
//
// Killing them is the one dangerous thing the agent does. As the first process of a process namespace of its own it
// sends SIGKILL to all others in it with one call. Anywhere else it never names a process group or `all`: it looks for
// its own children in /proc and kills each through a descriptor of that very process, until none is left (AGT-1).
class Tree {
 public:
  Tree();

  // Reaps every child that has ended. Never blocks.
  void Reap();
  // From now on the end of this child is kept; others are reaped and forgotten.
  void Watch(pid_t pid);
  // The wait status of the watched child once it was reaped. Given out once.
  std::optional<int> TakeStatus();

  // Kills every descendant and reaps it. Returns when none is left, or after two seconds.
  enum class Left { kNone, kSome };
  Left KillAll();

 private:
  void KillOnce() const;

  bool is_first_;  // the first process of its namespace
  pid_t watched_ = -1;
  std::optional<int> status_;
  bool has_children_ = false;
};

}  // namespace plimsoll::guest
