#include "providers/wasm/pool.h"

#include <array>
#include <utility>
#include <vector>

#include "os/thread_name.h"

// Locks: the fleet's only. It is never held while a callback runs, a log is written or a process is started.
namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

// Waits end by events; this bounds one that misses its event through a mistake of ours.
constexpr milliseconds kLongestWait{60'000};
// How long the end of a pool may take. The fleet gives up on a killed worker after 2 s.
constexpr milliseconds kEndLimit{5'000};

void WriteNote(base::LogSink& log, const Fleet::Note& note) {
  std::array<base::LogField, 2> fields = {{{"worker_pid", note.pid}, {"detail", std::string_view(note.detail)}}};
  log.Write(note.severity, note.message, fields);
}

}  // namespace

base::Result<std::unique_ptr<Pool>> Pool::Create(Options options, const base::Clock& clock, base::Random& random,
                                                 base::LogSink& log) {
  auto poller = os::Poller::Create();
  if (!poller) {
    return poller.error();
  }
  return std::unique_ptr<Pool>(new Pool(std::move(options), std::move(*poller), clock, random, log));
}

Pool::Pool(Options options, std::unique_ptr<os::Poller> poller, const base::Clock& clock, base::Random& random,
           base::LogSink& log)
    : options_(std::move(options)),
      poller_(std::move(poller)),
      clock_(clock),
      random_(random),
      log_(log),
      fleet_(Fleet(options_.fleet, *poller_, clock_)),
      starter_([this](const std::stop_token& stop) { StartWorkers(stop); }),
      watcher_([this](const std::stop_token& stop) { Watch(stop); }) {}

Pool::~Pool() {
  fleet_.Lock()->StopAll();
  // The starter ends first: workers follow its thread's death (OS-5), and none may be adopted after the watcher's last
  // look.
  starter_.request_stop();
  starter_.join();
  watcher_.request_stop();
  poller_->Wake();
  watcher_.join();
}

void Pool::Run(Work work, OutcomeDone done) {
  auto ticket = std::make_unique<Ticket>();
  const std::uint64_t id = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  ticket->id = id;
  ticket->principal = std::move(work.principal);
  ticket->code = work.code;
  ticket->deadline = work.deadline;
  ticket->done = std::move(done);
  random_.Fill(ticket->seed);
  if (work.stop.stop_possible()) {
    ticket->on_stop.emplace(work.stop, [this, id] { Cancel(id); });
  }
  std::optional<base::Refusal> refusal;
  {
    auto fleet = fleet_.Lock();
    // A stop from here on finds the ticket in the fleet; an earlier one found nothing and is seen here.
    if (work.stop.stop_requested()) {
      refusal = base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"};
    } else {
      refusal = fleet->Submit(ticket);
    }
    HandOn(std::move(fleet));
  }
  if (refusal) {
    ticket->on_stop.reset();
    ticket->done(std::move(*refusal));
  }
}

base::Status Pool::Readiness() { return fleet_.Lock()->Readiness(); }

Census Pool::Count() { return fleet_.Lock()->Count(); }

base::Status Pool::Drain(base::SteadyTime deadline) {
  auto fleet = fleet_.Lock();
  fleet->StopTaking();
  if (!changed_.wait_until(fleet.lock(), deadline, [&] { return fleet->is_empty(); })) {
    return base::Fault{base::FaultKind::kDeadline, "wasm workers are left at the end of the time to drain"};
  }
  return base::Ok();
}

void Pool::Cancel(std::uint64_t ticket) {
  auto fleet = fleet_.Lock();
  fleet->Cancel(ticket);
  HandOn(std::move(fleet));
}

void Pool::HandOn(base::Guarded<Fleet>::Locked fleet) {
  const bool starts_wanted = fleet->StartsWanted() > 0;
  const bool has_news = fleet->has_news();
  fleet.lock().unlock();
  if (starts_wanted) {
    changed_.notify_all();
  }
  if (has_news) {
    poller_->Wake();
  }
}

void Pool::Watch(const std::stop_token& stop) {
  os::NameThisThread("wasm-provider");
  while (!stop.stop_requested()) {
    Turn(kLongestWait);
  }
  const auto until = clock_.Steady() + kEndLimit;
  while (!fleet_.Lock()->is_empty() && clock_.Steady() < until) {
    Turn(milliseconds(100));
  }
  Turn(milliseconds(0));
}

// Waits for what comes next, lets the fleet act on it, and tells the outcomes.
void Pool::Turn(milliseconds longest) {
  const auto events = poller_->Wait(longest);
  std::vector<Fleet::Ended> ended;
  std::vector<Fleet::Note> notes;
  bool changed = false;
  {
    auto fleet = fleet_.Lock();
    for (const os::Event& event : events) {
      fleet->OnEvent(event);
    }
    fleet->OnTime();
    ended = fleet->TakeEnded();
    notes = fleet->TakeNotes();
    changed = fleet->StartsWanted() > 0 || fleet->is_empty();
  }
  if (changed) {
    changed_.notify_all();
  }
  for (auto& [ticket, outcome] : ended) {
    ticket->on_stop.reset();
    ticket->done(std::move(outcome));
  }
  for (const Fleet::Note& note : notes) {
    WriteNote(log_, note);
  }
}

void Pool::StartWorkers(const std::stop_token& stop) {
  os::NameThisThread("wasm-starter");
  while (!stop.stop_requested()) {
    {
      auto fleet = fleet_.Lock();
      const bool wanted =
          changed_.wait_for(fleet.lock(), stop, kLongestWait, [&] { return fleet->StartsWanted() > 0; });
      if (stop.stop_requested() || !wanted) {
        continue;
      }
      fleet->StartBegun();
    }
    auto link = WorkerLink::Start(options_.program);
    auto fleet = fleet_.Lock();
    fleet->Adopt(std::move(link));
    HandOn(std::move(fleet));
  }
}

}  // namespace plimsoll::wasm
