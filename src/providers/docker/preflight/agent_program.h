#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "providers/docker/preflight/host_files.h"

namespace plimsoll::docker {

// The program mounted into every sandbox as its first process (providers-local.md 7.6): a regular file of root or of
// the daemon's user that nobody else may write and everybody may read and execute (the engine may map users), on a file
// system that lets programs run. Not thread-safe.
class AgentProgram {
 public:
  AgentProgram(std::string path, std::uint32_t own_uid, LookAtHostFile look, ReadHostFile read);

  // The hex SHA-256 of its content, read again only when the file has changed. Refuses kNotProven.
  base::Result<std::string> Check();

 private:
  base::Status CheckStanding(const os::FileStanding& standing) const;

  const std::string path_;
  const std::uint32_t own_uid_;
  const LookAtHostFile look_;
  const ReadHostFile read_;
  std::string seen_;    // os::FileStanding::version of what was digested
  std::string digest_;  // empty: nothing was
};

}  // namespace plimsoll::docker
