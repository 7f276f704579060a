#include "http/lookup.h"

#include <chrono>
#include <latch>
#include <semaphore>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::make_address;

base::SteadyTime In(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(Lookups, ReturnAnAddressAsItIs) {
  Lookups lookups([](const std::string&, std::uint16_t) -> Lookups::Found { PLIMSOLL_CHECK(false); });
  const auto v4 = lookups.Find("127.0.0.1", 80, {.deadline = In(0s)});
  EXPECT_EQ(std::get<Lookups::Addresses>(v4).at(0).port(), 80);
  EXPECT_TRUE(std::get<Lookups::Addresses>(lookups.Find("::1", 80, {.deadline = In(0s)})).at(0).address().is_v6());
}

TEST(Lookups, ReturnWhatTheSystemKnows) {
  Lookups lookups([](const std::string& host, std::uint16_t port) {
    return Lookups::Found{.addresses = {{make_address(host == "a.test" ? "192.0.2.1" : "192.0.2.2"), port}},
                          .error = {}};
  });
  const auto found = lookups.Find("a.test", 8, {.deadline = In(5s)});
  EXPECT_EQ(std::get<Lookups::Addresses>(found).at(0).address(), make_address("192.0.2.1"));
}

TEST(Lookups, SayWhyThereIsNoAddress) {
  Lookups lookups(
      [](const std::string&, std::uint16_t) { return Lookups::Found{.addresses = {}, .error = "no such name"}; });
  const auto found = lookups.Find("a.test", 8, {.deadline = In(5s)});
  EXPECT_EQ(std::get<Failure>(found).cause, Failure::Cause::kLookup);
  EXPECT_EQ(std::get<Failure>(found).detail, "cannot look the host up: no such name");
}

TEST(Lookups, GiveUpAtTheDeadlineAndAtMost32Times) {
  std::counting_semaphore<64> release(0);
  Lookups lookups([&](const std::string&, std::uint16_t) {
    release.acquire();
    return Lookups::Found{};
  });
  for (std::size_t i = 0; i < Lookups::kMaxAbandoned; ++i) {
    const auto found = lookups.Find("a.test", 8, {.deadline = In(1ms)});
    EXPECT_EQ(std::get<Failure>(found).cause, Failure::Cause::kDeadline);
    EXPECT_EQ(std::get<Failure>(found).sent, Sent::kNothing);
  }
  EXPECT_EQ(std::get<Failure>(lookups.Find("a.test", 8, {.deadline = In(5s)})).cause, Failure::Cause::kTooManyLookups);
  release.release(64);
}

TEST(Lookups, C21_GiveUpWhenCanceled) {
  std::binary_semaphore release(0);
  Lookups lookups([&](const std::string&, std::uint16_t) {
    release.acquire();
    return Lookups::Found{};
  });
  std::stop_source stop;
  std::jthread canceler([&] { stop.request_stop(); });
  const auto found = lookups.Find("a.test", 8, {.deadline = In(5s), .stop = stop.get_token()});
  EXPECT_EQ(std::get<Failure>(found).cause, Failure::Cause::kCanceled);
  EXPECT_EQ(std::get<Failure>(found).sent, Sent::kNothing);
  release.release();
}

}  // namespace
}  // namespace plimsoll::http
