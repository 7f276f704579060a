#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "providers/docker/sandbox.h"

namespace plimsoll::docker {

// What a fake sandbox does; shared by all of one launcher, whose tests change it. Thread-safe.
struct FakeWorld {
  struct Facts {
    std::set<std::string> alive;     // names of sandboxes that were made and not removed
    std::set<std::string> deaf;      // of those, the ones that answer no ping
    std::size_t most_alive = 0;      // at once
    std::size_t launching = 0;       // now
    std::size_t most_launching = 0;  // at once
    std::size_t launches = 0;
    std::size_t prepared = 0;
    std::size_t kills = 0;
    bool hold_launches = false;
    bool hold_runs = false;
    bool hold_removals = false;
    bool refuse_launches = false;
    bool break_launches = false;  // a container was made and did not become ready
    bool fail_removals = false;
    std::int32_t exit_code = 0;  // of calls
    bool fail_sweeps = false;    // without a verdict
    frames::agent::Swept swept = {.verdict = frames::agent::Swept::Verdict::kClean};
    std::size_t sweeps = 0;
    std::vector<std::string> removed;
  };
  base::Guarded<Facts> facts;
  std::condition_variable_any changed;

  // Changes the facts and wakes who waits for them.
  template <typename Change>
  void Set(Change change) {
    auto locked = facts.Lock();
    change(*locked);
    changed.notify_all();
  }
  // Waits at most 10 s until the facts are as wanted.
  template <typename Wanted>
  bool Await(Wanted wanted) {
    auto locked = facts.Lock();
    return changed.wait_for(locked.lock(), std::chrono::seconds(10), [&] { return wanted(*locked); });
  }
};

// A sandbox without a container: its calls print their code and exit as their world says, or is held until its caller
// leaves.
class FakeSandbox final : public Sandbox {
 public:
  FakeSandbox(std::shared_ptr<FakeWorld> world, std::string name, Role role, std::shared_ptr<const State> state,
              base::WallTime ends);

  const std::string& id() const override { return id_; }
  const std::string& name() const override { return name_; }
  Role role() const override { return role_; }
  const std::shared_ptr<const State>& state() const override { return state_; }
  base::WallTime ends() const override { return ends_; }
  base::Status Prepare(frames::agent::Kind kind, frames::agent::Plan plan, const http::Bounds& bounds) override;
  base::Status Ping(const http::Bounds& bounds) override;
  CallEnd Run(const std::vector<CallFile>& files, base::SteadyTime deadline, std::chrono::milliseconds grace,
              std::stop_token stop) override;
  CallTranscript& transcript() override { return *transcript_; }
  base::Status Settle(const http::Bounds& bounds) override;
  base::Result<frames::agent::Swept> Sweep(const frames::agent::SweepOrder& order, const http::Bounds& bounds) override;

 private:
  const std::shared_ptr<FakeWorld> world_;  // shared with the test and the launcher
  const std::string name_;
  const std::string id_;
  const Role role_;
  const std::shared_ptr<const State> state_;
  const base::WallTime ends_;
  std::optional<CallTranscript> transcript_;
};

class FakeLauncher final : public Launcher {
 public:
  explicit FakeLauncher(std::shared_ptr<FakeWorld> world) : world_(std::move(world)) {}
  base::Result<std::unique_ptr<Sandbox>> Launch(std::shared_ptr<const State> state, Role role,
                                                const LaunchOptions& options, const http::Bounds& bounds) override;
  bool Remove(std::unique_ptr<Sandbox> sandbox) override;
  bool TryRemove(Sandbox& sandbox) override;
  void Kill(Sandbox& sandbox, const http::Bounds& bounds) override;

 private:
  const std::shared_ptr<FakeWorld> world_;  // shared with the test, which looks at it
};

// A state with images for snippets and projects; another `salt` is another ground.
std::shared_ptr<const State> FakeState(const std::string& salt = "a");

}  // namespace plimsoll::docker
