#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "os/poller.h"
#include "providers/wasm/idle_shelf.h"
#include "providers/wasm/start_breaker.h"
#include "providers/wasm/ticket.h"
#include "providers/wasm/worker_link.h"

namespace plimsoll::wasm {

struct FleetOptions {
  std::size_t fresh_target = 1;                  // idle workers that have held nobody's code, kept ready
  std::size_t idle_limit = 1;                    // idle workers of both sorts
  std::uint32_t runs_per_worker = 10'000;        // after so many a worker is let go
  std::chrono::milliseconds start_limit{5'000};  // from the start of a worker to its ready frame
};

// How many workers there are, by what they do.
struct Census {
  std::size_t starting = 0;
  std::size_t idle_fresh = 0;
  std::size_t idle_used = 0;
  std::size_t running = 0;
  std::size_t leaving = 0;
  std::size_t waiting_runs = 0;
  std::uint64_t started = 0;  // since the beginning
};

// Every worker, every run that is under way, and all decisions about them. It starts no thread, calls nobody back and
// never blocks; the pool gives it events and a lock, and carries out what it leaves in TakeEnded, TakeNotes and
// StartsWanted.
class Fleet {
 public:
  // Both must outlive the fleet.
  Fleet(FleetOptions options, os::Poller& poller, const base::Clock& clock);

  // Gives the run to an idle worker or lets it wait for one that is being started for it. A Refusal comes back together
  // with the ticket; otherwise the ticket is taken.
  std::optional<base::Refusal> Submit(std::unique_ptr<Ticket>& ticket);
  // The caller of a run has left. Unknown numbers are runs that have ended.
  void Cancel(std::uint64_t ticket);

  // How many workers should be started now, beyond those that are being started.
  std::size_t StartsWanted() const;
  // A start is under way; Adopt must follow with what came of it.
  void StartBegun() {
    ++starting_;
    ++started_;
  }
  void Adopt(base::Result<WorkerLink> link);

  // Acts on what the poller reported. Events of workers that are gone are ignored.
  void OnEvent(const os::Event& event);
  // Acts on every instant that has passed. Cheap when none has.
  void OnTime();

  // Runs that have ended since the last call, to be told outside the lock.
  struct Ended {
    std::unique_ptr<Ticket> ticket;
    Outcome outcome;
  };
  std::vector<Ended> TakeEnded() { return std::exchange(ended_, {}); }

  // What the log should know. `message` is a constant.
  struct Note {
    base::Severity severity;
    std::string_view message;
    std::int64_t pid;
    std::string detail;
  };
  std::vector<Note> TakeNotes() { return std::exchange(notes_, {}); }
  // Whether TakeEnded or TakeNotes has anything to give.
  bool has_news() const { return !ended_.empty() || !notes_.empty(); }

  // Whether workers come up; a refusal while the breaker is open.
  base::Status Readiness() const;
  Census Count() const;

  // No more runs are taken and idle workers go; runs under way end by themselves.
  void StopTaking();
  // StopTaking, and every run under way ends now.
  void StopAll();
  bool is_empty() const { return members_.empty() && waiting_.empty() && starting_ == 0; }

 private:
  // Why a worker has to go, and with it the run it holds.
  enum class Fate { kLetGo, kDeadline, kCanceled, kViolation, kLost, kShutDown };
  enum class Phase { kStarting, kIdle, kRunning, kLeaving };
  struct Member {
    std::uint64_t id;
    WorkerLink link;
    Phase phase = Phase::kStarting;
    Fate fate = Fate::kLetGo;
    std::string why = {};          // what the fate was decided on, in our own words
    bool failed_to_start = false;  // condemned before it had any work, and not by us
    std::uint32_t runs = 0;
    std::string principal = {};  // whose code it has held; meaningful when runs > 0
    base::SteadyTime due = {};   // when OnTime has to act on it
    std::unique_ptr<Ticket> ticket = {};
  };

  bool HandOver(Member& member, std::unique_ptr<Ticket>& ticket);
  void OnSocket(Member& member, const os::Event& event);
  void OnExit(Member& member);
  void Judge(Member& member);
  void OnReady(Member& member);
  void OnRunEnded(Member& member);
  void Reuse(Member& member);
  void Shelve(Member& member);
  void Condemn(Member& member, Fate fate, std::string why);
  void Resolve(Member& member);
  void OnDue(Member& member);
  void StartFailed();
  void NoteEnd(const Member& member, const os::ExitStatus& status);
  void End(std::unique_ptr<Ticket> ticket, Outcome outcome);
  void ArmFor(base::SteadyTime at);
  void RefuseWaiting(const base::Refusal& refusal);
  void SetDue(Member& member, base::SteadyTime at);
  base::Refusal NotStarting() const;

  FleetOptions options_;
  os::Poller& poller_;
  const base::Clock& clock_;
  bool taking_ = true;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Member> members_;
  IdleShelf shelf_;
  StartBreaker breaker_;
  std::deque<std::unique_ptr<Ticket>> waiting_;
  std::size_t starting_ = 0;
  std::uint64_t started_ = 0;
  base::SteadyTime armed_ = base::SteadyTime::max();
  std::vector<Ended> ended_;
  std::vector<Note> notes_;
  std::array<char, 65536> buffer_;
};

}  // namespace plimsoll::wasm
