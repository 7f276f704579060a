#include "providers/docker/read_back.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace plimsoll::docker {
namespace {

using run::SessionEnd;
using Status = ContainerState::Status;
using Change = std::function<void(ContainerRecord&)>;

ContainerRecord Opened() {
  ContainerRecord record{.state = {.status = Status::kRunning, .runtime = "runc", .image = "sha256:aa"},
                         .user = "61000:61000",
                         .settings = {{"NetworkMode", "\"none\""},
                                      {"ReadonlyRootfs", "true"},
                                      {"Privileged", "false"},
                                      {"CapAdd", "null"},
                                      {"Memory", "268435456"}},
                         .mounts = {"{}"},
                         .networks = {"none"}};
  record.state.pid = 7;
  return record;
}

ContainerRecord With(const Change& change) {
  ContainerRecord record = Opened();
  change(record);
  return record;
}

TEST(ReadBack, AContainerAsItWasOpenedHasNotEnded) {
  EXPECT_FALSE(EndOf(Opened(), Opened()));
  // What an engine counts is no part of it.
  EXPECT_FALSE(EndOf(With([](auto& now) { now.state.pid = 8; }), Opened()));
}

TEST(ReadBack, S34_AnyDifferenceIsAChange) {
  const std::vector<std::pair<const char*, Change>> changes = {
      {"image", [](auto& now) { now.state.image = "sha256:bb"; }},
      {"user", [](auto& now) { now.user = "0:0"; }},
      {"settings.Memory", [](auto& now) { now.settings["Memory"] = "536870912"; }},
      {"settings.Memory", [](auto& now) { now.settings.erase("Memory"); }},
      {"settings.Privileged", [](auto& now) { now.settings["Privileged"] = "true"; }},
      {"settings.Devices", [](auto& now) { now.settings["Devices"] = "[{}]"; }},
      {"mounts", [](auto& now) { now.mounts.push_back("{}"); }},
      {"mounts", [](auto& now) { now.mounts = {}; }},
      {"networks", [](auto& now) { now.networks = {"bridge", "none"}; }},
      {"networks", [](auto& now) { now.networks = {}; }}};
  for (const auto& [part, change] : changes) {
    const auto end = EndOf(With(change), Opened());
    ASSERT_TRUE(end) << part;
    EXPECT_EQ(end->reason, SessionEnd::kSandboxChanged) << part;
    EXPECT_EQ(DifferenceOf(With(change), Opened()), part);
    EXPECT_EQ(end->detail.find("sha256"), std::string::npos);
  }
}

TEST(ReadBack, S35_APauseByAnotherIsAChangeAndAnEndIsAnEnd) {
  for (const auto& [status, reason] : {std::pair{Status::kPaused, SessionEnd::kSandboxChanged},
                                       {Status::kExited, SessionEnd::kMainProcessEnded},
                                       {Status::kDead, SessionEnd::kMainProcessEnded},
                                       {Status::kCreated, SessionEnd::kMainProcessEnded},
                                       {Status::kRestarting, SessionEnd::kMainProcessEnded},
                                       {Status::kRemoving, SessionEnd::kMainProcessEnded}}) {
    const auto end = EndOf(With([&](auto& now) { now.state.status = status; }), Opened());
    ASSERT_TRUE(end);
    EXPECT_EQ(end->reason, reason);
  }
  const auto killed = EndOf(With([](auto& now) {
                              now.state.status = Status::kExited;
                              now.state.oom_killed = true;
                            }),
                            Opened());
  EXPECT_NE(killed->detail.find("out of memory"), std::string::npos);
}

TEST(ReadBack, ANewContainerHasToBeAsItWasAskedFor) {
  EXPECT_FALSE(FlawOf(Opened(), "sha256:aa"));
  EXPECT_FALSE(FlawOf(With([](auto& made) { made.networks = {}; }), "sha256:aa"));
  EXPECT_FALSE(FlawOf(With([](auto& made) { made.settings["CapAdd"] = "[]"; }), "sha256:aa"));
  for (const Change& change : std::vector<Change>{
           [](auto& made) { made.state.image = "sha256:bb"; }, [](auto& made) { made.state.status = Status::kPaused; },
           [](auto& made) { made.state.status = Status::kCreated; },
           [](auto& made) { made.settings["NetworkMode"] = "\"host\""; },
           [](auto& made) { made.networks = {"bridge"}; }, [](auto& made) { made.networks = {"none", "other"}; },
           [](auto& made) { made.settings["ReadonlyRootfs"] = "false"; },
           [](auto& made) { made.settings["Privileged"] = "true"; },
           [](auto& made) { made.settings["CapAdd"] = "[\"SYS_ADMIN\"]"; },
           [](auto& made) { made.settings.clear(); }}) {
    EXPECT_TRUE(FlawOf(With(change), "sha256:aa"));
  }
}

}  // namespace
}  // namespace plimsoll::docker
