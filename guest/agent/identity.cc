#include "guest/agent/identity.h"

#include <fcntl.h>
#include <sodium/crypto_hash_sha256.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/hex.h"
#include "os/errno_fault.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {
namespace {

base::Result<std::string> OwnDigest() {
  const os::UniqueFd program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!program.is_open()) {
    return os::ErrnoFault("open the agent's own program", errno);
  }
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::array<unsigned char, 65536> bytes;
  ssize_t count = 0;
  while ((count = ::read(program.get(), bytes.data(), bytes.size())) > 0) {
    crypto_hash_sha256_update(&state, bytes.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) {
    return os::ErrnoFault("read the agent's own program", errno);
  }
  std::array<std::byte, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256_final(&state, reinterpret_cast<unsigned char*>(digest.data()));
  return base::HexOf(digest);
}

}  // namespace

base::Result<frames::agent::Ready> Identity() {
  auto digest = OwnDigest();
  if (!digest) {
    return digest.error();
  }
  return frames::agent::Ready{
      .version = PLIMSOLL_VERSION, .sha256 = std::move(digest).value(), .pid = ::getpid(), .uid = ::getuid()};
}

}  // namespace plimsoll::guest
