#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "base/hex.h"

namespace plimsoll::base {

struct Sha256::Context {
  Context() : handle(EVP_MD_CTX_new()) {}
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  EVP_MD_CTX* handle;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  PLIMSOLL_CHECK(context_->handle != nullptr);
  PLIMSOLL_CHECK(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Add(std::span<const std::byte> bytes) {
  PLIMSOLL_CHECK(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()) == 1);
}

void Sha256::Add(std::string_view bytes) { Add(std::as_bytes(std::span(bytes))); }

Sha256::Digest Sha256::Finish() {
  std::array<unsigned char, kSize> raw{};
  unsigned int size = 0;
  PLIMSOLL_CHECK(EVP_DigestFinal_ex(context_->handle, raw.data(), &size) == 1 && size == kSize);
  Digest digest{};
  for (std::size_t i = 0; i < kSize; ++i) {
    digest[i] = std::byte{raw[i]};
  }
  return digest;
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 hash;
  hash.Add(bytes);
  return HexOf(hash.Finish());
}

}  // namespace plimsoll::base
