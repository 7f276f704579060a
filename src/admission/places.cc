#include "admission/places.h"

#include "base/check.h"

namespace plimsoll::admission {
namespace {

template <typename Map, typename Key>
int CountOf(const Map& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

// An entry that counts nothing is forgotten.
template <typename Map, typename Key>
void CountDown(Map& counts, const Key& key) {
  const auto found = counts.find(key);
  PLIMSOLL_CHECK(found != counts.end() && found->second > 0);
  if (--found->second == 0) {
    counts.erase(found);
  }
}

bool IsFull(int cap, int held) { return cap > 0 && held >= cap; }

}  // namespace

std::optional<Places::Cap> Places::FullFor(std::string_view principal, std::string_view owner) const {
  if (!owner.empty() && IsFull(caps_.per_owner, CountOf(owners_, Owner(principal, owner)))) {
    return Cap::kOwner;
  }
  if (held_ >= caps_.max) {
    return Cap::kDaemon;
  }
  if (IsFull(caps_.per_caller, CountOf(callers_, principal))) {
    return Cap::kCaller;
  }
  return std::nullopt;
}

base::Refusal Places::Refuse(Cap cap) const {
  std::string message = "capacity: all ";
  switch (cap) {
    case Cap::kOwner:
      message +=
          std::to_string(caps_.per_owner) + " sessions of this owner are open, and none that could be closed is idle";
      break;
    case Cap::kDaemon: message += std::to_string(caps_.max) + " sessions of this daemon are open"; break;
    case Cap::kCaller: message += std::to_string(caps_.per_caller) + " sessions of this caller are open"; break;
  }
  return {base::Rule::kAtCapacity, std::move(message)};
}

void Places::Take(std::string_view principal, std::string_view owner) {
  ++held_;
  ++callers_[std::string(principal)];
  if (!owner.empty()) {
    ++owners_[Owner(principal, owner)];
  }
}

void Places::Give(std::string_view principal) {
  PLIMSOLL_CHECK(held_ > 0);
  --held_;
  CountDown(callers_, principal);
}

void Places::GiveOwners(std::string_view principal, std::string_view owner) {
  if (!owner.empty()) {
    CountDown(owners_, Owner(principal, owner));
  }
}

}  // namespace plimsoll::admission
