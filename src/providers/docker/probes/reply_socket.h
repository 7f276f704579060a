#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/random.h"
#include "base/result.h"
#include "os/private_dir.h"
#include "os/unique_fd.h"
#include "os/wait.h"

namespace plimsoll::docker {

// A throwaway socket of the host that answers the question of a trial (kSocketQuestion) with kSocketReply and anything
// else with nothing. Its folder is private to the daemon and the engine; whoever gets the socket mounted may connect.
class ReplySocket {
 public:
  // Makes the folder below `root`. Fault where it cannot.
  static base::Result<std::unique_ptr<ReplySocket>> Open(const std::string& root, base::Random& random);
  // Stops answering; the folder goes with it.
  ~ReplySocket();
  ReplySocket(const ReplySocket&) = delete;
  ReplySocket& operator=(const ReplySocket&) = delete;

  std::string path() const;

 private:
  ReplySocket(std::unique_ptr<os::PrivateDir> folder, os::UniqueFd listener, os::Flag stop);
  void Serve();

  std::unique_ptr<os::PrivateDir> folder_;
  os::UniqueFd listener_;
  os::Flag stop_;
  std::jthread server_;  // last: it uses everything above
};

}  // namespace plimsoll::docker
