#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/docker/engine/testing/live_engine.h"
#include "providers/docker/reaper.h"
#include "testkit/capture_log.h"

namespace plimsoll::docker {
namespace {

using namespace std::chrono_literals;

// An instant of long ago, so that nothing but this test's own containers can be due.
constexpr std::int64_t kExpires = 1'000'000;

TEST(ReaperLive, P65_XD1_RemovesExpiredContainersAndNoOthers) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const auto create = [&](const std::string& name, const std::string& expires, bool start) {
    const std::string body = R"({"Image":")" + TestImage() + R"(","Entrypoint":["/bin/sleep","1000"],"Labels":{")" +
                             std::string(kExpiresLabel) + R"(":")" + expires +
                             R"("},"HostConfig":{"NetworkMode":"none"}})";
    const auto created = engine->Create(name, "", body, Within(10s));
    ASSERT_TRUE(std::holds_alternative<std::string>(created));
    if (start) {
      ASSERT_TRUE(std::holds_alternative<base::Done>(engine->Start(name, Within(10s))));
    }
  };
  const auto there = [&](const std::string& name) {
    const auto listed = engine->ListByName(name, Within(10s));
    return std::holds_alternative<std::vector<ContainerListed>>(listed) &&
           !std::get<std::vector<ContainerListed>>(listed).empty();
  };
  const std::string running = FreshName();
  const std::string created = FreshName();
  const std::string held = FreshName();
  const std::string later = FreshName();
  const std::string odd = FreshName();
  const Removed removed[]{{*engine, running}, {*engine, created}, {*engine, held}, {*engine, later}, {*engine, odd}};
  create(running, std::to_string(kExpires), true);
  create(created, std::to_string(kExpires), false);
  create(held, std::to_string(kExpires), false);
  create(later, std::to_string(kExpires + 1000), false);
  create(odd, "soon", false);

  Leases leases;
  leases.Track(held);
  testkit::CaptureLog log;
  const base::WallTime last(std::chrono::seconds(kExpires) + kReapAfter);
  EXPECT_EQ(Reap(*engine, leases, last, Within(30s), log).value(), 0U);
  EXPECT_TRUE(there(running));
  EXPECT_EQ(Reap(*engine, leases, last + 1us, Within(30s), log).value(), 2U);
  EXPECT_FALSE(there(running));
  EXPECT_FALSE(there(created));
  EXPECT_TRUE(there(held));
  EXPECT_TRUE(there(later));
  EXPECT_TRUE(there(odd));
}

}  // namespace
}  // namespace plimsoll::docker
