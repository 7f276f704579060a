#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "os/unique_fd.h"

namespace plimsoll::os {

// A fresh directory that only this user can enter, removed with what is in it when it is let go. A socket named
// `.owner` listens in it as long as this process lives: the kernel closes it with the process, whatever ends that, so
// that others can tell a directory in use from one left behind (RemoveAbandoned). Thread-safe but for Remove.
class PrivateDir {
 public:
  // Makes `root`/`prefix`<32 hex digits> with mode 0700. The root must exist, belong to root or to this user, and be
  // sticky when others can write to it: else somebody could put another directory in this one's place.
  static base::Result<std::unique_ptr<PrivateDir>> Make(const std::string& root, std::string_view prefix,
                                                        base::Random& random);
  ~PrivateDir();
  PrivateDir(const PrivateDir&) = delete;
  PrivateDir& operator=(const PrivateDir&) = delete;

  const std::string& path() const { return path_; }

  // Makes the file `name` with this content and these permissions; Fault when it exists.
  base::Status WriteFile(const std::string& name, std::string_view content, unsigned mode);
  // A socket that listens under `name` (os/unix_listener.h).
  base::Result<UniqueFd> Listen(const std::string& name, unsigned mode);

  // Removes it now; later calls do nothing. Its sockets stop listening before it is gone.
  base::Status Remove();

 private:
  PrivateDir(UniqueFd root, UniqueFd directory, std::string root_path, std::string name);

  UniqueFd root_;
  UniqueFd directory_;
  UniqueFd owner_;  // listens
  const std::string name_;
  const std::string path_;
};

// Removes the private directories of this user under `root` whose process is gone: their name is `prefix` and 32 hex
// digits, they were last changed before `before`, and whatever socket is in them refuses a connection; with no socket
// at all they were left while being made or removed. A directory that is anything else stays: not of that form, of
// another user, open to others, a link, holding a directory, or with a socket that does not plainly refuse. The number
// removed. Fault when the root cannot be read.
base::Result<std::size_t> RemoveAbandoned(const std::string& root, std::string_view prefix, base::WallTime before);

}  // namespace plimsoll::os
