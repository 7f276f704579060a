#include "guest/agent/digest.h"

#include <sodium/crypto_hash_sha256.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>

#include "base/hex.h"

namespace plimsoll::guest {
namespace {

// Fills `space` as far as there is something to read. Nothing on an error.
std::optional<std::size_t> ReadFull(int fd, std::span<unsigned char> space) {
  std::size_t have = 0;
  while (have < space.size()) {
    const ssize_t count = ::read(fd, space.data() + have, space.size() - have);
    if (count == 0) {
      break;
    }
    if (count < 0 && errno != EINTR) {
      return std::nullopt;
    }
    have += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  return have;
}

}  // namespace

std::string Sha256OfDescriptor(int fd) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::array<unsigned char, 65536> space;
  while (true) {
    const auto count = ReadFull(fd, space);
    if (!count) {
      return {};
    }
    crypto_hash_sha256_update(&state, space.data(), *count);
    if (*count < space.size()) {
      break;
    }
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256_final(&state, digest.data());
  return base::HexOf(std::as_bytes(std::span(digest)));
}

}  // namespace plimsoll::guest
