#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "providers/docker/sandbox.h"

namespace plimsoll::docker {

// A launcher that remembers the names of what another one made, so that a test on a shared engine knows its own.
class RecordingLauncher final : public Launcher {
 public:
  using Names = base::Guarded<std::vector<std::string>>;
  RecordingLauncher(std::unique_ptr<Launcher> inner, std::shared_ptr<Names> names)
      : inner_(std::move(inner)), names_(std::move(names)) {}

  base::Result<std::unique_ptr<Sandbox>> Launch(std::shared_ptr<const State> state, Role role,
                                                const LaunchOptions& options, const http::Bounds& bounds) override {
    auto made = inner_->Launch(std::move(state), role, options, bounds);
    if (made) {
      names_->Lock()->push_back((*made)->name());
    } else if (options.remains != nullptr && *options.remains != nullptr) {
      names_->Lock()->push_back((*options.remains)->name());
    }
    return made;
  }
  bool Remove(std::unique_ptr<Sandbox> sandbox) override { return inner_->Remove(std::move(sandbox)); }
  bool TryRemove(Sandbox& sandbox) override { return inner_->TryRemove(sandbox); }
  void Kill(Sandbox& sandbox, const http::Bounds& bounds) override { inner_->Kill(sandbox, bounds); }

 private:
  std::unique_ptr<Launcher> inner_;
  std::shared_ptr<Names> names_;  // shared with the test, which outlives it or not
};

}  // namespace plimsoll::docker
