#include "isolation/tier.h"

#include <array>
#include <string>
#include <utility>

namespace plimsoll::isolation {
namespace {

constexpr std::array<std::pair<std::string_view, Tier>, 4> kFloorNames = {{
    {"process", Tier::kProcess},
    {"container", Tier::kContainer},
    {"kernel", Tier::kKernel},
    {"vm", Tier::kVm},
}};

}  // namespace

Floor Floor::At(Tier tier) { return tier == Tier::kNone ? Absent() : Floor(tier); }

Floor Floor::Stronger(const Floor& a, const Floor& b) {
  if (!a.weakest_ || !b.weakest_) {
    return a.weakest_ ? a : b;
  }
  return *a.weakest_ < *b.weakest_ ? b : a;
}

base::Result<Floor> Floor::Parse(std::string_view text) {
  if (text.empty()) {
    return Absent();
  }
  for (const auto& [name, tier] : kFloorNames) {
    if (text == name) {
      return Floor(tier);
    }
  }
  return base::Refusal{base::Rule::kInvalidRequest,
                       "minimum_isolation must be empty, process, container, kernel or vm"};
}

bool Floor::MetBy(StatedTier stated) const {
  if (!weakest_) {
    return true;
  }
  return stated && *stated >= *weakest_;
}

std::optional<base::Refusal> RefuseBelow(const Floor& floor, StatedTier stated) {
  if (floor.MetBy(stated)) {
    return std::nullopt;
  }
  std::string message = "sandbox isolation requirement not met: provider isolation ";
  message += Name(stated);
  message += " is below requested minimum ";
  message += Name(floor.weakest_);
  return base::Refusal{base::Rule::kInsufficientIsolation, std::move(message)};
}

std::string_view Name(StatedTier tier) {
  if (!tier) {
    return "unknown";
  }
  switch (*tier) {
    case Tier::kNone: return "none";
    case Tier::kProcess: return "process";
    case Tier::kContainer: return "container";
    case Tier::kKernel: return "kernel";
    case Tier::kVm: return "vm";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

StatedTier TierNamed(std::string_view name) {
  for (const Tier tier : {Tier::kNone, Tier::kProcess, Tier::kContainer, Tier::kKernel, Tier::kVm}) {
    if (name == Name(tier)) {
      return tier;
    }
  }
  return std::nullopt;
}

}  // namespace plimsoll::isolation
