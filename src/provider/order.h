#pragma once

#include <stop_token>
#include <string>

#include "base/cleanup.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "run/request.h"
#include "run/result.h"

namespace plimsoll::provider {

// One run handed to a provider, or one call to a sandbox it keeps. From the moment guest code starts no answer may say
// that nothing ran.
struct Order {
  // Lives until `done` has returned.
  const run::Request& request;
  // Who asks: a sandbox that has held one caller's code is never given to another caller.
  std::string principal;
  // Requested when the caller has left: waiting stops and a started run is stopped.
  std::stop_token stop;
  // The slots the run was admitted with. They are given back when `done` is called, so a provider whose sandbox
  // outlives its answer moves them out before it answers and drops them once the sandbox is gone (daemon.md 7.2). Lives
  // as long as `request`; null where nobody counts.
  base::Cleanup* slots = nullptr;
};

// Called exactly once, on any thread, possibly before Run returns: the report of a run that happened; a Refusal, which
// proves that no guest code started; or a Fault, after which it may have.
using RunDone = base::UniqueFunction<void(base::Result<run::Report>)>;

}  // namespace plimsoll::provider
