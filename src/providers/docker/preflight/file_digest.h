#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/file_standing.h"

namespace plimsoll::docker {

// os::StandingOf, or a test's own.
using LookAtFile = std::function<base::Result<std::optional<os::FileStanding>>(const std::string& path)>;
// The hex SHA-256 of a regular file of any size; Fault when it cannot be read.
using DigestFile = std::function<base::Result<std::string>(const std::string& path)>;

// DigestFile of a real file, in pieces.
base::Result<std::string> DigestOf(const std::string& path);

// Keeps the digest of one file until its standing says that it has changed. Not thread-safe.
class FileDigest {
 public:
  explicit FileDigest(DigestFile digest) : digest_(std::move(digest)) {}

  base::Result<std::string> Of(const std::string& path, const os::FileStanding& standing);

 private:
  const DigestFile digest_;
  std::string seen_;  // path and version of what was digested; empty: nothing was
  std::string hex_;
};

}  // namespace plimsoll::docker
