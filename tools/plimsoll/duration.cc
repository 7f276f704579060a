#include "tools/plimsoll/duration.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace plimsoll::tool {
namespace {

struct Unit {
  std::string_view name;
  std::chrono::milliseconds length;
};

constexpr std::array<Unit, 4> kUnits = {{{"h", std::chrono::hours(1)},
                                         {"m", std::chrono::minutes(1)},
                                         {"s", std::chrono::seconds(1)},
                                         {"ms", std::chrono::milliseconds(1)}}};
constexpr std::chrono::milliseconds kMost = std::chrono::hours(24);

std::string_view TakeLetters(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') {
    ++end;
  }
  const std::string_view letters = text.substr(0, end);
  text.remove_prefix(end);
  return letters;
}

}  // namespace

std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  std::chrono::milliseconds total{0};
  std::size_t next_unit = 0;
  if (text.empty()) {
    return std::nullopt;
  }
  while (!text.empty()) {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view name = TakeLetters(text);
    while (next_unit < kUnits.size() && kUnits[next_unit].name != name) {
      ++next_unit;
    }
    if (next_unit == kUnits.size()) {
      return std::nullopt;
    }
    total += count * kUnits[next_unit++].length;
    if (total > kMost) {
      return std::nullopt;
    }
  }
  return total;
}

}  // namespace plimsoll::tool
