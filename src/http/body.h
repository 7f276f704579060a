#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::http {

// A request body as it grows. Never holds more than `max` bytes, and sets memory aside only as bytes arrive: a declared
// length alone costs nothing (HTTP-4).
class BodyBuffer {
 public:
  BodyBuffer() = default;
  BodyBuffer(std::uint64_t max, std::optional<std::uint64_t> declared)
      : max_(max), expected_(std::min(declared.value_or(max), max)) {}

  enum class Fit { kFits, kTooLarge };
  // kTooLarge leaves the buffer as it was.
  Fit Append(std::string_view bytes) {
    const std::uint64_t size = bytes_.size() + bytes.size();
    if (bytes.size() > max_ || size > max_) {
      return Fit::kTooLarge;
    }
    if (size > bytes_.capacity()) {
      // Doubling, but never past what is expected to come. Into a new string, because reserve() rounds up an old one's.
      std::string grown;
      grown.reserve(static_cast<std::size_t>(std::max(size, std::min<std::uint64_t>(2 * size, expected_))));
      bytes_ = std::move(grown.append(bytes_));
    }
    bytes_.append(bytes);
    return Fit::kFits;
  }

  std::string Take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
  std::uint64_t max_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace plimsoll::http
