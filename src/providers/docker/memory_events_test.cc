#include "providers/docker/memory_events.h"

#include <gtest/gtest.h>

namespace plimsoll::docker {
namespace {

TEST(MemoryEvents, XE11_FindsTheCounterOfEitherVersion) {
  EXPECT_EQ(MemoryEventsFile("9:name=systemd:/docker/ab\n8:pids:/docker/ab\n3:memory:/docker/ab\n0::/\n"),
            "/sys/fs/cgroup/memory/docker/ab/memory.oom_control");
  EXPECT_EQ(MemoryEventsFile("4:cpu,memory:/x\n"), "/sys/fs/cgroup/memory/x/memory.oom_control");
  EXPECT_EQ(MemoryEventsFile("0::/system.slice/docker-ab.scope\n"),
            "/sys/fs/cgroup/system.slice/docker-ab.scope/memory.events");
}

TEST(MemoryEvents, FindsNoneWhereThereIsNoneOrItWouldLeadElsewhere) {
  for (const char* text :
       {"", "\n\n", "memory", "3:memory", "3:memory:relative\n", "3:memory:/../../etc\n", "3:memoryx:/a\n"}) {
    EXPECT_FALSE(MemoryEventsFile(text)) << text;
  }
}

TEST(MemoryEvents, ReadsTheNumberOfKills) {
  EXPECT_EQ(OomKillsIn("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3U);
  EXPECT_EQ(OomKillsIn("low 0\nhigh 0\nmax 12\noom 2\noom_kill 0\noom_group_kill 9\n"), 0U);
  for (const char* text :
       {"", "oom_kill", "oom_kill \n", "oom_kill -1\n", "oom_kill 1x\n", "oom_kill 99999999999999999999\n"}) {
    EXPECT_FALSE(OomKillsIn(text)) << text;
  }
}

TEST(MemoryEvents, KnowsNothingOfAProcessThatIsNotThere) { EXPECT_FALSE(OutOfMemoryKills(0)); }

}  // namespace
}  // namespace plimsoll::docker
