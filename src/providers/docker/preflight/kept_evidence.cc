#include "providers/docker/preflight/kept_evidence.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"

namespace plimsoll::docker {
namespace {

constexpr std::chrono::seconds kFresh{5};
// Before the end of what is fresh, so that a steady caller never waits for a walk.
constexpr std::chrono::seconds kRenewBefore{3};
constexpr std::chrono::seconds kWaitForAnother{2};
constexpr std::chrono::seconds kWalk{10};
constexpr std::chrono::seconds kLongestWait{60};  // a walk is over long before

using Checked = base::Result<std::shared_ptr<const State>>;

// One thread walks; callers wait for its walks and never make one themselves, so that a caller that leaves changes
// nothing (PRE-2). Lock order: `shared_` is the only lock.
class KeptEvidence final : public Preflight {
 public:
  KeptEvidence(const Settings& settings, Outside outside, const base::Clock& clock, base::LogSink& log)
      : clock_(clock),
        prober_(settings, std::move(outside), clock, log),
        walker_([this](const std::stop_token& stop) { WalkWhenAsked(stop); }) {}

  Checked Check(base::SteadyTime deadline) override;
  void Prove(const State& state) override;
  isolation::StatedTier Tier() const override;
  std::shared_ptr<const State> Last() const override { return shared_.Lock()->last; }

 private:
  struct Shared {
    std::uint64_t asked = 0;   // walks that callers have asked for
    std::uint64_t walked = 0;  // walks that have ended
    std::optional<Checked> outcome;
    std::shared_ptr<const State> last;
    std::optional<base::SteadyTime> fresh_until;
    std::shared_ptr<const State> proof;
    bool has_lapsed = false;  // the last walk failed elsewhere than at the proven images
  };

  void WalkWhenAsked(const std::stop_token& stop);
  // `proof` is what the walk was held to.
  void Keep(Walked walked, const std::shared_ptr<const State>& proof);

  const base::Clock& clock_;
  Prober prober_;  // the walker's alone
  mutable base::Guarded<Shared> shared_;
  std::condition_variable_any changed_;
  std::jthread walker_;  // last: it uses everything above
};

Checked KeptEvidence::Check(base::SteadyTime deadline) {
  auto shared = shared_.Lock();
  const base::SteadyTime now = clock_.Steady();
  const bool is_first = shared->asked == shared->walked;
  const auto fresh_for = shared->fresh_until.value_or(now) - now;
  if (fresh_for > base::SteadyTime::duration::zero()) {
    if (is_first && fresh_for <= kRenewBefore) {
      ++shared->asked;
      changed_.notify_all();
    }
    return shared->last;
  }
  if (is_first) {
    ++shared->asked;
    changed_.notify_all();
  }
  const std::uint64_t wanted = shared->asked;
  const base::SteadyTime until = is_first ? deadline : std::min(deadline, now + kWaitForAnother);
  const auto longest = std::min<base::SteadyTime::duration>(until - now, kLongestWait);
  const bool has_ended = changed_.wait_for(shared.lock(), longest, [&] { return shared->walked >= wanted; });
  if (has_ended) {
    const std::optional<Checked>& outcome = shared->outcome;
    PLIMSOLL_CHECK(outcome.has_value());
    return *outcome;
  }
  if (until == deadline) {
    return base::Refusal{base::Rule::kAtCapacity, "the check of the docker engine was not over in the caller's time"};
  }
  return base::Refusal{base::Rule::kUnavailable,
                       "the check of the docker engine is in progress and takes more than 2 s; ask again"};
}

void KeptEvidence::WalkWhenAsked(const std::stop_token& stop) {
  for (;;) {
    std::shared_ptr<const State> proof;
    {
      auto shared = shared_.Lock();
      if (!changed_.wait(shared.lock(), stop, [&] { return shared->asked > shared->walked; })) {
        return;
      }
      proof = shared->proof;
    }
    Keep(prober_.Walk(proof.get(), {.deadline = clock_.Steady() + kWalk, .stop = stop}), proof);
  }
}

void KeptEvidence::Keep(Walked walked, const std::shared_ptr<const State>& proof) {
  auto shared = shared_.Lock();
  if (proof != shared->proof) {
    return;  // a proof was set meanwhile: who waits gets the next walk, which is held to it (PRE-4)
  }
  shared->fresh_until.reset();  // PRE-5
  if (walked.result) {
    shared->last = *walked.result;
    shared->fresh_until = clock_.Steady() + kFresh;
    shared->has_lapsed = false;
  } else if (!walked.is_moved) {
    shared->has_lapsed = true;
  }
  shared->outcome = std::move(walked.result);
  shared->walked = shared->asked;
  changed_.notify_all();
}

void KeptEvidence::Prove(const State& state) {
  auto shared = shared_.Lock();
  shared->proof = std::make_shared<const State>(state);
  shared->last = shared->proof;
  // What is kept from before was not held to this proof (PRE-4).
  shared->fresh_until.reset();
}

isolation::StatedTier KeptEvidence::Tier() const {
  auto shared = shared_.Lock();
  if (shared->last == nullptr) {
    return std::nullopt;
  }
  return shared->has_lapsed ? std::min(isolation::Tier::kContainer, shared->last->tier) : shared->last->tier;
}

}  // namespace

std::unique_ptr<Preflight> CreatePreflight(const Settings& settings, Outside outside, const base::Clock& clock,
                                           base::LogSink& log) {
  return std::make_unique<KeptEvidence>(settings, std::move(outside), clock, log);
}

}  // namespace plimsoll::docker
