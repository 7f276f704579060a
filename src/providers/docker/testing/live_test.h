#pragma once

#include <gtest/gtest.h>

#include <string>

#include "providers/docker/testing/live_provider.h"

namespace plimsoll::docker {

// A test of the real engine that runs once under each runtime, on a provider of its own without a pool.
class LiveTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    live_.emplace(Settings());
    ASSERT_TRUE(live_->ok());
  }
  virtual docker::Settings Settings() const { return LiveSettings(GetParam()); }
  bool under_runsc() const { return GetParam() == std::string("runsc"); }
  LiveProvider& live() { return *live_; }

 private:
  std::optional<LiveProvider> live_;
};

inline auto UnderBothRuntimes() { return ::testing::Values("runc", "runsc"); }
inline std::string NameOfRuntime(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace plimsoll::docker
