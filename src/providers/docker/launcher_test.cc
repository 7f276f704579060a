#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>

#include "os/socket_pair.h"
#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/docker/leases.h"
#include "providers/docker/sandbox.h"
#include "providers/docker/testing/memory_engine.h"
#include "testkit/capture_log.h"

// Making and removing containers, on an engine that fails as a test wants it to.
namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Kind = EngineError::Kind;

class FailingEngine final : public MemoryEngine {
 public:
  explicit FailingEngine(const Leases& leases) : leases_(leases) {}

  Answer<std::string> Create(std::string_view name, std::string_view /*platform*/, std::string body,
                             const http::Bounds& /*bounds*/) override {
    held_at_create = leases_.Holds(name);
    made_name = name;
    spec = std::move(body);
    if (create) {
      if (appears_anyway) {
        Add({.name = made_name, .labels = {}});
      }
      return *create;
    }
    return Add({.name = made_name, .labels = {}, .removal = removal});
  }
  Answer<Attached> Attach(std::string_view /*id*/, const http::Bounds& /*bounds*/) override {
    if (attach) {
      return *attach;
    }
    auto pair = os::MakeSocketPair();
    other_end = std::move(pair->theirs);
    return Attached{.socket = std::move(pair->ours), .early = {}};
  }
  Answer<base::Done> Start(std::string_view /*id*/, const http::Bounds& /*bounds*/) override {
    if (start) {
      return *start;
    }
    other_end.Close();  // it ends before it is ready
    return base::Done{};
  }

  // Its containers go, whatever they were to answer.
  void Forget() {
    for (const std::string& name : Names()) {
      Drop(name);
    }
  }

  std::optional<EngineError> create;
  std::optional<EngineError> attach;
  std::optional<EngineError> start;
  std::optional<EngineError> removal;
  bool appears_anyway = false;
  bool held_at_create = false;
  std::string made_name;
  std::string spec;
  os::UniqueFd other_end;

 private:
  const Leases& leases_;
};

EngineError Failed(Kind kind, http::Sent sent, int status = 0) {
  return {.kind = kind, .sent = sent, .status = status, .detail = "the engine's own words"};
}

struct Yard {
  Yard() {
    settings.agent_program = PLIMSOLL_BIN_DIR "/plimsoll-guest";
    auto made = std::make_shared<State>();
    engine = std::make_shared<FailingEngine>(leases);
    made->engine = engine;
    made->images[Role::kSnippet] = {.reference = "image", .id = "sha256:aa"};
    state = made;
    launcher = Launcher::Create(settings, clock, random, log, leases);
  }
  base::Result<std::unique_ptr<Sandbox>> Launch(std::unique_ptr<Sandbox>* remains = nullptr,
                                                Purpose purpose = Purpose::kRun) {
    return launcher->Launch(
        state, Role::kSnippet,
        {.ends = clock.Wall() + seconds(60), .host_socket = {}, .purpose = purpose, .remains = remains},
        {.deadline = steady_clock::now() + seconds(5)});
  }

  Settings settings;
  os::SystemClock clock;
  os::SystemRandom random;
  testkit::CaptureLog log;
  Leases leases;
  std::shared_ptr<FailingEngine> engine;
  std::shared_ptr<const State> state;
  std::unique_ptr<Launcher> launcher;
};

TEST(Launcher, HoldsALeaseFromBeforeTheCreateUntilAfterTheRemoval) {  // LEASE-1
  Yard yard;
  std::unique_ptr<Sandbox> remains;
  EXPECT_NE(base::FaultIn(yard.Launch(&remains)), nullptr);  // its agent never became ready
  EXPECT_TRUE(yard.engine->held_at_create);
  ASSERT_NE(remains, nullptr);
  const std::string name = remains->name();
  EXPECT_EQ(name.size(), std::string("plimsoll-").size() + 16);
  EXPECT_TRUE(name.starts_with("plimsoll-"));
  EXPECT_TRUE(yard.leases.Holds(name));
  EXPECT_TRUE(yard.launcher->Remove(std::move(remains)));
  EXPECT_FALSE(yard.leases.Holds(name));
  EXPECT_TRUE(yard.engine->Names().empty());
}

TEST(Launcher, RemovesWhatALaunchLeftWhereNobodyTakesIt) {
  Yard yard;
  EXPECT_NE(base::FaultIn(yard.Launch()), nullptr);
  EXPECT_TRUE(yard.engine->Names().empty());
  EXPECT_FALSE(yard.leases.Holds(yard.engine->made_name));
}

TEST(Launcher, P40_ACreateThatProvesThatNothingWasMadeIsARefusal) {  // DOC-4
  const auto refused = [](EngineError error) {
    Yard yard;
    yard.engine->create = std::move(error);
    std::unique_ptr<Sandbox> remains;
    const auto made = yard.Launch(&remains);
    EXPECT_EQ(remains, nullptr);
    EXPECT_FALSE(yard.leases.Holds(yard.engine->made_name));
    const auto* refusal = base::RefusalIn(made);
    if (refusal != nullptr) {
      EXPECT_EQ(refusal->message.find("own words"), std::string::npos) << refusal->message;
    }
    return refusal == nullptr ? std::optional<base::Rule>() : refusal->rule;
  };
  EXPECT_EQ(refused(Failed(Kind::kUnreachable, http::Sent::kNothing)), base::Rule::kUnavailable);
  EXPECT_EQ(refused(Failed(Kind::kDeadline, http::Sent::kNothing)), base::Rule::kUnavailable);
  EXPECT_EQ(refused(Failed(Kind::kRefused, http::Sent::kMaybe, 500)), base::Rule::kUnavailable);
  EXPECT_EQ(refused(Failed(Kind::kConflict, http::Sent::kMaybe, 409)), base::Rule::kUnavailable);
  EXPECT_EQ(refused(Failed(Kind::kNotFound, http::Sent::kMaybe, 404)), base::Rule::kNotProven);
  EXPECT_EQ(refused(Failed(Kind::kCanceled, http::Sent::kNothing)), base::Rule::kCanceled);
}

TEST(Launcher, XD3_ACreateWithoutAnAnswerIsAFaultAndIsFollowedByName) {
  for (const Kind kind : {Kind::kUnreachable, Kind::kMalformed, Kind::kDeadline}) {
    Yard yard;
    yard.engine->create = Failed(kind, http::Sent::kMaybe);
    yard.engine->appears_anyway = true;
    std::unique_ptr<Sandbox> remains;
    EXPECT_NE(base::FaultIn(yard.Launch(&remains)), nullptr);
    ASSERT_NE(remains, nullptr);
    EXPECT_TRUE(yard.leases.Holds(remains->name()));
    EXPECT_TRUE(yard.launcher->Remove(std::move(remains)));
    EXPECT_EQ(yard.engine->Removals(), std::vector<std::string>{yard.engine->made_name});
    EXPECT_TRUE(yard.engine->Names().empty());
  }
}

TEST(Launcher, AFailedAttachOrStartIsAFaultWithoutTheEnginesWordsForACaller) {
  Yard attach;
  attach.engine->attach = Failed(Kind::kRefused, http::Sent::kMaybe, 500);
  EXPECT_NE(base::FaultIn(attach.Launch()), nullptr);
  EXPECT_TRUE(attach.engine->Names().empty());
  Yard start;
  start.engine->start = Failed(Kind::kRefused, http::Sent::kMaybe, 500);
  EXPECT_NE(base::FaultIn(start.Launch()), nullptr);
  EXPECT_TRUE(start.engine->Names().empty());
}

TEST(Launcher, TriesThreeTimesThenLeavesItToTheReaperWithAnErrorLine) {  // DOC-7
  Yard yard;
  yard.engine->removal = Failed(Kind::kRefused, http::Sent::kMaybe, 500);
  std::unique_ptr<Sandbox> remains;
  EXPECT_FALSE(yard.Launch(&remains));
  const std::string name = remains->name();
  const auto begin = steady_clock::now();
  EXPECT_FALSE(yard.launcher->Remove(std::move(remains)));
  EXPECT_GE(steady_clock::now() - begin, seconds(3));  // pauses of 1 s and 2 s
  EXPECT_EQ(yard.engine->Removals().size(), 3U);
  EXPECT_FALSE(yard.leases.Holds(name));
  const auto records = yard.log.Records();
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.back().severity, base::Severity::kError);
  EXPECT_NE(records.back().text.find(name), std::string::npos);
}

TEST(Launcher, XD2_WhatTheListingShowsCountsAndNotTheAnswerToTheDelete) {
  Yard yard;
  std::unique_ptr<Sandbox> remains;
  EXPECT_FALSE(yard.Launch(&remains));
  // Someone else has removed it: the delete is answered with 404.
  static_cast<void>(yard.engine->Remove(remains->name(), {.deadline = steady_clock::now()}));
  EXPECT_TRUE(yard.launcher->Remove(std::move(remains)));
  EXPECT_TRUE(yard.launcher->Remove(nullptr));
}

// A kept sandbox may be asked to go again: until it has gone nobody else may take it for one that was left behind.
TEST(Launcher, WhatCouldNotBeRemovedKeepsItsLeaseForAnotherTry) {
  Yard yard;
  yard.engine->removal = Failed(Kind::kRefused, http::Sent::kMaybe, 500);
  std::unique_ptr<Sandbox> remains;
  EXPECT_FALSE(yard.Launch(&remains, Purpose::kSession));
  ASSERT_NE(remains, nullptr);
  EXPECT_EQ(remains->name().size(), std::string("plsm-session-").size() + 16);
  EXPECT_TRUE(remains->name().starts_with("plsm-session-"));
  EXPECT_NE(yard.engine->spec.find("\"io.plimsoll.session\":\"1\""), std::string::npos);
  EXPECT_FALSE(yard.launcher->TryRemove(*remains));
  EXPECT_TRUE(yard.leases.Holds(remains->name()));
  yard.engine->Forget();
  EXPECT_TRUE(yard.launcher->TryRemove(*remains));
  EXPECT_FALSE(yard.leases.Holds(remains->name()));
}

}  // namespace
}  // namespace plimsoll::docker
