#include "guest/agent/sweep.h"

#include <chrono>

#include "guest/agent/disk.h"

namespace plimsoll::guest {

namespace agent = frames::agent;
using Verdict = agent::Swept::Verdict;

namespace {

constexpr int kMostRounds = 50;
constexpr std::chrono::milliseconds kBetweenRounds{20};
constexpr std::chrono::seconds kLongestSweep{20};

}  // namespace

Sweep::Sweep(const agent::SweepOrder& order, Tree& tree, base::SteadyTime now)
    : order_(order), tree_(tree), give_up_(now + kLongestSweep), next_(now) {}

std::optional<agent::Swept> Sweep::Advance(base::SteadyTime now) {
  if (now < next_) {
    return std::nullopt;
  }
  if (IsClean()) {
    return Measure();
  }
  next_ = now + kBetweenRounds;
  if (++rounds_ == kMostRounds || now >= give_up_) {
    return agent::Swept{.verdict = Verdict::kUnproven};
  }
  return std::nullopt;
}

bool Sweep::IsClean() {
  if (tree_.KillRound() == Tree::Left::kSome) {
    return false;
  }
  // Outside a namespace of its own only its descendants are the agent's to speak of.
  if (!tree_.is_first() || others_.Look() == Others::Found::kNothing) {
    return true;
  }
  tree_.Kill();
  return false;
}

// Last, so that files whose holders are gone do not count.
agent::Swept Sweep::Measure() const {
  if (order_.disk_budget == 0) {
    return {.verdict = Verdict::kClean};
  }
  const auto used = UsedBytes(kWritablePlaces);
  if (!used) {
    return {.verdict = Verdict::kUnmeasurable};
  }
  return {.verdict = *used > order_.disk_budget ? Verdict::kOverBudget : Verdict::kClean, .used = *used};
}

}  // namespace plimsoll::guest
