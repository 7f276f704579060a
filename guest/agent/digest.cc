#include "guest/agent/digest.h"

#include <sodium/crypto_hash_sha256.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/hex.h"
#include "guest/agent/sha_blocks_unsafe.h"

namespace plimsoll::guest {
namespace {

constexpr std::size_t kBlock = 64;

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

// The last bytes of a message, the mark of its end and its length, filled up to whole blocks.
std::span<const unsigned char> Tail(std::span<unsigned char> last, std::size_t used, std::uint64_t total) {
  const std::size_t size = used + 1 + 8 <= kBlock ? kBlock : 2 * kBlock;
  last[used] = 0x80;
  for (std::size_t i = 0; i < 8; ++i) {
    last[size - 1 - i] = static_cast<unsigned char>((total * 8) >> (8 * i));
  }
  return last.first(size);
}

std::string HexOfState(const ShaState& state) {
  std::array<std::byte, 32> digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::byte>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return base::HexOf(digest);
}

std::string FastSha256OfDescriptor(int fd) {
  ShaState state = kShaStart;
  std::array<unsigned char, 65536> space;
  std::uint64_t total = 0;
  while (true) {
    const auto count = ReadFull(fd, space);
    if (!count) {
      return {};
    }
    total += *count;
    const std::size_t whole = *count - *count % kBlock;
    AddBlocks(state, std::span(space).first(whole));
    if (*count < space.size()) {
      std::array<unsigned char, 2 * kBlock> last = {};
      std::copy(space.begin() + static_cast<std::ptrdiff_t>(whole), space.begin() + static_cast<std::ptrdiff_t>(*count),
                last.begin());
      AddBlocks(state, Tail(last, *count - whole, total));
      return HexOfState(state);
    }
  }
}

}  // namespace

std::string Sha256OfDescriptor(int fd) {
  return HasShaInstructions() ? FastSha256OfDescriptor(fd) : PortableSha256OfDescriptor(fd);
}

std::string PortableSha256OfDescriptor(int fd) {
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
