#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/cleanup.h"
#include "base/guarded.h"
#include "provider/sandbox.h"
#include "providers/docker/kept_container.h"
#include "providers/docker/run_pool.h"
#include "providers/docker/strand.h"
#include "providers/docker/work_threads.h"

namespace plimsoll::docker {

// What a kept sandbox holds of its provider from before it is made until its container is gone (POOL-4, DOC-7), in the
// order in which it is given back.
struct Hold {
  std::optional<RunPool::Place> place = {};
  base::Cleanup entered = {};
  base::Cleanup kept = {};

  void Release() {
    place.reset();
    entered.Release();
    kept.Release();
  }
};

// A kept sandbox: its calls, suspensions and removals are done one after the other on its strand; the sweep follows the
// call it belongs to on the same strand, so whatever comes next waits for it.
class KeptSandbox final : public provider::Sandbox, public std::enable_shared_from_this<KeptSandbox> {
 public:
  struct Parts {
    std::unique_ptr<KeptContainer> container;  // accepted
    Hold hold;
    std::shared_ptr<Strand> strand;  // shared with the jobs on it
    base::UniqueFunction<void(run::SessionEnded)> ended;
    Launcher& launcher;  // these outlive it
    WorkThreads& removers;
    std::stop_token shutdown;
  };
  explicit KeptSandbox(Parts parts);
  // Nobody will ask for its removal any more: a container that is still there is removed in the background.
  ~KeptSandbox() override;
  KeptSandbox(const KeptSandbox&) = delete;
  KeptSandbox& operator=(const KeptSandbox&) = delete;

  const provider::SandboxFacts& Facts() const override { return facts_; }
  void Run(provider::Order order, provider::KeptCallDone done) override;
  void Suspend(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)> done) override;
  void Remove(base::UniqueFunction<void(base::Status)> done) override;

 private:
  struct Desk {
    std::size_t waiting = 0;                      // calls that have not begun
    bool removing = false;                        // Remove was asked for
    std::optional<run::SessionEnded> ended = {};  // the first end
    bool told = false;                            // to whoever is to know of it
  };
  using OnStop = std::stop_callback<std::function<void()>>;

  std::optional<provider::KeptCall> AnswerWithoutACall();
  void Serve(const provider::Order& order, provider::KeptCallDone& done);
  void SweepUp();
  void Freeze(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)>& done);
  base::Status TakeDown();

  const provider::SandboxFacts facts_;
  const std::shared_ptr<Strand> strand_;
  Launcher& launcher_;
  WorkThreads& removers_;
  std::stop_source interrupt_;  // of whatever the strand is doing, for a removal or the provider's end
  const OnStop on_shutdown_;
  base::Guarded<Desk> desk_;
  // Of the strand alone:
  std::unique_ptr<KeptContainer> container_;  // null once it is gone
  Hold hold_;
  base::UniqueFunction<void(run::SessionEnded)> ended_;
};

}  // namespace plimsoll::docker
