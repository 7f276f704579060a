#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace plimsoll::records {

// The one encoding under every digest (records.md 1): a domain, then named fields in the order given, each as a
// length-prefixed name and a length-prefixed content. Bytes go straight into the hash: no content is copied and nothing
// is held. Not thread-safe; one object makes one digest.
class Canonical {
 public:
  explicit Canonical(std::string_view domain) { Value(domain); }

  // The UTF-8 bytes of a text field, or the raw bytes of a bytes field, unchanged.
  void Bytes(std::string_view name, std::string_view content);
  // Decimal ASCII, `-` in front when negative.
  void Integer(std::string_view name, std::signed_integral auto value) { Signed(name, value); }
  void Integer(std::string_view name, std::unsigned_integral auto value) { Unsigned(name, value); }
  void Integer(std::string_view name, bool value) = delete;
  // `true` or `false`.
  void Boolean(std::string_view name, bool value);
  // The binary64 bits of each number, big-endian, joined without gaps.
  void Floats(std::string_view name, std::span<const double> values);
  // Heads a repeated group: the fields of each element follow.
  void Count(std::string_view name, std::size_t elements) { Unsigned(name, elements); }

  // Ends the message: the lowercase hex digest. Call once.
  std::string Finish();

 private:
  void Value(std::string_view bytes);
  void Length(std::uint64_t bytes);
  void Signed(std::string_view name, std::int64_t value);
  void Unsigned(std::string_view name, std::uint64_t value);

  base::Sha256 hash_;
};

}  // namespace plimsoll::records
