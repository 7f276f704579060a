#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::base {

// SHA-256 over bytes given piece by piece. Not thread-safe; one object hashes one message.
class Sha256 {
 public:
  static constexpr std::size_t kSize = 32;
  using Digest = std::array<std::byte, kSize>;

  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::span<const std::byte> bytes);
  void Add(std::string_view bytes);
  // Ends the message. Call once.
  Digest Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// The lowercase hex digest of `bytes`.
std::string Sha256Hex(std::string_view bytes);

}  // namespace plimsoll::base
