#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_standing.h"
#include "providers/docker/preflight/file_digest.h"

namespace plimsoll::docker {

// The program mounted into every sandbox as its first process (providers-local.md 7.6): a regular file of root or of
// the daemon's user that nobody else may write and everybody may read and execute (the engine may map users), on a file
// system that lets programs run. Not thread-safe.
class AgentProgram {
 public:
  AgentProgram(std::string path, std::uint32_t own_uid, LookAtFile look, DigestFile digest);

  // The hex SHA-256 of its content, read again only when the file has changed. Refuses kNotProven.
  base::Result<std::string> Check();

 private:
  base::Refusal CannotUse(std::string_view cause) const;
  base::Status CheckStanding(const os::FileStanding& standing) const;

  const std::string path_;
  const std::uint32_t own_uid_;
  const LookAtFile look_;
  FileDigest digest_;
};

}  // namespace plimsoll::docker
