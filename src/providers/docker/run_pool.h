#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "http/client.h"
#include "providers/docker/pool_book.h"
#include "providers/docker/sandbox.h"

namespace plimsoll::docker {

// The sandboxes that wait for runs, the memory budget they share with the runs, and the two threads that make and
// remove them. A member serves one run and is never put back (POOL-1). Every method may be called from any thread.
class RunPool {
 public:
  struct Options {
    PoolBook::Options book;
    // How long a run that is under way holds up the making of members.
    std::chrono::milliseconds patience{100};
    std::chrono::milliseconds launch_limit{30'000};  // of one member
    std::chrono::milliseconds ping_limit{250};       // of a claimed member's answer
  };
  // All must outlive the pool. Makes nothing before SetGround.
  RunPool(Options options, Launcher& launcher, const base::Clock& clock, base::LogSink& log);
  // Removes every member; claims must have been given back.
  ~RunPool();
  RunPool(const RunPool&) = delete;
  RunPool& operator=(const RunPool&) = delete;

  // The state that was proved or refreshed: members are made on it and must equal it.
  void SetGround(std::shared_ptr<const State> state);

  // A run's share of the budget, and what the pool must know of it. Given back when destroyed, which must not be before
  // the run's sandbox is gone.
  class Place {
   public:
    Place(Place&&) = default;
    Place& operator=(Place&&) = default;
    // The run's own sandbox is made; only for a claim without a member.
    void Made() { making_.Release(); }
    // The run is over and answered; its sandbox still has to go.
    void Answered() {
      making_.Release();
      running_.Release();
    }

   private:
    friend class RunPool;
    Place(base::Cleanup share, base::Cleanup running, base::Cleanup making)
        : share_(std::move(share)), running_(std::move(running)), making_(std::move(making)) {}
    base::Cleanup share_;  // destroyed last
    base::Cleanup running_;
    base::Cleanup making_;
  };
  struct Claim {
    std::unique_ptr<Sandbox> sandbox;  // prepared as far as its role can be; null: the run makes its own
    Place place;
  };
  // A member of this role on this ground that has answered a fresh nonce, or the room to make a sandbox. Waits for room
  // alone: until the budget has some, having a waiting member removed where there is one. Refuses kAtCapacity when
  // there is none until the deadline, kCanceled when the caller leaves.
  base::Result<Claim> Take(Role role, const State& state, const http::Bounds& bounds);
  // The same for a sandbox that is kept: never a member, only the room to make one.
  base::Result<Place> TakeRoom(const http::Bounds& bounds);

  // Makes no more members and removes those that wait.
  void Close();
  // Waits until no share of the budget is taken. False when the deadline came first.
  bool AwaitEmpty(base::SteadyTime deadline);

  struct Census {
    std::size_t snippets = 0;  // waiting
    std::size_t projects = 0;
    std::size_t shares = 0;  // taken, by whatever
    std::uint64_t made = 0;  // members since the beginning
    std::uint64_t dead = 0;  // members that did not answer when they were claimed
  };
  Census Count();

 private:
  // What the lock guards.
  struct Desk {
    explicit Desk(PoolBook::Options options) : book(options) {}
    PoolBook book;
    bool closed = false;
    std::size_t running = 0;                            // runs not yet answered
    std::size_t making = 0;                             // runs that are making their own sandbox
    std::size_t short_of_room = 0;                      // runs that wait for a share
    std::size_t removing = 0;                           // sandboxes, with the share of each
    std::optional<base::SteadyTime> missed_since = {};  // since when a member is wanted that is not being made
    base::SteadyTime next_fill = {};                    // not before, after a failure
    std::uint32_t failures = 0;                         // in a row
    std::uint64_t version = 0;                          // rises with every change
    std::uint64_t made = 0;
    std::uint64_t dead = 0;
  };
  enum class Asking { kFirst, kAgain };
  // What one look at the desk found for a run: a member, room, or neither.
  struct Found {
    std::unique_ptr<Sandbox> member;
    bool room = false;
    std::uint64_t version = 0;
  };

  // Which member to make next, and the first instant for it.
  struct NextFill {
    Role role;
    base::SteadyTime at;
  };

  void Changed(Desk& desk);
  Found Look(Role role, const State& state, Asking asking);
  Found LookForRoom();
  std::optional<base::Refusal> AwaitChange(std::uint64_t seen, std::optional<base::Cleanup>& waits,
                                           const http::Bounds& bounds);
  base::Cleanup Counted(std::size_t Desk::* count);
  Claim ClaimOf(std::unique_ptr<Sandbox> sandbox);
  void Discard(std::unique_ptr<Sandbox> sandbox);
  std::optional<NextFill> NextFillOf(const Desk& desk) const;
  void Fill(const std::stop_token& stop);
  void MakeOne(Role role, std::shared_ptr<const State> ground, const std::stop_token& stop);
  void RemoveLeaving(const std::stop_token& stop);

  const Options options_;
  Launcher& launcher_;
  const base::Clock& clock_;
  base::LogSink& log_;
  base::Guarded<Desk> desk_;
  std::condition_variable_any changed_;
  std::jthread remover_;
  std::jthread filler_;
};

}  // namespace plimsoll::docker
