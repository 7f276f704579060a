#include "providers/wasm/idle_shelf.h"

#include <algorithm>
#include <utility>

namespace plimsoll::wasm {

void IdleShelf::PutFresh(std::uint64_t worker) {
  workers_.push_back({.worker = worker, .principal = std::nullopt});
  ++fresh_;
}

void IdleShelf::PutUsed(std::uint64_t worker, std::string principal) {
  workers_.push_back({.worker = worker, .principal = std::move(principal)});
}

std::optional<std::uint64_t> IdleShelf::Take(std::string_view principal) {
  std::optional<std::size_t> fresh;
  for (std::size_t i = workers_.size(); i-- > 0;) {
    const auto& owner = workers_[i].principal;
    if (owner && *owner == principal) {
      return TakeAt(i);
    }
    if (!owner && !fresh) {
      fresh = i;
    }
  }
  return fresh ? std::optional(TakeAt(*fresh)) : std::nullopt;
}

void IdleShelf::Remove(std::uint64_t worker) {
  const auto found =
      std::find_if(workers_.begin(), workers_.end(), [worker](const Entry& entry) { return entry.worker == worker; });
  if (found != workers_.end()) {
    TakeAt(static_cast<std::size_t>(found - workers_.begin()));
  }
}

std::optional<std::uint64_t> IdleShelf::TakeAny() {
  return workers_.empty() ? std::nullopt : std::optional(TakeAt(workers_.size() - 1));
}

std::optional<std::uint64_t> IdleShelf::TakeOverflow() {
  if (workers_.size() <= limit_) {
    return std::nullopt;
  }
  const auto used =
      std::find_if(workers_.begin(), workers_.end(), [](const Entry& entry) { return entry.principal.has_value(); });
  return TakeAt(used == workers_.end() ? 0 : static_cast<std::size_t>(used - workers_.begin()));
}

std::uint64_t IdleShelf::TakeAt(std::size_t index) {
  const auto entry = workers_.begin() + static_cast<std::ptrdiff_t>(index);
  const std::uint64_t worker = entry->worker;
  fresh_ -= entry->principal ? 0U : 1U;
  workers_.erase(entry);
  return worker;
}

}  // namespace plimsoll::wasm
