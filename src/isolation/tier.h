#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"

namespace plimsoll::isolation {

// How strong the wall around a run is, weakest first. The order of the enumerators is the order of strength.
enum class Tier { kNone, kProcess, kContainer, kKernel, kVm };

// The tier a provider can vouch for at this moment; empty once its evidence has lapsed.
using StatedTier = std::optional<Tier>;

// The weakest tier a request accepts. An absent floor accepts any run that a provider serves.
class Floor {
 public:
  static Floor Absent() { return Floor(std::nullopt); }

  // A floor at exactly `tier`; kNone gives the absent floor.
  static Floor At(Tier tier);

  // The stronger of two floors; an absent floor is the weakest.
  static Floor Stronger(const Floor& a, const Floor& b);

  // Parses the wire text: empty, or exactly `process`, `container`, `kernel` or `vm` (ISO-3).
  // Refuses with kInvalidRequest; `none` is refused too, since nothing runs behind no wall.
  static base::Result<Floor> Parse(std::string_view text);

  // True when a wall of tier `stated` is strong enough. The one place where tiers are compared (ISO-1, ISO-2).
  bool MetBy(StatedTier stated) const;

  friend bool operator==(const Floor&, const Floor&) = default;

 private:
  explicit Floor(std::optional<Tier> weakest) : weakest_(weakest) {}
  std::optional<Tier> weakest_;

  friend std::optional<base::Refusal> RefuseBelow(const Floor& floor, StatedTier stated);
};

// The refusal a caller gets when its floor is not met, or nothing when it is. The text is part of the protocol: W4.
std::optional<base::Refusal> RefuseBelow(const Floor& floor, StatedTier stated);

// The name on the wire and on every answer: `none`, `process`, `container`, `kernel`, `vm`, or `unknown` when empty.
std::string_view Name(StatedTier tier);
// The tier of that name, exact case; nothing for any other word, `unknown` included.
StatedTier TierNamed(std::string_view name);

}  // namespace plimsoll::isolation
