#include "providers/wasm/fleet.h"

#include <algorithm>
#include <chrono>

#include "frames/frame.h"
#include "providers/wasm/outcome.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// The worker polls the deadline itself; what does not poll is killed this much later (providers-local.md 3.6: <= 50
// ms).
constexpr milliseconds kKillGrace{20};
// How much too early, by our clock, a worker's word that the deadline has passed is believed: its clock ticks, and its
// rounding to whole milliseconds.
constexpr milliseconds kEarlyClaim{5};
// How long a killed worker may take to be gone before its run is answered without it. 250 MB take 16 ms.
constexpr milliseconds kGoneLimit{2'000};

constexpr std::string_view kNotStarted = "a wasm worker did not come up";

// A worker is watched under two tokens, one for each descriptor.
constexpr std::uint64_t SocketToken(std::uint64_t worker) { return worker * 2; }
constexpr std::uint64_t ExitToken(std::uint64_t worker) { return worker * 2 + 1; }

std::string Text(const os::ExitStatus& status) {
  return (status.how == os::ExitStatus::How::kExited ? "exit code " : "signal ") + std::to_string(status.value);
}

std::string FrameFor(const Ticket& ticket, base::SteadyTime now, base::WallTime wall) {
  frames::RunOrder order;
  const auto left = std::chrono::ceil<milliseconds>(ticket.deadline - now);
  order.timeout_ms = static_cast<std::uint32_t>(std::max(left, milliseconds(1)).count());
  std::transform(ticket.seed.begin(), ticket.seed.end(), std::begin(order.seed),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  order.wall_unix_us = wall.time_since_epoch().count();
  order.code = ticket.code;
  std::string frame;
  frames::AppendRunOrder(order, frame);
  return frame;
}

base::Refusal ShuttingDown() { return {base::Rule::kUnavailable, "the wasm provider is shutting down"}; }

}  // namespace

Fleet::Fleet(FleetOptions options, os::Poller& poller, const base::Clock& clock)
    : options_(options), poller_(poller), clock_(clock), shelf_(options.idle_limit) {}

std::optional<base::Refusal> Fleet::Submit(std::unique_ptr<Ticket>& ticket) {
  if (!taking_) {
    return ShuttingDown();
  }
  if (breaker_.is_open()) {
    return NotStarting();
  }
  while (const auto worker = shelf_.Take(ticket->principal)) {
    if (HandOver(members_.at(*worker), ticket)) {
      return std::nullopt;
    }
  }
  if (breaker_.is_open()) {  // the idle workers were all gone, which has just opened it
    return NotStarting();
  }
  ArmFor(ticket->deadline);
  waiting_.push_back(std::move(ticket));
  return std::nullopt;
}

void Fleet::Cancel(std::uint64_t ticket) {
  const auto waits =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& held) { return held->id == ticket; });
  if (waits != waiting_.end()) {
    auto left = std::move(*waits);
    waiting_.erase(waits);
    End(std::move(left), base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"});
    return;
  }
  for (auto& [id, member] : members_) {
    if (member.ticket && member.ticket->id == ticket) {
      Condemn(member, Fate::kCanceled, {});
      return;
    }
  }
}

std::size_t Fleet::StartsWanted() const {
  std::size_t wanted = waiting_.size();
  if (taking_ && breaker_.is_open()) {
    wanted = clock_.Steady() >= breaker_.next_try() ? 1 : 0;
  } else if (taking_ && shelf_.fresh() < options_.fresh_target) {
    wanted += options_.fresh_target - shelf_.fresh();
  }
  return wanted > starting_ ? wanted - starting_ : 0;
}

void Fleet::Adopt(base::Result<WorkerLink> link) {
  if (!link) {
    --starting_;
    notes_.push_back({base::Severity::kWarn, kNotStarted, 0, std::string(base::TextOf(link.error()))});
    StartFailed();
    return;
  }
  const std::uint64_t id = next_id_++;
  Member& member = members_.emplace(id, Member{.id = id, .link = std::move(*link)}).first->second;
  const auto heard = poller_.Watch(member.link.socket(), SocketToken(id), os::Interest::kRead);
  const auto watched = poller_.Watch(member.link.pidfd(), ExitToken(id), os::Interest::kRead);
  if (!heard || !watched) {
    --starting_;
    notes_.push_back({base::Severity::kWarn, kNotStarted, member.link.pid(), "its descriptors cannot be watched"});
    StartFailed();
    members_.erase(id);
    return;
  }
  SetDue(member, clock_.Steady() + options_.start_limit);
  if (!taking_ && waiting_.empty()) {
    Condemn(member, Fate::kShutDown, {});
  }
}

void Fleet::OnEvent(const os::Event& event) {
  const auto found = members_.find(event.token / 2);
  if (found == members_.end()) {
    return;
  }
  if (event.token == ExitToken(found->first)) {
    OnExit(found->second);
  } else {
    OnSocket(found->second, event);
  }
}

void Fleet::OnSocket(Member& member, const os::Event& event) {
  if (event.writable && member.link.Flush() == WorkerLink::Sent::kAll) {
    static_cast<void>(poller_.Change(member.link.socket(), SocketToken(member.id), os::Interest::kRead).has_value());
  }
  if (!event.readable) {
    return;
  }
  switch (member.link.Hear(buffer_)) {
    case os::Transfer::kMoved: Judge(member); break;
    case os::Transfer::kWouldBlock: break;
    case os::Transfer::kClosed:
      // Once: the end of a stream stays readable for ever.
      poller_.Forget(member.link.socket());
      Condemn(member, Fate::kLost, "it closed its stream");
      break;
  }
}

void Fleet::OnExit(Member& member) {
  // What it sent before it ended is still in the socket, and may hold the end of its run.
  while (member.link.Hear(buffer_) == os::Transfer::kMoved) {
    Judge(member);
  }
  const auto status = member.link.TryReap();
  if (!status) {
    return;
  }
  Condemn(member, Fate::kLost, "it ended");
  NoteEnd(member, *status);
  Resolve(member);
  poller_.Forget(member.link.socket());
  poller_.Forget(member.link.pidfd());
  members_.erase(member.id);
}

void Fleet::Judge(Member& member) {
  for (;;) {
    switch (member.link.intake().Next()) {
      case Intake::Heard::kNothing: return;
      case Intake::Heard::kReady:
        if (member.phase == Phase::kStarting) {
          OnReady(member);
        }
        break;
      case Intake::Heard::kEnded:
        if (member.phase == Phase::kRunning) {
          OnRunEnded(member);
        }
        break;
      case Intake::Heard::kViolation: Condemn(member, Fate::kViolation, member.link.intake().violation()); return;
    }
  }
}

void Fleet::OnReady(Member& member) {
  --starting_;
  if (breaker_.is_open()) {
    notes_.push_back({base::Severity::kInfo, "wasm workers start again", member.link.pid(), {}});
  }
  breaker_.StartSucceeded();
  member.phase = Phase::kIdle;
  SetDue(member, base::SteadyTime::max());
  Reuse(member);
}

void Fleet::OnRunEnded(Member& member) {
  const auto now = clock_.Steady();
  const frames::Ended& ended = member.link.intake().ended();
  if (ended.end == frames::End::kDeadline && now + kEarlyClaim < member.ticket->deadline) {
    Condemn(member, Fate::kViolation, "a deadline told before its time");
    return;
  }
  breaker_.RunEnded();
  ++member.runs;
  member.principal = member.ticket->principal;
  member.phase = Phase::kIdle;
  SetDue(member, base::SteadyTime::max());
  const auto duration = std::chrono::duration_cast<microseconds>(now - member.ticket->handed_at);
  const bool late = ended.end == frames::End::kDeadline || now >= member.ticket->deadline;
  auto output = member.link.intake().TakeOutput();
  End(std::move(member.ticket),
      late ? TimedOutOutcome(std::move(output), duration) : EndedOutcome(std::move(output), ended, duration));
  if (member.link.intake().has_unjudged_bytes()) {
    Condemn(member, Fate::kViolation, "bytes after the end of a run");
  } else if (ended.end != frames::End::kFinished || ended.next == frames::Next::kDiscard ||
             member.runs >= options_.runs_per_worker) {
    Condemn(member, Fate::kLetGo, {});
  } else {
    Reuse(member);
  }
}

// Gives an idle worker that is off the shelf to the first waiting run it may serve, or puts it on the shelf.
void Fleet::Reuse(Member& member) {
  const auto fits = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& ticket) {
    return member.runs == 0 || ticket->principal == member.principal;
  });
  if (fits == waiting_.end()) {
    Shelve(member);
    return;
  }
  auto ticket = std::move(*fits);
  waiting_.erase(fits);
  if (HandOver(member, ticket)) {
    return;
  }
  if (breaker_.is_open()) {
    End(std::move(ticket), NotStarting());
  } else {
    waiting_.push_front(std::move(ticket));
  }
}

void Fleet::Shelve(Member& member) {
  if (!taking_) {
    Condemn(member, Fate::kLetGo, {});
    return;
  }
  if (member.runs == 0) {
    shelf_.PutFresh(member.id);
  } else {
    shelf_.PutUsed(member.id, member.principal);
  }
  while (const auto worker = shelf_.TakeOverflow()) {
    Condemn(members_.at(*worker), Fate::kLetGo, {});
  }
}

// Sends the order to an idle worker that is off the shelf. False: nothing was sent, the ticket is still the caller's,
// and the worker is on its way out.
bool Fleet::HandOver(Member& member, std::unique_ptr<Ticket>& ticket) {
  if (!member.link.IsQuiet()) {
    Condemn(member, Fate::kLost, "it was gone, or spoke, while it was idle");
    return false;
  }
  const auto now = clock_.Steady();
  member.link.intake().BeginRun();
  const auto sent = member.link.Say(FrameFor(*ticket, now, clock_.Wall()));
  if (sent == WorkerLink::Sent::kNothing) {
    Condemn(member, Fate::kLost, "it was gone when an order came");
    return false;
  }
  if (sent == WorkerLink::Sent::kPart) {
    static_cast<void>(
        poller_.Change(member.link.socket(), SocketToken(member.id), os::Interest::kReadWrite).has_value());
  }
  ticket->handed_at = now;
  member.phase = Phase::kRunning;
  SetDue(member, ticket->deadline + kKillGrace);
  member.ticket = std::move(ticket);
  return true;
}

// Kills a worker, once, and remembers why. Its run is answered when it is gone.
void Fleet::Condemn(Member& member, Fate fate, std::string why) {
  if (member.phase == Phase::kLeaving) {
    return;
  }
  const Phase phase = member.phase;
  member.phase = Phase::kLeaving;
  member.fate = fate;
  member.why = std::move(why);
  member.link.Kill();
  SetDue(member, clock_.Steady() + kGoneLimit);
  shelf_.Remove(member.id);
  starting_ -= phase == Phase::kStarting ? 1U : 0U;
  const bool of_itself = fate == Fate::kLost || fate == Fate::kViolation;
  member.failed_to_start = of_itself && phase != Phase::kRunning && member.runs == 0;
  if (member.failed_to_start) {
    StartFailed();
  }
}

// Tells the log about an end that was not our wish, with what the kernel says of it.
void Fleet::NoteEnd(const Member& member, const os::ExitStatus& status) {
  const auto note = [&](base::Severity severity, std::string_view message) {
    notes_.push_back({severity, message, member.link.pid(), member.why + " (" + Text(status) + ")"});
  };
  if (member.failed_to_start) {
    note(base::Severity::kWarn, kNotStarted);
  } else if (member.fate == Fate::kViolation) {
    note(base::Severity::kError, "a wasm worker broke the protocol");
  } else if (member.fate == Fate::kLost) {
    note(base::Severity::kWarn, "a wasm worker was lost");
  }
}

// Tells the outcome of the run that a condemned worker held, if it held one.
void Fleet::Resolve(Member& member) {
  if (!member.ticket) {
    return;
  }
  const auto now = clock_.Steady();
  const auto duration = std::chrono::duration_cast<microseconds>(now - member.ticket->handed_at);
  const std::string worker = "worker " + std::to_string(member.link.pid());
  auto ticket = std::move(member.ticket);
  switch (member.fate) {
    case Fate::kLost:
      if (now < ticket->deadline) {
        return End(std::move(ticket),
                   base::Fault{base::FaultKind::kInternal, worker + " was lost during a run: " + member.why});
      }
      [[fallthrough]];  // whatever ended it, its time was over
    case Fate::kDeadline:
      return End(std::move(ticket), TimedOutOutcome(member.link.intake().TakeOutputOfKilled(), duration));
    case Fate::kViolation:
      return End(std::move(ticket),
                 base::Fault{base::FaultKind::kInternal, worker + " broke the protocol: " + member.why});
    case Fate::kCanceled:
      return End(std::move(ticket), base::Fault{base::FaultKind::kCanceled, "the caller left; its run was stopped"});
    case Fate::kLetGo:
    case Fate::kShutDown:
      return End(std::move(ticket), base::Fault{base::FaultKind::kInternal, "stopped: the provider is shutting down"});
  }
}

void Fleet::OnTime() {
  const auto now = clock_.Steady();
  if (now < armed_) {
    return;
  }
  for (auto& [id, member] : members_) {
    if (member.due <= now) {
      OnDue(member);
    }
  }
  std::deque<std::unique_ptr<Ticket>> in_time;
  for (auto& ticket : std::exchange(waiting_, {})) {
    if (ticket->deadline > now) {
      in_time.push_back(std::move(ticket));
    } else {
      End(std::move(ticket),
          base::Refusal{base::Rule::kUnavailable, "no worker could be started within the time of the run"});
    }
  }
  waiting_ = std::move(in_time);
  armed_ = base::SteadyTime::max();
  for (const auto& [id, member] : members_) {
    ArmFor(member.due);
  }
  for (const auto& ticket : waiting_) {
    ArmFor(ticket->deadline);
  }
  if (breaker_.is_open() && breaker_.next_try() > now) {
    ArmFor(breaker_.next_try());
  }
}

void Fleet::OnDue(Member& member) {
  switch (member.phase) {
    case Phase::kStarting: Condemn(member, Fate::kLost, "it did not come up in time"); return;
    case Phase::kRunning: Condemn(member, Fate::kDeadline, {}); return;
    case Phase::kIdle: break;
    case Phase::kLeaving:
      notes_.push_back({base::Severity::kError, "a killed wasm worker is not gone", member.link.pid(), {}});
      Resolve(member);
      break;
  }
  member.due = base::SteadyTime::max();
}

base::Status Fleet::Readiness() const {
  if (breaker_.is_open()) {
    return NotStarting();
  }
  return base::Ok();
}

Census Fleet::Count() const {
  Census census{.starting = starting_,
                .idle_fresh = shelf_.fresh(),
                .idle_used = shelf_.size() - shelf_.fresh(),
                .waiting_runs = waiting_.size(),
                .started = started_};
  for (const auto& [id, member] : members_) {
    census.running += member.phase == Phase::kRunning ? 1U : 0U;
    census.leaving += member.phase == Phase::kLeaving ? 1U : 0U;
  }
  return census;
}

void Fleet::StopTaking() {
  taking_ = false;
  while (const auto worker = shelf_.TakeAny()) {
    Condemn(members_.at(*worker), Fate::kLetGo, {});
  }
}

void Fleet::StopAll() {
  StopTaking();
  RefuseWaiting(ShuttingDown());
  for (auto& [id, member] : members_) {
    Condemn(member, Fate::kShutDown, {});
  }
}

void Fleet::StartFailed() {
  const bool was_open = breaker_.is_open();
  breaker_.StartFailed(clock_.Steady());
  if (!breaker_.is_open()) {
    return;
  }
  if (!was_open) {
    notes_.push_back({base::Severity::kError, "wasm workers do not start; runs are refused", 0, {}});
  }
  RefuseWaiting(NotStarting());
  ArmFor(breaker_.next_try());
}

base::Refusal Fleet::NotStarting() const {
  const auto wait = std::chrono::ceil<milliseconds>(breaker_.next_try() - clock_.Steady());
  return {base::Rule::kUnavailable, "wasm workers do not start on this machine; the log says why",
          std::max(wait, milliseconds(0))};
}

void Fleet::RefuseWaiting(const base::Refusal& refusal) {
  for (auto& ticket : std::exchange(waiting_, {})) {
    End(std::move(ticket), refusal);
  }
}

void Fleet::End(std::unique_ptr<Ticket> ticket, Outcome outcome) {
  ended_.push_back({std::move(ticket), std::move(outcome)});
}

void Fleet::SetDue(Member& member, base::SteadyTime at) {
  member.due = at;
  ArmFor(at);
}

// The alarm may be early: OnTime looks again. It is set only when it would be late, so that a run costs no system call
// for it.
void Fleet::ArmFor(base::SteadyTime at) {
  if (at < armed_) {
    armed_ = at;
    poller_.SetAlarm(at);
  }
}

}  // namespace plimsoll::wasm
