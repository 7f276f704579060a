#include "providers/docker/testing/fake_launcher.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "providers/docker/testing/frames_of_call.h"

namespace plimsoll::docker {

namespace agent = frames::agent;

FakeSandbox::FakeSandbox(std::shared_ptr<FakeWorld> world, std::string name, Role role,
                         std::shared_ptr<const State> state, base::WallTime ends)
    : world_(std::move(world)),
      name_(std::move(name)),
      id_(base::Sha256Hex(name_)),
      role_(role),
      state_(std::move(state)),
      ends_(ends) {}

base::Status FakeSandbox::Prepare(agent::Kind kind, agent::Plan plan, const http::Bounds& /*bounds*/) {
  transcript_.emplace(kind, std::move(plan));
  world_->Set([](FakeWorld::Facts& facts) { ++facts.prepared; });
  return base::Ok();
}

base::Status FakeSandbox::Ping(const http::Bounds& /*bounds*/) {
  auto facts = world_->facts.Lock();
  if (facts->deaf.contains(name_) || !facts->alive.contains(name_)) {
    return base::Fault{base::FaultKind::kInternal, "no answer"};
  }
  return base::Ok();
}

CallEnd FakeSandbox::Run(const std::vector<CallFile>& files, base::SteadyTime deadline,
                         std::chrono::milliseconds /*grace*/, std::stop_token stop) {
  {
    auto facts = world_->facts.Lock();
    world_->changed.wait_until(facts.lock(), stop, deadline, [&] { return !facts->hold_runs; });
  }
  if (stop.stop_requested()) {
    return {.how = CallEnd::How::kCanceled};
  }
  Takes(*transcript_, Started(0));
  Takes(*transcript_, Stdout(0, files.empty() ? "no file" : files[0].content));
  Takes(*transcript_, Exit(0, world_->facts.Lock()->exit_code));
  Takes(*transcript_, Done(agent::Outcome::kCompleted));
  return {.how = CallEnd::How::kDone};
}

base::Status FakeSandbox::Settle(const http::Bounds& /*bounds*/) {
  if (!transcript_->done()) {
    Takes(*transcript_, Done(agent::Outcome::kTimedOut));
  }
  return base::Ok();
}

base::Result<agent::Swept> FakeSandbox::Sweep(const agent::SweepOrder& /*order*/, const http::Bounds& /*bounds*/) {
  auto facts = world_->facts.Lock();
  ++facts->sweeps;
  world_->changed.notify_all();
  if (facts->fail_sweeps) {
    return base::Fault{base::FaultKind::kInternal, "no verdict"};
  }
  return facts->swept;
}

base::Result<std::unique_ptr<Sandbox>> FakeLauncher::Launch(std::shared_ptr<const State> state, Role role,
                                                            const LaunchOptions& options, const http::Bounds& bounds) {
  auto facts = world_->facts.Lock();
  ++facts->launching;
  facts->most_launching = std::max(facts->most_launching, facts->launching);
  const std::string name = "plimsoll-fake-" + std::to_string(++facts->launches);
  world_->changed.notify_all();
  world_->changed.wait_until(facts.lock(), bounds.stop, bounds.deadline, [&] { return !facts->hold_launches; });
  --facts->launching;
  if (facts->refuse_launches) {
    return base::Refusal{base::Rule::kUnavailable, "the docker engine could not be reached to make a sandbox"};
  }
  facts->alive.insert(name);
  facts->most_alive = std::max(facts->most_alive, facts->alive.size());
  world_->changed.notify_all();
  auto sandbox = std::make_unique<FakeSandbox>(world_, name, role, std::move(state), options.ends);
  if (facts->break_launches || bounds.stop.stop_requested()) {
    facts.lock().unlock();
    if (options.remains != nullptr) {
      *options.remains = std::move(sandbox);
    } else {
      Remove(std::move(sandbox));
    }
    return base::Fault{base::FaultKind::kInternal, "it did not become ready"};
  }
  return std::unique_ptr<Sandbox>(std::move(sandbox));
}

bool FakeLauncher::Remove(std::unique_ptr<Sandbox> sandbox) { return sandbox == nullptr || TryRemove(*sandbox); }

bool FakeLauncher::TryRemove(Sandbox& sandbox) {
  auto facts = world_->facts.Lock();
  world_->changed.wait_for(facts.lock(), std::chrono::seconds(10), [&] { return !facts->hold_removals; });
  if (facts->fail_removals) {
    return false;
  }
  facts->alive.erase(sandbox.name());
  facts->removed.push_back(sandbox.name());
  world_->changed.notify_all();
  return true;
}

void FakeLauncher::Kill(Sandbox& /*sandbox*/, const http::Bounds& /*bounds*/) {
  world_->Set([](FakeWorld::Facts& facts) { ++facts.kills; });
}

std::shared_ptr<const State> FakeState(const std::string& salt) {
  auto state = std::make_shared<State>();
  for (const Role role : {Role::kSnippet, Role::kProject}) {
    const std::string id = "sha256:" + salt + (role == Role::kSnippet ? "s" : "p");
    state->images[role] = {.reference = "image", .id = id, .identity = "docker-image:" + id};
  }
  return state;
}

}  // namespace plimsoll::docker
