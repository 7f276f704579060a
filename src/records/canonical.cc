#include "records/canonical.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "base/hex.h"

namespace plimsoll::records {
namespace {

constexpr std::size_t kWord = 8;

void PutBigEndian(std::uint64_t value, std::span<std::byte, kWord> out) {
  for (std::size_t i = 0; i < kWord; ++i) {
    out[i] = static_cast<std::byte>(value >> (56 - 8 * i) & 0xff);
  }
}

// The decimal text of a 64-bit integer, sign included.
class Decimal {
 public:
  explicit Decimal(std::integral auto value) {
    const char* end = std::to_chars(text_.data(), text_.data() + text_.size(), value).ptr;
    size_ = static_cast<std::size_t>(end - text_.data());
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_{};
  std::size_t size_ = 0;
};

}  // namespace

void Canonical::Bytes(std::string_view name, std::string_view content) {
  Value(name);
  Value(content);
}

void Canonical::Boolean(std::string_view name, bool value) { Bytes(name, value ? "true" : "false"); }

void Canonical::Floats(std::string_view name, std::span<const double> values) {
  Value(name);
  Length(values.size() * kWord);
  // A block at a time, so that a table of a million numbers is not hashed eight bytes a call.
  std::array<std::byte, 64 * kWord> block{};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), block.size() / kWord);
    for (std::size_t i = 0; i < count; ++i) {
      PutBigEndian(std::bit_cast<std::uint64_t>(values[i]), std::span<std::byte, kWord>(&block[i * kWord], kWord));
    }
    hash_.Add(std::span(block).first(count * kWord));
    values = values.subspan(count);
  }
}

std::string Canonical::Finish() { return base::HexOf(hash_.Finish()); }

void Canonical::Value(std::string_view bytes) {
  Length(bytes.size());
  hash_.Add(bytes);
}

void Canonical::Length(std::uint64_t bytes) {
  std::array<std::byte, kWord> word{};
  PutBigEndian(bytes, word);
  hash_.Add(word);
}

void Canonical::Signed(std::string_view name, std::int64_t value) { Bytes(name, Decimal(value).text()); }

void Canonical::Unsigned(std::string_view name, std::uint64_t value) { Bytes(name, Decimal(value).text()); }

}  // namespace plimsoll::records
