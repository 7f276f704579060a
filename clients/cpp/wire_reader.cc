#include "clients/cpp/wire_reader.h"

#include <limits>

#include "base/utf8.h"

namespace plimsoll::client {

std::optional<WireField> WireReader::Next() {
  const auto tag = Varint();
  if (!tag || *tag >> 3 == 0) {
    return std::nullopt;
  }
  WireField field{.number = *tag >> 3};
  switch (*tag & 7) {
    case 0: {
      const auto value = Varint();
      field.varint = value.value_or(0);
      return value ? std::optional(field) : std::nullopt;
    }
    case 2: {
      const auto length = Varint();
      const auto bytes = length ? Take(*length) : std::nullopt;
      field.type = WireField::Type::kBytes;
      field.bytes = bytes.value_or(std::string_view());
      return bytes ? std::optional(field) : std::nullopt;
    }
    case 1:
    case 5:
      field.type = WireField::Type::kFixed;
      return Take((*tag & 7) == 1 ? 8 : 4) ? std::optional(field) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> WireReader::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (rest_.empty()) {
      return std::nullopt;
    }
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) {
      return std::nullopt;
    }
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> WireReader::Take(std::uint64_t bytes) {
  if (bytes > rest_.size()) {
    return std::nullopt;
  }
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

bool Set(const WireField& field, std::string& out) {
  if (field.type != WireField::Type::kBytes || !base::IsUtf8(field.bytes)) {
    return false;
  }
  out = field.bytes;
  return true;
}

bool Set(const WireField& field, std::int64_t& out) {
  out = static_cast<std::int64_t>(field.varint);  // two's complement, as the wire has it
  return field.type == WireField::Type::kVarint;
}

bool Set(const WireField& field, std::uint64_t& out) {
  out = field.varint;
  return field.type == WireField::Type::kVarint;
}

bool Set(const WireField& field, std::uint32_t& out) {
  out = static_cast<std::uint32_t>(field.varint);
  return field.type == WireField::Type::kVarint && field.varint <= std::numeric_limits<std::uint32_t>::max();
}

bool Set(const WireField& field, bool& out) {
  out = field.varint != 0;
  return field.type == WireField::Type::kVarint;
}

}  // namespace plimsoll::client
