#include "providers/docker/host_group.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace plimsoll::docker {
namespace {

const std::string kId(64, 'c');

ReadFile Reader(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& path, std::size_t) -> base::Result<std::optional<std::string>> {
    const auto file = files.find(path);
    return file == files.end() ? std::nullopt : std::optional(file->second);
  };
}

std::map<std::string, std::string> V1Files() {
  const std::string group = "/docker/" + kId;
  return {
      {"/proc/7/cgroup", "9:name=systemd:" + group + "\n8:pids:" + group + "\n4:memory:" + group +
                             "\n2:cpu,cpuacct:" + group + "\n0::/\n"},
      {"/sys/fs/cgroup/pids" + group + "/pids.max", "256\n"},
      {"/sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes", "268435456\n"},
      {"/sys/fs/cgroup/cpu" + group + "/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu" + group + "/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu" + group + "/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 12\n"},
      {"/sys/fs/cgroup/cpuacct" + group + "/cpuacct.usage", "26912684\n"},
  };
}

TEST(HostGroup, ReadsTheOldHierarchy) {
  const HostGroup group = ReadHostGroup(7, kId, Reader(V1Files()));
  EXPECT_TRUE(group.names_container);
  EXPECT_EQ(group.pids_max, "256");
  EXPECT_EQ(group.memory_max, "268435456");
  EXPECT_EQ(group.cpu_max, "100000 100000");
  EXPECT_EQ(group.cpu_used_us, 26912U);
  EXPECT_EQ(group.cpu_held_back, 4U);
}

TEST(HostGroup, ReadsTheUnifiedHierarchy) {
  const std::string folder = "/sys/fs/cgroup/system.slice/docker-" + kId + ".scope";
  const HostGroup group =
      ReadHostGroup(7, kId,
                    Reader({{"/proc/7/cgroup", "0::/system.slice/docker-" + kId + ".scope\n"},
                            {folder + "/pids.max", "256\n"},
                            {folder + "/memory.max", "268435456\n"},
                            {folder + "/cpu.max", "100000 100000\n"},
                            {folder + "/cpu.stat", "usage_usec 1234\nuser_usec 1\nnr_periods 2\nnr_throttled 1\n"}}));
  EXPECT_TRUE(group.names_container);
  EXPECT_EQ(group.pids_max, "256");
  EXPECT_EQ(group.memory_max, "268435456");
  EXPECT_EQ(group.cpu_max, "100000 100000");
  EXPECT_EQ(group.cpu_used_us, 1234U);
  EXPECT_EQ(group.cpu_held_back, 1U);
}

TEST(HostGroup, IsTheContainersOnlyWhenEveryControllerSaysSo) {
  auto files = V1Files();
  files["/proc/7/cgroup"] = "8:pids:/docker/" + kId + "\n4:memory:/user.slice\n2:cpu,cpuacct:/docker/" + kId + "\n";
  EXPECT_FALSE(ReadHostGroup(7, kId, Reader(files)).names_container);
  EXPECT_FALSE(ReadHostGroup(7, std::string(64, 'd'), Reader(V1Files())).names_container);
}

TEST(HostGroup, IsEmptyWhereNothingCanBeRead) {
  for (const std::int64_t pid : {0, -1, 8}) {
    const HostGroup group = ReadHostGroup(pid, kId, Reader(V1Files()));
    EXPECT_FALSE(group.names_container);
    EXPECT_EQ(group.pids_max, "");
    EXPECT_FALSE(group.cpu_used_us.has_value());
  }
  const HostGroup nameless = ReadHostGroup(7, "", Reader(V1Files()));
  EXPECT_FALSE(nameless.names_container) << "an empty id is part of every path";
  auto files = V1Files();
  files.erase("/sys/fs/cgroup/pids/docker/" + kId + "/pids.max");
  EXPECT_EQ(ReadHostGroup(7, kId, Reader(files)).pids_max, "");
}

TEST(OutOfMemoryKills, XE11_AreCountedInEitherHierarchy) {
  auto v1 = V1Files();
  v1["/sys/fs/cgroup/memory/docker/" + kId + "/memory.oom_control"] = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
  EXPECT_EQ(OutOfMemoryKills(7, kId, Reader(v1)), 3U);
  const std::string scope = "/system.slice/docker-" + kId + ".scope";
  EXPECT_EQ(
      OutOfMemoryKills(
          7, kId,
          Reader({{"/proc/7/cgroup", "0::" + scope + "\n"},
                  {"/sys/fs/cgroup" + scope + "/memory.events", "max 12\noom 2\noom_kill 0\noom_group_kill 9\n"}})),
      0U);
}

TEST(OutOfMemoryKills, AreNotKnownOfAnotherGroupOrFromWhatIsNoCount) {
  const std::string counter = "/sys/fs/cgroup/memory/docker/" + kId + "/memory.oom_control";
  auto files = V1Files();
  EXPECT_FALSE(OutOfMemoryKills(7, kId, Reader(files)));
  for (const char* text :
       {"", "oom_kill", "oom_kill \n", "oom_kill -1\n", "oom_kill 1x\n", "oom_kill 99999999999999999999\n"}) {
    files[counter] = text;
    EXPECT_FALSE(OutOfMemoryKills(7, kId, Reader(files))) << text;
  }
  files[counter] = "oom_kill 1\n";
  EXPECT_FALSE(OutOfMemoryKills(0, kId, Reader(files)));
  EXPECT_FALSE(OutOfMemoryKills(7, "", Reader(files)));
  EXPECT_FALSE(OutOfMemoryKills(7, std::string(64, 'd'), Reader(files))) << "the process of another container";
}

TEST(GroupFolderOf, TakesTheControllersOwnLineBeforeTheUnifiedOne) {
  const std::string groups = "0::/u\n8:pids:/p\n2:cpu,cpuacct:/a:b\n";
  EXPECT_EQ(GroupFolderOf(groups, "pids")->path, "/sys/fs/cgroup/pids/p");
  EXPECT_EQ(GroupFolderOf(groups, "cpuacct")->path, "/sys/fs/cgroup/cpuacct/a:b");
  EXPECT_EQ(GroupFolderOf(groups, "memory")->path, "/sys/fs/cgroup/u");
  EXPECT_TRUE(GroupFolderOf(groups, "memory")->is_v2);
}

TEST(GroupFolderOf, LeavesOutWhatLeadsElsewhereOrIsNoLine) {
  for (const char* groups :
       {"", "8:pids", "8:pids:p\n", "8:pids:/../x\n", "8:pids:/a/../b\n", "8:pids:/..\n", "::\n"}) {
    EXPECT_FALSE(GroupFolderOf(groups, "pids").has_value()) << groups;
  }
  EXPECT_TRUE(GroupFolderOf("8:pids:/a..b\n", "pids").has_value());
}

}  // namespace
}  // namespace plimsoll::docker
