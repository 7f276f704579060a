#include "clients/cpp/details.h"

#include <cstdint>

namespace plimsoll::client {
namespace {

// Walks the fields of one protobuf message. Only what a detail needs: four wire types, no groups.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }

  std::optional<std::uint64_t> Varint() {
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

  // Steps over a value of `wire_type`; false when there is no such value.
  bool Skip(std::uint64_t wire_type) {
    switch (wire_type) {
      case 0: return Varint().has_value();
      case 1: return Advance(8);
      case 2: {
        const auto length = Varint();
        return length && Advance(*length);
      }
      case 5: return Advance(4);
      default: return false;
    }
  }

 private:
  bool Advance(std::uint64_t bytes) {
    if (bytes > rest_.size()) {
      return false;
    }
    rest_.remove_prefix(bytes);
    return true;
  }

  std::string_view rest_;
};

constexpr std::uint64_t kVarintField1 = 1 << 3;
constexpr std::uint64_t kReasons = 7;

}  // namespace

std::optional<NotDispatched> DecodeNotDispatched(std::string_view bytes) {
  WireReader reader(bytes);
  std::uint64_t reason = 0;
  while (!reader.done()) {
    const auto tag = reader.Varint();
    if (!tag || *tag >> 3 == 0 || (*tag >> 3 == 1 && *tag != kVarintField1)) {
      return std::nullopt;
    }
    if (*tag == kVarintField1) {
      const auto value = reader.Varint();
      if (!value) {
        return std::nullopt;
      }
      reason = *value;
    } else if (!reader.Skip(*tag & 7)) {
      return std::nullopt;
    }
  }
  // The wire numbers the reasons from 1, in the order of the enumerators.
  return reason >= 1 && reason <= kReasons ? static_cast<NotDispatched>(reason - 1) : NotDispatched::kUnknown;
}

}  // namespace plimsoll::client
