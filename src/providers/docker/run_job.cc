#include "providers/docker/run_job.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "providers/docker/requested_call.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;

// What a sandbox's label states beyond its run: its report and its removal.
constexpr milliseconds kAfterRun{60'000};
// How long an answer waits for a guest that is still running to be taken down.
constexpr milliseconds kKillLimit{400};

using OnStop = std::stop_callback<std::function<void()>>;

Role RoleOf(const run::Request& request) {
  return request.kind() == run::Kind::kJavaScript ? Role::kSnippet : Role::kProject;
}

}  // namespace

RunJob::RunJob(const Workshop& shop, provider::Order order, provider::RunDone done, base::SteadyTime deadline,
               const Times& times, Counted counted)
    : shop_(shop),
      order_(std::move(order)),
      done_(std::move(done)),
      deadline_(deadline),
      times_(times),
      role_(RoleOf(order_.request)),
      counted_(std::move(counted)) {}

void RunJob::Work(const std::stop_token& shutdown) {
  // The run stops when its caller leaves and when the provider ends.
  std::stop_source stop;
  const OnStop on_caller(order_.stop, [&stop] { stop.request_stop(); });
  const OnStop on_shutdown(shutdown, [&stop] { stop.request_stop(); });
  auto answer = Execute(stop.get_token());
  if (shutdown.stop_requested() && !answer) {
    answer = base::Fault{base::FaultKind::kInternal, "the provider ended while the run was under way"};
  }
  // The request and the slots' owner are gone once `done_` has returned.
  if (order_.slots != nullptr) {
    slots_ = std::move(*order_.slots);
  }
  if (place_) {
    place_->Answered();
  }
  counted_.unanswered.Release();
  done_(std::move(answer));
}

// The sandbox first, then its share, then the run's place, then its slots: none is free while the sandbox is there.
// Last that it is over: a drain that waited for it has every slot back.
void RunJob::CleanUp() {
  shop_.launcher.Remove(std::move(sandbox_));
  place_.reset();
  entered_.Release();
  slots_.Release();
  counted_.in_flight.Release();
}

// Checks 7 and 8 of providers-local.md 1.3, on the state this very run will use.
base::Result<std::shared_ptr<const State>> RunJob::Ready(const http::Bounds& bounds) {
  auto state = shop_.preflight.Check(bounds.deadline);
  if (!state) {
    return state;
  }
  if (auto refusal = RefuseState(order_.request, **state, role_)) {
    return std::move(*refusal);
  }
  if (bounds.stop.stop_requested()) {
    return base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"};
  }
  shop_.pool.SetGround(*state);
  return state;
}

// A member of the pool, or a sandbox made for this run.
base::Status RunJob::Obtain(const std::shared_ptr<const State>& state, const http::Bounds& bounds) {
  auto claim = shop_.pool.Take(role_, *state, bounds);
  if (!claim) {
    return std::move(claim).error();
  }
  place_ = std::move(claim->place);
  sandbox_ = std::move(claim->sandbox);
  began_ = shop_.clock.Steady();
  if (sandbox_ == nullptr) {
    const LaunchOptions options{
        .ends = shop_.clock.Wall() + std::chrono::ceil<milliseconds>(deadline_ - began_) + times_.grace + kAfterRun,
        .host_socket = {},
        .remains = &sandbox_};
    auto made = shop_.launcher.Launch(state, role_, options, bounds);
    if (!made) {
      return std::move(made).error();
    }
    sandbox_ = std::move(*made);
    if (role_ == Role::kSnippet) {
      if (auto prepared = sandbox_->Prepare(frames::agent::Kind::kSnippet, SnippetPlan(*sandbox_), bounds); !prepared) {
        return prepared;
      }
    }
    place_->Made();
  }
  if (role_ == Role::kProject) {
    return sandbox_->Prepare(frames::agent::Kind::kProject, ProjectPlan(*sandbox_, order_.request.project()), bounds);
  }
  return base::Ok();
}

CallEnd RunJob::Converse(const std::stop_token& stop) {
  CallEnd end = sandbox_->Run(FilesOf(order_.request), deadline_, times_.grace, stop);
  ended_ = end.exit_heard.value_or(shop_.clock.Steady());
  if (!end.detail.empty()) {
    // Our own words: what a guest wrote is in no detail.
    const std::array<base::LogField, 2> fields = {
        {{"container", std::string_view(sandbox_->name())}, {"detail", std::string_view(end.detail)}}};
    shop_.log.Write(base::Severity::kWarn, "docker: a call did not end by its agent's word", fields);
  }
  // A guest that may still run is taken down before its caller is told that it is over.
  if (end.how != CallEnd::How::kDone && end.how != CallEnd::How::kContainerEnded) {
    shop_.launcher.Kill(*sandbox_, {.deadline = shop_.clock.Steady() + kKillLimit});
  }
  return end;
}

base::Result<run::Report> RunJob::Execute(const std::stop_token& stop) {
  const http::Bounds bounds{.deadline = deadline_, .stop = stop};
  auto entered = shop_.enter(bounds);
  if (!entered) {
    return std::move(entered).error();
  }
  entered_ = std::move(*entered);
  const auto state = Ready(bounds);
  if (!state) {
    return state.error();
  }
  if (auto obtained = Obtain(*state, bounds); !obtained) {
    return obtained.error();
  }
  const CallEnd end = Converse(stop);
  auto result = VerdictOf(end, sandbox_->transcript(), order_.request, deadline_);
  if (!result) {
    return std::move(result).error();
  }
  // Of the sandbox that ran it: a member of the pool equals the state in all of these (POOL-3).
  return ReportOf(*sandbox_, std::move(*result), std::chrono::duration_cast<milliseconds>(ended_ - began_));
}

}  // namespace plimsoll::docker
