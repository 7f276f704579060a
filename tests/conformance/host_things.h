#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/child.h"
#include "os/unique_fd.h"
#include "testkit/conformance.h"
#include "testkit/temp_folder.h"

namespace plimsoll::conformance {

// The host's things that no guest may reach, for as long as the object lives: a file with a secret, an empty folder
// that anyone may write to, a variable of this process, a sleeping child, and a listening port on loopback.
class HostThings {
 public:
  HostThings();
  HostThings(const HostThings&) = delete;
  HostThings& operator=(const HostThings&) = delete;
  ~HostThings();

  const testkit::HostThings& things() const { return things_; }

 private:
  testkit::HostThings things_;
  testkit::TempFolder root_{std::filesystem::perms(0755)};
  std::unique_ptr<os::Child> sleeper_;
  os::UniqueFd listener_;
};

}  // namespace plimsoll::conformance
