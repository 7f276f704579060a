#include "clients/cpp/owner.h"

#include <array>

#include "base/hex.h"
#include "base/sha256.h"

namespace plimsoll::client {
namespace {

constexpr std::string_view kKeyDomain = "plimsoll session owner key v2\n";
constexpr std::string_view kDomain = "plimsoll session owner v2\n";

// HMAC-SHA256 (RFC 2104) under a key shorter than a block.
class Hmac {
 public:
  explicit Hmac(const base::Sha256::Digest& key) {
    inner_.Add(Pad(key, std::byte{0x36}));
    outer_.Add(Pad(key, std::byte{0x5c}));
  }

  void Add(std::string_view bytes) { inner_.Add(bytes); }

  base::Sha256::Digest Finish() {
    outer_.Add(inner_.Finish());
    return outer_.Finish();
  }

 private:
  static constexpr std::size_t kBlock = 64;

  static std::array<std::byte, kBlock> Pad(const base::Sha256::Digest& key, std::byte with) {
    std::array<std::byte, kBlock> block{};
    block.fill(with);
    for (std::size_t i = 0; i < key.size(); ++i) {
      block[i] ^= key[i];
    }
    return block;
  }

  base::Sha256 inner_;
  base::Sha256 outer_;
};

}  // namespace

std::string OwnerDigest(std::string_view token, std::string_view owner) {
  base::Sha256 key;
  key.Add(kKeyDomain);
  key.Add(token);
  Hmac hmac(key.Finish());
  hmac.Add(kDomain);
  hmac.Add(owner);
  return base::HexOf(hmac.Finish());
}

}  // namespace plimsoll::client
