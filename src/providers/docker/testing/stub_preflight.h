#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "providers/docker/preflight.h"

namespace plimsoll::docker {

// A preflight that says what a test tells it. Thread-safe.
class StubPreflight final : public Preflight {
 public:
  explicit StubPreflight(std::shared_ptr<const State> state) : desk_(Desk{std::move(state), std::nullopt}) {}

  base::Result<std::shared_ptr<const State>> Check(base::SteadyTime /*deadline*/) override {
    auto desk = desk_.Lock();
    if (desk->refusal) {
      return *desk->refusal;
    }
    return desk->state;
  }
  void Prove(const State& /*state*/) override {}
  isolation::StatedTier Tier() const override { return desk_.Lock()->state->tier; }
  std::shared_ptr<const State> Last() const override { return desk_.Lock()->state; }

  void SetState(std::shared_ptr<const State> state) { desk_.Lock()->state = std::move(state); }
  void Refuse(std::optional<base::Refusal> refusal) { desk_.Lock()->refusal = std::move(refusal); }

 private:
  struct Desk {
    std::shared_ptr<const State> state;
    std::optional<base::Refusal> refusal;
  };
  mutable base::Guarded<Desk> desk_;
};

}  // namespace plimsoll::docker
