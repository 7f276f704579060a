#pragma once

#include "base/result.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "provider/provider.h"

namespace plimsoll::disabled {

// The provider of a daemon that was given none: offers nothing and refuses every run kDisabled. Holds nothing, waits
// for nothing, and may be called from any thread.
class Provider final : public provider::Provider {
 public:
  Provider();

  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override { return isolation::Tier::kNone; }
  base::Status Preflight(base::SteadyTime deadline) override;
  base::Status SmokeTest(base::SteadyTime deadline) override;
  // Refuses before it returns. The text is part of the protocol (wire.md 4).
  void Run(provider::Order order, provider::RunDone done) override;
  base::Status Drain(base::SteadyTime deadline) override;

 private:
  const isolation::Profile profile_;
};

}  // namespace plimsoll::disabled
