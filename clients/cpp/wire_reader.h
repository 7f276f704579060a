#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::client {

// One field of a protobuf message as it stands in its bytes.
struct WireField {
  std::uint64_t number = 0;
  enum class Type { kVarint, kBytes, kFixed } type = Type::kVarint;
  std::uint64_t varint = 0;     // kVarint
  std::string_view bytes = {};  // kBytes; lives as long as the message
};

// Walks the fields of one protobuf message. Hostile bytes are the rule: no length is believed, there are no groups, and
// nothing is allocated.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  // The next field; nothing when what follows is no field, and then nothing more can be read.
  std::optional<WireField> Next();

 private:
  std::optional<std::uint64_t> Varint();
  std::optional<std::string_view> Take(std::uint64_t bytes);

  std::string_view rest_;
};

}  // namespace plimsoll::client
