#include "providers/docker/probes/sandbox_trial.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "providers/docker/container_spec.h"
#include "providers/docker/plans.h"
#include "providers/docker/probes/facts.h"
#include "providers/docker/probes/reply_socket.h"

namespace plimsoll::docker {
namespace {

using frames::agent::Kind;
using frames::agent::Plan;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongest{30};  // of one sandbox
constexpr seconds kBudget{20};   // of what runs in it, at most
constexpr milliseconds kGrace{2'000};
// The label's end of life: past what a trial and its removal take.
constexpr seconds kLife{120};
constexpr const char* kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Our own program in a sandbox gets nothing of the image's environment (7.2).
Plan ProbePlan(const ProbeWords& probe) {
  Plan plan;
  plan.argv = {std::string(kAgentInside), "probe"};
  plan.argv.insert(plan.argv.end(), probe.words.begin(), probe.words.end());
  plan.environment = {kPath};
  plan.stream_cap = kMaxFacts;
  return plan;
}

struct Call {
  Kind kind;
  Plan plan;
  std::vector<CallFile> files;  // views the order
};

// A snippet and a project go the way that every one of a caller goes.
Call CallOf(const TrialOrder& order, const Sandbox& sandbox) {
  if (const auto* probe = std::get_if<ProbeWords>(&order.what)) {
    return {Kind::kSnippet, ProbePlan(*probe), {{.path = "", .content = ""}}};
  }
  if (const auto* snippet = std::get_if<SnippetCode>(&order.what)) {
    return {Kind::kSnippet, SnippetPlan(sandbox), {{.path = "", .content = snippet->code}}};
  }
  run::Project project;
  project.steps = std::get<ProjectSteps>(order.what).steps;
  return {Kind::kProject, ProjectPlan(sandbox, project), {}};
}

HostGroup LookAtGroup(const TrialBench& bench, const Sandbox& sandbox, const http::Bounds& bounds) {
  auto container = bench.state->engine->Inspect(sandbox.id(), bounds);
  const auto* state = std::get_if<ContainerState>(&container);
  return state == nullptr ? HostGroup() : ReadHostGroup(state->pid, sandbox.id(), bench.read);
}

void RunCall(const TrialBench& bench, const TrialOrder& order, Sandbox& sandbox, const http::Bounds& bounds,
             Trial& trial) {
  trial.before = LookAtGroup(bench, sandbox, bounds);
  const base::SteadyTime began = bench.clock.Steady();
  Call call = CallOf(order, sandbox);
  if (auto prepared = sandbox.Prepare(call.kind, std::move(call.plan), bounds); !prepared) {
    trial.failure = "the agent could not be told: " + std::string(base::TextOf(prepared.error()));
    return;
  }
  CallEnd end = sandbox.Run(call.files, std::min(bounds.deadline, bench.clock.Steady() + kBudget), kGrace, bounds.stop);
  trial.how = end.how;
  trial.container = std::move(end.container);
  trial.after = LookAtGroup(bench, sandbox, bounds);
  trial.between = std::chrono::duration_cast<milliseconds>(bench.clock.Steady() - began);
  trial.steps = sandbox.transcript().TakeSteps();
}

}  // namespace

Trial RunInSandbox(const TrialBench& bench, const TrialOrder& order) {
  Trial trial;
  const http::Bounds bounds{.deadline = std::min(bench.deadline, bench.clock.Steady() + kLongest)};
  std::unique_ptr<ReplySocket> socket;
  if (order.host_socket == HostSocket::kMounted) {
    auto opened = ReplySocket::Open(bench.root, bench.random);
    if (!opened) {
      trial.failure = "no socket of the host could be made: " + std::string(base::TextOf(opened.error()));
      return trial;
    }
    socket = std::move(opened).value();
  }
  auto sandbox = bench.launcher.Launch(
      bench.state, order.role,
      {.ends = bench.clock.Wall() + kLife, .host_socket = socket == nullptr ? std::string() : socket->path()}, bounds);
  if (!sandbox) {
    trial.failure = "no sandbox could be made: " + std::string(base::TextOf(sandbox.error()));
    return trial;
  }
  RunCall(bench, order, **sandbox, bounds, trial);
  bench.launcher.Remove(std::move(sandbox).value());
  return trial;
}

}  // namespace plimsoll::docker
