#include "providers/docker/run_pool.h"

#include <algorithm>
#include <array>

#include "os/thread_name.h"
#include "providers/docker/plans.h"

// Locks: the desk's only. It is never held while a sandbox is made, spoken to or removed, nor while a log is written.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;

// Waits end by events; this bounds one that misses its event through a mistake of ours.
constexpr milliseconds kLongestWait{60'000};
// After a member could not be made: the pause before the next try, doubled with each failure in a row.
constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{15'000};
// What a member's label states beyond its wait: the longest run, its report and its removal.
constexpr milliseconds kAfterWait = kProjectTimes.max_timeout + kProjectTimes.grace + milliseconds(60'000);

milliseconds PauseAfter(std::uint32_t failures) {
  return std::min(kFirstPause * (1U << std::min(failures, 5U)), kLongestPause);
}

// A snippet's interpreter is started ahead; a project's agent waits for its plan.
base::Status PrepareAhead(Sandbox& sandbox, const http::Bounds& bounds) {
  if (sandbox.role() != Role::kSnippet) {
    return base::Ok();
  }
  return sandbox.Prepare(frames::agent::Kind::kSnippet, SnippetPlan(sandbox), bounds);
}

}  // namespace

RunPool::RunPool(Options options, Launcher& launcher, const base::Clock& clock, base::LogSink& log)
    : options_(options),
      launcher_(launcher),
      clock_(clock),
      log_(log),
      desk_(Desk(options.book)),
      remover_([this](const std::stop_token& stop) { RemoveLeaving(stop); }),
      filler_([this](const std::stop_token& stop) { Fill(stop); }) {}

RunPool::~RunPool() {
  Close();
  filler_.request_stop();
  filler_.join();
  // What the filler left is removed too: the remover ends once nothing is leaving.
  remover_.request_stop();
  remover_.join();
}

void RunPool::Changed(Desk& desk) {
  ++desk.version;
  changed_.notify_all();
}

void RunPool::SetGround(std::shared_ptr<const State> state) {
  auto desk = desk_.Lock();
  if (!desk->closed && desk->book.ground() != state) {
    desk->book.SetGround(std::move(state));
    Changed(*desk);
  }
}

void RunPool::Close() {
  auto desk = desk_.Lock();
  desk->closed = true;
  desk->book.SetGround(nullptr);
  Changed(*desk);
}

bool RunPool::AwaitEmpty(base::SteadyTime deadline) {
  auto desk = desk_.Lock();
  return changed_.wait_until(desk.lock(), deadline, [&] { return desk->book.shares_taken() == 0; });
}

RunPool::Census RunPool::Count() {
  auto desk = desk_.Lock();
  return {.snippets = desk->book.Waiting(Role::kSnippet),
          .projects = desk->book.Waiting(Role::kProject),
          .shares = desk->book.shares_taken(),
          .made = desk->made,
          .dead = desk->dead};
}

// --- runs

base::Result<RunPool::Claim> RunPool::Take(Role role, const State& state, const http::Bounds& bounds) {
  // The run counts as short of room until it has its place, so that no member is made in what was freed for it.
  std::optional<base::Cleanup> waits;
  for (Asking asking = Asking::kFirst;; asking = Asking::kAgain) {
    Found found = Look(role, state, asking);
    if (found.member != nullptr) {
      const http::Bounds ping{.deadline = std::min(bounds.deadline, clock_.Steady() + options_.ping_limit),
                              .stop = bounds.stop};
      if (found.member->Ping(ping)) {
        return ClaimOf(std::move(found.member));
      }
      Discard(std::move(found.member));
      continue;
    }
    if (found.room) {
      return ClaimOf(nullptr);
    }
    if (auto refusal = AwaitChange(found.version, waits, bounds)) {
      return std::move(*refusal);
    }
  }
}

RunPool::Found RunPool::Look(Role role, const State& state, Asking asking) {
  auto desk = desk_.Lock();
  PoolBook& book = desk->book;
  Found found;
  found.version = desk->version;
  found.member = asking == Asking::kFirst ? book.Claim(role, state) : book.ClaimNext(role, state);
  if (found.member == nullptr) {
    found.room = book.TakeShare();
  }
  const bool has_place = found.member != nullptr || found.room;
  if (has_place) {
    ++desk->running;
    desk->making += found.member == nullptr ? 1U : 0U;
  }
  if (!desk->missed_since && book.Wanted()) {
    desk->missed_since = clock_.Steady();
  }
  if (has_place || book.has_leaving()) {
    Changed(*desk);
    found.version = desk->version;
  }
  return found;
}

base::Result<RunPool::Place> RunPool::TakeRoom(const http::Bounds& bounds) {
  std::optional<base::Cleanup> waits;
  for (;;) {
    const Found found = LookForRoom();
    if (found.room) {
      return ClaimOf(nullptr).place;
    }
    if (auto refusal = AwaitChange(found.version, waits, bounds)) {
      return std::move(*refusal);
    }
  }
}

RunPool::Found RunPool::LookForRoom() {
  auto desk = desk_.Lock();
  Found found;
  found.room = desk->book.TakeShare();
  if (found.room) {
    ++desk->running;
    ++desk->making;
    Changed(*desk);
  }
  found.version = desk->version;
  return found;
}

// A member is removed in the background for each run that waits, where none is on its way out already: an engine that
// does not answer costs a run its own time and no more.
std::optional<base::Refusal> RunPool::AwaitChange(std::uint64_t seen, std::optional<base::Cleanup>& waits,
                                                  const http::Bounds& bounds) {
  auto desk = desk_.Lock();
  if (!waits) {
    ++desk->short_of_room;
    waits = Counted(&Desk::short_of_room);
  }
  if (desk->version == seen && desk->short_of_room > desk->book.leaving() + desk->removing && desk->book.Evict()) {
    Changed(*desk);
    seen = desk->version;
  }
  changed_.wait_until(desk.lock(), bounds.stop, bounds.deadline, [&] { return desk->version != seen; });
  if (bounds.stop.stop_requested()) {
    return base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"};
  }
  if (clock_.Steady() >= bounds.deadline) {
    return base::Refusal{base::Rule::kAtCapacity,
                         "the memory budget had no room for a sandbox within the run's time; ask again later"};
  }
  return std::nullopt;
}

base::Cleanup RunPool::Counted(std::size_t Desk::* count) {
  return base::Cleanup([this, count] {
    auto desk = desk_.Lock();
    --((*desk).*count);
    Changed(*desk);
  });
}

RunPool::Claim RunPool::ClaimOf(std::unique_ptr<Sandbox> sandbox) {
  base::Cleanup share([this] {
    auto desk = desk_.Lock();
    desk->book.GiveShare();
    Changed(*desk);
  });
  base::Cleanup making = sandbox == nullptr ? Counted(&Desk::making) : base::Cleanup();
  return {.sandbox = std::move(sandbox), .place = Place(std::move(share), Counted(&Desk::running), std::move(making))};
}

// A member that did not answer keeps its share until it is removed.
void RunPool::Discard(std::unique_ptr<Sandbox> sandbox) {
  auto desk = desk_.Lock();
  --desk->running;
  ++desk->dead;
  desk->book.Dismiss(std::move(sandbox));
  Changed(*desk);
}

// --- making members

// The next member to make, and when it may be made: one at a time, never while a run makes its own sandbox or waits for
// room, and while runs are under way only after a while (POOL-5). Empty: not before something changes.
std::optional<RunPool::NextFill> RunPool::NextFillOf(const Desk& desk) const {
  const auto wanted = desk.book.Wanted();
  if (desk.closed || desk.making > 0 || desk.short_of_room > 0 || !wanted) {
    return std::nullopt;
  }
  if (desk.running == 0 || !desk.missed_since) {
    return NextFill{.role = *wanted, .at = desk.next_fill};
  }
  return NextFill{.role = *wanted, .at = std::max(desk.next_fill, *desk.missed_since + options_.patience)};
}

void RunPool::Fill(const std::stop_token& stop) {
  os::NameThisThread("docker-filler");
  while (!stop.stop_requested()) {
    auto desk = desk_.Lock();
    const auto now = clock_.Steady();
    desk->book.Retire(now);
    if (desk->book.has_leaving()) {
      changed_.notify_all();
    }
    const auto next = NextFillOf(*desk);
    if (next && next->at <= now) {
      desk->book.BeginFill(next->role);
      desk->missed_since.reset();
      auto ground = desk->book.ground();
      desk.lock().unlock();
      MakeOne(next->role, std::move(ground), stop);
      continue;
    }
    const auto until = std::min({next ? next->at : base::SteadyTime::max(),
                                 desk->book.NextRetirement().value_or(base::SteadyTime::max()), now + kLongestWait});
    changed_.wait_until(desk.lock(), stop, until, [&, seen = desk->version] { return desk->version != seen; });
  }
}

void RunPool::MakeOne(Role role, std::shared_ptr<const State> ground, const std::stop_token& stop) {
  std::unique_ptr<Sandbox> remains;
  const http::Bounds bounds{.deadline = clock_.Steady() + options_.launch_limit, .stop = stop};
  auto made = launcher_.Launch(
      std::move(ground), role,
      {.ends = clock_.Wall() + options_.book.longest_wait + kAfterWait, .host_socket = {}, .remains = &remains},
      bounds);
  base::Status prepared = made ? PrepareAhead(**made, bounds) : base::Status(made.error());
  if (made && !prepared) {
    remains = std::move(*made);
  }
  if (!prepared && !stop.stop_requested()) {
    const std::array<base::LogField, 1> fields = {{{"detail", base::TextOf(prepared.error())}}};
    log_.Write(base::Severity::kWarn, "docker: a sandbox for the pool could not be made", fields);
  }
  auto desk = desk_.Lock();
  const auto now = clock_.Steady();
  desk->book.EndFill(role, prepared ? std::move(*made) : nullptr, now);
  if (prepared) {
    desk->failures = 0;
    ++desk->made;
  } else {
    desk->next_fill = now + PauseAfter(desk->failures++);
    if (remains != nullptr) {
      desk->book.Dismiss(std::move(remains));
    } else {
      desk->book.GiveShare();
    }
  }
  Changed(*desk);
}

// --- removing

void RunPool::RemoveLeaving(const std::stop_token& stop) {
  os::NameThisThread("docker-remover");
  for (;;) {
    auto desk = desk_.Lock();
    changed_.wait_for(desk.lock(), stop, kLongestWait, [&] { return desk->book.has_leaving(); });
    auto leaving = desk->book.TakeLeaving();
    desk->removing += leaving.size();
    if (leaving.empty() && stop.stop_requested()) {
      return;
    }
    desk.lock().unlock();
    for (auto& sandbox : leaving) {
      launcher_.Remove(std::move(sandbox));
      auto after = desk_.Lock();
      --after->removing;
      after->book.GiveShare();
      Changed(*after);
    }
  }
}

}  // namespace plimsoll::docker
