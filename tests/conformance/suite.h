#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "testkit/capture_log.h"
#include "testkit/conformance.h"
#include "tests/conformance/host_things.h"

namespace plimsoll::conformance {

// A provider to hold against the suite.
struct Candidate {
  std::string name;  // letters and digits: part of the test's name
  isolation::Tier tier;
  std::uint32_t abilities;  // of testkit::Ability
  std::function<base::Result<std::unique_ptr<provider::Provider>>(const base::Clock&, base::Random&, base::LogSink&)>
      make;
};

// A made and proven candidate with all it stands on. Costly ones are made once and kept until the last law.
class Standing {
 public:
  explicit Standing(const Candidate& candidate);
  testkit::Subject subject() const;
  base::Status End();  // the provider's own drain, within a minute
  provider::Provider& provider() { return *provider_; }
  const std::string& failure() const { return failure_; }  // empty: it is ready

 private:
  const Candidate& candidate_;
  HostThings host_;
  os::SystemClock clock_;
  os::SystemRandom random_;
  testkit::CaptureLog log_;
  std::unique_ptr<provider::Provider> provider_;
  std::string failure_;
};

// Registers one test for each law: `Conformance/<candidate>.<law>`. `candidate` must outlive the program.
void RegisterLaws(const Candidate& candidate);
// The laws of behaviour alone.
void RegisterBehaviour(const Candidate& candidate);
// Registers one test for each wall law that fails when the law holds: `Control/<candidate>.Breaks_<law>`.
void RegisterWallsThatMustBreak(const Candidate& candidate);

}  // namespace plimsoll::conformance
