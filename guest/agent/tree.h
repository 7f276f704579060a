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

  enum class Left { kNone, kSome };
  // Kills every descendant once and reaps what has ended. kNone is the kernel's word that none is left, not even one
  // that was started meanwhile: it would be a child.
  Left KillRound();
  // Rounds until none is left, or for two seconds.
  Left KillAll();
  // Kills every descendant once, and in a namespace of its own whatever else is there.
  void Kill() const;

  // Whether this is the first process of a process namespace, all others of which descend from it or were put into it.
  bool is_first() const { return is_first_; }

 private:
  bool is_first_;  // the first process of its namespace
  pid_t watched_ = -1;
  std::optional<int> status_;
  bool has_children_ = false;
};

}  // namespace plimsoll::guest
