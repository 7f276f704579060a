#include "providers/docker/preflight/file_digest.h"

#include <array>
#include <cstddef>
#include <fstream>
#include <string_view>

#include "base/hex.h"
#include "base/sha256.h"

namespace plimsoll::docker {

base::Result<std::string> DigestOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  base::Sha256 hash;
  std::array<char, 65536> piece;
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    hash.Add(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) {
    return base::Fault{base::FaultKind::kInternal, "read " + path};
  }
  return base::HexOf(hash.Finish());
}

base::Result<std::string> FileDigest::Of(const std::string& path, const os::FileStanding& standing) {
  const std::string now = path + " " + standing.version;
  if (seen_ != now) {
    auto hex = digest_(path);
    if (!hex) {
      return hex;
    }
    hex_ = std::move(hex).value();
    seen_ = now;
  }
  return hex_;
}

}  // namespace plimsoll::docker
