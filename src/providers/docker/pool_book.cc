#include "providers/docker/pool_book.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace plimsoll::docker {
namespace {

// Roles whose sandboxes may wait.
constexpr std::array<Role, 2> kPooled = {Role::kSnippet, Role::kProject};

bool SameImage(const VerifiedImage& a, const VerifiedImage& b) {
  return a.id == b.id && a.environment == b.environment && a.identity == b.identity &&
         a.software_identity == b.software_identity;
}

}  // namespace

bool SameGround(const State& a, const State& b, Role role) {
  const auto image_a = a.images.find(role);
  const auto image_b = b.images.find(role);
  return image_a != a.images.end() && image_b != b.images.end() && SameImage(image_a->second, image_b->second) &&
         a.engine == b.engine && a.tier == b.tier && a.runtime == b.runtime && a.runtime_version == b.runtime_version &&
         a.platform == b.platform && a.seccomp == b.seccomp && a.agent_sha256 == b.agent_sha256 &&
         a.work_mb == b.work_mb;
}

void PoolBook::SetGround(std::shared_ptr<const State> state) {
  ground_ = std::move(state);
  for (auto member = waiting_.begin(); member != waiting_.end();) {
    const bool stale = ground_ == nullptr || !SameGround(*member->sandbox->state(), *ground_, member->sandbox->role());
    if (stale) {
      leaving_.push_back(std::move(member->sandbox));
      member = waiting_.erase(member);
    } else {
      ++member;
    }
  }
}

void PoolBook::Leave(const std::deque<Member>::iterator& member) {
  leaving_.push_back(std::move(member->sandbox));
  waiting_.erase(member);
}

std::unique_ptr<Sandbox> PoolBook::Claim(Role role, const State& state) {
  Remember(role);
  auto claimed = ClaimNext(role, state);
  if (claimed == nullptr) {
    Rebalance(role);
  }
  return claimed;
}

std::unique_ptr<Sandbox> PoolBook::ClaimNext(Role role, const State& state) {
  const auto member = std::ranges::find_if(waiting_, [&](const Member& one) {
    return one.sandbox->role() == role && SameGround(*one.sandbox->state(), state, role);
  });
  if (member == waiting_.end()) {
    return nullptr;
  }
  auto sandbox = std::move(member->sandbox);
  waiting_.erase(member);
  return sandbox;
}

bool PoolBook::TakeShare() {
  if (!has_share()) {
    return false;
  }
  ++taken_;
  return true;
}

bool PoolBook::Evict() {
  if (waiting_.empty()) {
    return false;
  }
  const auto targets = Targets();
  const auto surplus = [&](Role role) {
    const auto target = targets.find(role);
    return static_cast<std::ptrdiff_t>(Waiting(role)) -
           static_cast<std::ptrdiff_t>(target == targets.end() ? 0 : target->second);
  };
  // The oldest of the role that has most to spare.
  Leave(std::ranges::max_element(waiting_, {}, [&](const Member& one) { return surplus(one.sandbox->role()); }));
  return true;
}

void PoolBook::GiveShare() {
  PLIMSOLL_CHECK(taken_ > 0);
  --taken_;
}

std::optional<Role> PoolBook::Wanted() const {
  if (ground_ == nullptr || waiting_.size() + filling() >= options_.members || !has_share()) {
    return std::nullopt;
  }
  std::optional<Role> wanted;
  std::size_t most = 0;
  for (const auto& [role, target] : Targets()) {
    const auto being_made = filling_.find(role);
    const std::size_t have = Waiting(role) + (being_made == filling_.end() ? 0 : being_made->second);
    if (target > have && target - have > most) {
      most = target - have;
      wanted = role;
    }
  }
  return wanted;
}

void PoolBook::BeginFill(Role role) {
  PLIMSOLL_CHECK(TakeShare());
  ++filling_[role];
}

void PoolBook::EndFill(Role role, std::unique_ptr<Sandbox> made, base::SteadyTime now) {
  PLIMSOLL_CHECK(filling_[role] > 0);
  --filling_[role];
  if (made == nullptr) {
    return;
  }
  if (ground_ == nullptr || !SameGround(*made->state(), *ground_, role)) {
    leaving_.push_back(std::move(made));  // the ground changed while it was being made
    return;
  }
  waiting_.push_back({.sandbox = std::move(made), .since = now});
}

void PoolBook::Retire(base::SteadyTime now) {
  while (!waiting_.empty() && now - waiting_.front().since >= options_.longest_wait) {
    Leave(waiting_.begin());
  }
}

std::optional<base::SteadyTime> PoolBook::NextRetirement() const {
  if (waiting_.empty()) {
    return std::nullopt;
  }
  return waiting_.front().since + options_.longest_wait;
}

std::size_t PoolBook::Waiting(Role role) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(waiting_, [&](const Member& one) { return one.sandbox->role() == role; }));
}

std::size_t PoolBook::filling() const {
  std::size_t count = 0;
  for (const auto& [role, making] : filling_) {
    count += making;
  }
  return count;
}

void PoolBook::Remember(Role role) {
  asked_.push_back(role);
  if (asked_.size() > kRemembered) {
    asked_.pop_front();
  }
}

std::size_t PoolBook::Demand(Role role) const { return static_cast<std::size_t>(std::ranges::count(asked_, role)); }

// A run found nobody waiting. Where the places are all taken by others than those that are asked for, one of them goes.
void PoolBook::Rebalance(Role missed) {
  const auto targets = Targets();
  const auto target = targets.find(missed);
  if (target == targets.end() || Waiting(missed) >= target->second || waiting_.size() < options_.members) {
    return;
  }
  const auto spare = std::ranges::find_if(waiting_, [&](const Member& one) {
    const auto of_role = targets.find(one.sandbox->role());
    return of_role == targets.end() || Waiting(one.sandbox->role()) > of_role->second;
  });
  if (spare != waiting_.end()) {
    Leave(spare);
  }
}

std::map<Role, std::size_t> PoolBook::Targets() const {
  std::map<Role, std::size_t> targets;
  if (ground_ == nullptr || options_.members == 0) {
    return targets;
  }
  std::vector<Role> roles;
  std::ranges::copy_if(kPooled, std::back_inserter(roles), [&](Role role) { return ground_->images.contains(role); });
  std::size_t left = options_.members;
  if (left >= roles.size()) {
    for (const Role role : roles) {
      targets[role] = 1;
    }
    left -= roles.size();
  }
  std::size_t asked = 0;
  for (const Role role : roles) {
    asked += Demand(role);
  }
  // Whole parts by demand, what remains to those asked for most; before anyone has asked, to the first role.
  const std::size_t rest = left;
  for (const Role role : roles) {
    const std::size_t part = asked == 0 ? 0 : rest * Demand(role) / asked;
    targets[role] += part;
    left -= part;
  }
  std::ranges::sort(roles, [&](Role a, Role b) { return Demand(a) != Demand(b) ? Demand(a) > Demand(b) : a < b; });
  for (std::size_t i = 0; left > 0 && !roles.empty(); ++i, --left) {
    ++targets[roles[asked == 0 ? 0 : i % roles.size()]];
  }
  return targets;
}

}  // namespace plimsoll::docker
