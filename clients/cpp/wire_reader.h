#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// Puts the value of a field into a member of the message; false when it is of another type, out of range, or a text
// that is not UTF-8.
bool Set(const WireField& field, std::string& out);
bool Set(const WireField& field, std::int64_t& out);
bool Set(const WireField& field, std::uint64_t& out);
bool Set(const WireField& field, std::uint32_t& out);
bool Set(const WireField& field, bool& out);

}  // namespace plimsoll::client
