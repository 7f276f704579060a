#pragma once

#include <memory>
#include <stop_token>

#include "base/result.h"
#include "provider/sandbox.h"
#include "providers/docker/kept_sandbox.h"
#include "providers/docker/run_job.h"
#include "providers/docker/strand.h"

namespace plimsoll::docker {

// What the kept sandboxes of a provider use beside what its runs do. All outlive them.
struct KeptShop {
  const Workshop& shop;
  WorkThreads& removers;
  std::uint64_t disk_budget = 0;  // bytes; 0: not measured
  std::stop_token shutdown;
};

// Makes one kept sandbox, on a thread that may block: room for it, the state of this moment, a container, the checks.
// What was made by the time that something fails is removed before the answer, so that a refusal means that nothing is
// there.
class OpenJob {
 public:
  // `kept` is given back when the sandbox is gone or was not made.
  OpenJob(const KeptShop& shop, provider::OpenOrder order, provider::OpenDone done, base::Cleanup kept);

  // Answers once. `strand` is the one this is done on.
  void Work(std::shared_ptr<Strand> strand);

 private:
  base::Result<std::unique_ptr<KeptContainer>> Make(const http::Bounds& bounds);
  base::Result<std::shared_ptr<const State>> Ready(const http::Bounds& bounds);
  base::Result<std::unique_ptr<Sandbox>> Launch(std::shared_ptr<const State> state, const http::Bounds& bounds);
  base::Error Without(std::unique_ptr<Sandbox> made, const base::Error& error);

  const KeptShop& shop_;
  provider::OpenOrder order_;
  provider::OpenDone done_;
  Hold hold_;
};

}  // namespace plimsoll::docker
