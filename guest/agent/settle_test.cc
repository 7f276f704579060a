// What the agent does to itself before it hears anybody, where the machine does not help.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "guest/agent/testing/agent_host.h"

namespace plimsoll::guest {
namespace {

using std::chrono::milliseconds;

TEST(Settle, AGT2_ClosesWhatItInheritsWhereCloseRangeIsRefusedToo) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const os::UniqueFd its_input(ends[0]);
  const os::UniqueFd input(ends[1]);
  const os::UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto agent = os::Child::Start({.program = ProgramFolder() + "/plimsoll-guest-tricks",
                                 .arguments = {"without-close-range", ProgramFolder() + "/plimsoll-guest"},
                                 .passed = {{its_input.get(), 0}, {null.get(), 1}, {null.get(), 2}}});
  ASSERT_TRUE(agent.has_value());
  const std::string folder = "/proc/" + std::to_string(agent->pid()) + "/fd/";
  // Its standard input moves up and becomes /dev/null once all else is closed.
  std::error_code error;
  const auto settled = [&] { return std::filesystem::read_symlink(folder + "0", error) == "/dev/null"; };
  for (int tries = 0; tries < 500 && !settled(); ++tries) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  if (error) {
    GTEST_SKIP() << "only root can list the descriptors of an agent: " << error.message();
  }
  EXPECT_TRUE(settled());
  EXPECT_FALSE(std::filesystem::is_symlink(folder + "2000"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "64"));
}

}  // namespace
}  // namespace plimsoll::guest
