#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace plimsoll::frames {

template <typename Unsigned>
void AppendBigEndian(Unsigned value, std::string& out) {
  static_assert(std::is_unsigned_v<Unsigned>);
  for (std::size_t i = sizeof(Unsigned); i-- > 0;) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
  }
}

// Precondition: `bytes` holds at least sizeof(Unsigned) bytes.
template <typename Unsigned>
Unsigned ReadBigEndian(std::string_view bytes) {
  static_assert(std::is_unsigned_v<Unsigned>);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
  }
  return static_cast<Unsigned>(value);
}

// Reads and takes away the first sizeof(Unsigned) bytes. Precondition: they are there.
template <typename Unsigned>
Unsigned TakeBigEndian(std::string_view& bytes) {
  const auto value = ReadBigEndian<Unsigned>(bytes);
  bytes.remove_prefix(sizeof(Unsigned));
  return value;
}

}  // namespace plimsoll::frames
