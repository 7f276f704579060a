#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// Whether sandboxes made from either state for this role are the same in everything that is promised or stated.
bool SameGround(const State& a, const State& b, Role role);

// Which sandboxes wait for runs, for which image, and how much of the memory budget everything takes. Decisions only:
// it has no thread, no clock and no lock, and starts and removes nothing. A *share* is the memory of one sandbox,
// whatever it does: waiting, running, being made or being removed.
class PoolBook {
 public:
  struct Options {
    std::size_t members = 0;                 // that should wait
    std::optional<std::size_t> shares = {};  // that the memory budget has; absent: no budget
    std::chrono::milliseconds longest_wait{std::chrono::minutes(30)};
  };
  explicit PoolBook(Options options) : options_(options) {}

  // What waiting sandboxes must equal from now on; those that do not are leaving. Null: none may wait.
  void SetGround(std::shared_ptr<const State> state);
  const std::shared_ptr<const State>& ground() const { return ground_; }

  // --- for runs

  // The member that has waited longest for this role on this ground, with its share; or null. Either way it is
  // remembered that the role was asked for.
  std::unique_ptr<Sandbox> Claim(Role role, const State& state);
  // As Claim after a member that did not answer: the role was asked for once.
  std::unique_ptr<Sandbox> ClaimNext(Role role, const State& state);
  // The share of a sandbox to be made. False when the budget has none.
  bool TakeShare();
  // The waiting member that is least missed is leaving, for the room it takes. False when none waits.
  bool Evict();
  // A sandbox is gone.
  void GiveShare();

  // --- for filling

  // The role of which a member should be made next, when there is room for it.
  std::optional<Role> Wanted() const;
  // Takes the share and counts it as made.
  void BeginFill(Role role);
  // Null: it could not be made, and its share was given back or is with what is left of it.
  void EndFill(Role role, std::unique_ptr<Sandbox> made, base::SteadyTime now);

  // --- for removal

  // Members that have waited too long are leaving.
  void Retire(base::SteadyTime now);
  std::optional<base::SteadyTime> NextRetirement() const;
  // A sandbox that is of no use to anyone, with its share.
  void Dismiss(std::unique_ptr<Sandbox> sandbox) { leaving_.push_back(std::move(sandbox)); }
  // Sandboxes to be removed, their shares with them.
  std::vector<std::unique_ptr<Sandbox>> TakeLeaving() { return std::exchange(leaving_, {}); }
  bool has_leaving() const { return !leaving_.empty(); }
  std::size_t leaving() const { return leaving_.size(); }

  std::size_t Waiting(Role role) const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t filling() const;
  std::size_t shares_taken() const { return taken_; }
  // How many members of each role there should be: one of each when there are two or more, the rest by what the last
  // runs asked for.
  std::map<Role, std::size_t> Targets() const;

 private:
  struct Member {
    std::unique_ptr<Sandbox> sandbox;
    base::SteadyTime since;
  };
  void Remember(Role role);
  void Rebalance(Role missed);
  void Leave(const std::deque<Member>::iterator& member);
  std::size_t Demand(Role role) const;
  bool has_share() const { return !options_.shares || taken_ < *options_.shares; }

  static constexpr std::size_t kRemembered = 64;
  const Options options_;
  std::shared_ptr<const State> ground_;
  std::deque<Member> waiting_;  // oldest first
  std::map<Role, std::size_t> filling_;
  std::vector<std::unique_ptr<Sandbox>> leaving_;
  std::deque<Role> asked_;  // newest last
  std::size_t taken_ = 0;
};

}  // namespace plimsoll::docker
