#include "providers/docker/probes/battery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "providers/docker/probes/smoke_report.h"
#include "providers/docker/testing/recorded_facts.h"
#include "testkit/capture_log.h"
#include "testkit/fake_clock.h"

namespace plimsoll::docker {
namespace {

using isolation::Probe;

// A place where trials are scripted: by default all is as it must be under runc, or runsc.
struct World {
  World() {
    state.runtime_version = "runc 1.1.5";
    state.images[Role::kSnippet] = Image("snippet", 'a');
    state.images[Role::kProject] = Image("project", 'b');
  }
  static VerifiedImage Image(const char* reference, char digit) {
    VerifiedImage image;
    image.reference = reference;
    image.id = "sha256:" + std::string(64, digit);
    image.identity = "docker-image:" + image.id;
    return image;
  }

  // Only the facts that were asked for.
  static std::string Answered(std::string_view facts, const std::vector<std::string>& words) {
    std::string said;
    while (!facts.empty()) {
      const std::string_view line = facts.substr(0, facts.find('\n') + 1);
      facts.remove_prefix(line.size());
      const bool asked = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return line.starts_with("{\"probe\":\"" + word + "\"") &&
               (word != "fill" || line.find("\"/work\"") == std::string_view::npos ||
                std::find(words.begin(), words.end(), "/work") != words.end());
      });
      if (asked) {
        said += line;
      }
    }
    // A snippet's container has no /work.
    const std::string work = ",\"/work\"]}";
    if (const auto at = said.find(work); at != std::string::npos && !Asks(words, "/work")) {
      said.replace(at, work.size(), "]}");
    }
    return said;
  }
  static bool Asks(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  }

  Trial Probed(const std::vector<std::string>& words) const {
    Trial trial = Ended(1);
    const bool own = state.runtime == kRunsc;
    trial.before = {.names_container = true,
                    .pids_max = "256",
                    .memory_max = "268435456",
                    .cpu_max = "100000 100000",
                    .cpu_used_us = 0,
                    .cpu_held_back = 0};
    trial.after = trial.before;
    trial.after.cpu_used_us = 600'000;
    trial.between = std::chrono::milliseconds(640);
    std::string& said = trial.steps[0].stdout_bytes;
    if (Asks(words, "memory")) {
      said = recorded::kMemoryHeld248;
      trial.steps[0].exited->signal = 9;
    } else if (Asks(words, "fork")) {
      said = own ? "" : recorded::kForkRefused;
      if (own) {
        trial.how = CallEnd::How::kContainerEnded;
        trial.container.emplace().exit_code = 2;
      }
    } else if (Asks(words, "cpu")) {
      said = "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":601,\"used_ms\":600}\n";
    } else {
      said = Answered(own ? recorded::kRunsc : recorded::kRunc, words);
    }
    return trial;
  }
  static Trial Ended(std::size_t steps) {
    Trial trial;
    trial.how = CallEnd::How::kDone;
    trial.steps.resize(steps);
    for (StepSeen& step : trial.steps) {
      step.exited.emplace();
    }
    return trial;
  }

  Trial Answer(const TrialOrder& order) {
    orders.push_back(order);
    if (const auto* probe = std::get_if<ProbeWords>(&order.what)) {
      return Probed(probe->words);
    }
    Trial trial = Ended(std::holds_alternative<SnippetCode>(order.what) ? 1 : 2);
    for (StepSeen& step : trial.steps) {
      step.stdout_bytes = "plimsoll 42\n";
    }
    return trial;
  }

  BatteryResult Run() {
    return Run([this](const TrialOrder& order) { return Answer(order); });
  }
  BatteryResult Run(const RunTrial& run) {
    return RunBattery(settings, state, 2, run, clock, log, [] { return true; });
  }
  SmokeOutcome Judge(BatteryResult result) {
    return JudgeSmokeTest(state, settings, std::move(result), clock.Wall(), clock.Wall() + std::chrono::seconds(4));
  }

  Settings settings;
  State state;
  std::vector<TrialOrder> orders;
  testkit::FakeClock clock;
  testkit::CaptureLog log;
};

const Probe* Find(const std::vector<Probe>& probes, std::string_view id) {
  const auto probe = std::find_if(probes.begin(), probes.end(), [&](const Probe& one) { return one.id == id; });
  return probe == probes.end() ? nullptr : &*probe;
}

TEST(Rows, AreEachNamedOnceWithASentenceAndAJudge) {
  std::set<std::string_view> ids;
  for (const Row& row : Rows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(row.tried.ends_with('.')) << row.id;
    EXPECT_NE(row.judge, nullptr) << row.id;
  }
}

TEST(Battery, PassesWhereEveryWallHolds) {
  for (const char* runtime : {"", "runsc"}) {
    World world;
    world.state.runtime = runtime;
    BatteryResult result = world.Run();
    EXPECT_TRUE(result.is_complete);
    for (const Probe& probe : result.probes) {
      EXPECT_NE(probe.outcome, Probe::Outcome::kFail) << probe.id << ": " << probe.detail;
      EXPECT_FALSE(probe.detail.empty()) << probe.id;
    }
    EXPECT_EQ(result.languages.at(Role::kSnippet), (std::vector<std::string>{"javascript"}));
    EXPECT_EQ(result.languages.at(Role::kProject), (std::vector<std::string>{"javascript", "python"}));
  }
}

TEST(Battery, PRB4_ExceedsEachLimitOnceInASandboxOfItsOwn) {
  World world;
  world.Run();
  for (const char* name : {"memory", "fork", "cpu"}) {
    int sandboxes = 0;
    for (const TrialOrder& order : world.orders) {
      const auto* probe = std::get_if<ProbeWords>(&order.what);
      if (probe != nullptr && World::Asks(probe->words, name)) {
        ++sandboxes;
        EXPECT_EQ(order.role, Role::kSnippet);
        EXPECT_FALSE(World::Asks(probe->words, ",")) << name << " must not take other probes with it";
      }
    }
    EXPECT_EQ(sandboxes, 1) << name;
  }
  EXPECT_EQ(world.orders.size(), 7U);
}

TEST(Battery, AsksForMoreThanEachLimit) {
  World world;
  world.settings.memory_mb = 300;
  world.settings.pids = 90;
  world.state.work_mb = 68;
  world.Run();
  std::set<std::vector<std::string>> asked;
  for (const TrialOrder& order : world.orders) {
    if (const auto* probe = std::get_if<ProbeWords>(&order.what)) {
      asked.insert(probe->words);
    }
  }
  EXPECT_TRUE(asked.contains({"memory", "364"}));
  EXPECT_TRUE(asked.contains({"fork", "106"}));
  EXPECT_TRUE(asked.contains({"cpu", "600", "2"}));
  bool filled = false;
  for (const auto& words : asked) {
    const auto work = std::find(words.begin(), words.end(), "/work");
    filled = filled || (work != words.end() && *(work + 1) == "76");
  }
  EXPECT_TRUE(filled);
}

TEST(Battery, MountsTheHostsSocketForTheFirstImageAlone) {
  World world;
  world.Run();
  for (const TrialOrder& order : world.orders) {
    const auto* probe = std::get_if<ProbeWords>(&order.what);
    const bool asks = probe != nullptr && World::Asks(probe->words, "unix-socket");
    EXPECT_EQ(order.host_socket == HostSocket::kMounted, asks);
    EXPECT_TRUE(!asks || order.role == Role::kSnippet);
  }
}

TEST(Battery, LeavesOutAFillThatMemoryWouldEndAndSaysSo) {
  World world;
  world.settings.memory_mb = 128;
  BatteryResult result = world.Run();
  for (const TrialOrder& order : world.orders) {
    const auto* probe = std::get_if<ProbeWords>(&order.what);
    EXPECT_FALSE(probe != nullptr && World::Asks(probe->words, "/work"));
  }
  EXPECT_EQ(Find(result.probes, "project/fill-work")->outcome, Probe::Outcome::kSkip);
}

TEST(Battery, ALanguageThatDoesNotAnswerIsNotStated) {
  World world;
  const BatteryResult result = world.Run([&](const TrialOrder& order) {
    Trial trial = world.Answer(order);
    if (std::holds_alternative<ProjectSteps>(order.what)) {
      trial.steps[1].stdout_bytes.clear();
      trial.steps[1].stderr_bytes = "sh: 1: python3: not found\n";
    }
    return trial;
  });
  EXPECT_EQ(result.languages.at(Role::kProject), (std::vector<std::string>{"javascript"}));
  EXPECT_EQ(Find(result.probes, "project/python")->outcome, Probe::Outcome::kSkip);
  EXPECT_TRUE(world.Judge(result).status.has_value());
}

TEST(Battery, ASnippetThatDoesNotPrintTheWordFails) {
  World world;
  const SmokeOutcome outcome = world.Judge(world.Run([&](const TrialOrder& order) {
    Trial trial = world.Answer(order);
    if (std::holds_alternative<SnippetCode>(order.what)) {
      trial.steps[0].exited->exit_code = 127;
    }
    return trial;
  }));
  ASSERT_NE(base::RefusalIn(outcome.status), nullptr);
  EXPECT_NE(base::RefusalIn(outcome.status)->message.find("snippet/javascript"), std::string::npos);
}

TEST(Battery, PRB2_PRB3_WhatASandboxSaysOutOfFormFailsEveryRowOfItsGroup) {
  World world;
  const BatteryResult result = world.Run([&](const TrialOrder& order) {
    Trial trial = world.Answer(order);
    if (std::holds_alternative<ProbeWords>(order.what)) {
      trial.steps[0].stdout_bytes += "secret of the sandbox\n";
    }
    return trial;
  });
  for (const Probe& probe : result.probes) {
    EXPECT_EQ(probe.detail.find("secret"), std::string::npos);
  }
  EXPECT_EQ(Find(result.probes, "snippet/root-write")->outcome, Probe::Outcome::kFail);
  EXPECT_EQ(Find(result.probes, "snippet/memory-limit")->outcome, Probe::Outcome::kFail);
}

TEST(Battery, GoesOnAfterAFailureAndNamesTheFirst) {
  World world;
  const SmokeOutcome outcome = world.Judge(world.Run([&](const TrialOrder& order) {
    Trial trial = world.Answer(order);
    if (const auto* probe = std::get_if<ProbeWords>(&order.what);
        probe != nullptr && (World::Asks(probe->words, "fork") || World::Asks(probe->words, "cpu"))) {
      trial = Trial();
      trial.failure = "no sandbox could be made: x";
    }
    return trial;
  }));
  const auto* refusal = base::RefusalIn(outcome.status);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->rule, base::Rule::kNotProven);
  EXPECT_TRUE(refusal->message.starts_with(
      "the smoke test failed at snippet/pids-limit: the probe said nothing: no sandbox could be made: x"))
      << refusal->message;
  EXPECT_EQ(outcome.proven, nullptr);
  ASSERT_NE(outcome.report, nullptr);
  EXPECT_EQ(Find(outcome.report->probes, "snippet/cpu-limit")->outcome, Probe::Outcome::kFail);
  EXPECT_EQ(Find(outcome.report->probes, "project/python")->outcome, Probe::Outcome::kPass);
}

TEST(Battery, ATestThatIsNotOverInItsTimeHasNotPassed) {
  World world;
  int left = 3;
  const SmokeOutcome outcome = world.Judge(RunBattery(
      world.settings, world.state, 2, [&](const TrialOrder& order) { return world.Answer(order); }, world.clock,
      world.log, [&] { return left-- > 0; }));
  ASSERT_NE(base::RefusalIn(outcome.status), nullptr);
  EXPECT_NE(base::RefusalIn(outcome.status)->message.find("not over in its time"), std::string::npos);
  EXPECT_EQ(outcome.proven, nullptr);
}

TEST(Battery, TheKernelLogIsADiagnosticOfRunscAlone) {
  World runsc;
  runsc.state.runtime = "runsc";
  runsc.Run();
  EXPECT_TRUE(runsc.log.Contains("Starting gVisor"));
  World runc;
  runc.Run();
  for (const TrialOrder& order : runc.orders) {
    const auto* probe = std::get_if<ProbeWords>(&order.what);
    EXPECT_FALSE(probe != nullptr && World::Asks(probe->words, "kernel-log"));
  }
}

TEST(SmokeReport, StatesWhatWasProvedAndWhen) {
  World world;
  world.settings.daemon_version = "0.9.0";
  const SmokeOutcome outcome = world.Judge(world.Run());
  ASSERT_TRUE(outcome.status.has_value());
  EXPECT_EQ(outcome.proven->images.at(Role::kProject).languages, (std::vector<std::string>{"javascript", "python"}));
  const isolation::ProbeReport& report = *outcome.report;
  EXPECT_EQ(report.provider, "docker");
  EXPECT_EQ(report.tier, isolation::Tier::kContainer);
  EXPECT_EQ(report.runtime_version, "runc 1.1.5");
  EXPECT_EQ(report.daemon_version, "0.9.0");
  EXPECT_EQ(report.environment,
            "docker-image:sha256:" + std::string(64, 'a') + " docker-image:sha256:" + std::string(64, 'b'));
  EXPECT_EQ(report.ended_unix_ms - report.started_unix_ms, 4000);
  EXPECT_TRUE(std::is_sorted(report.probes.begin(), report.probes.end(),
                             [](const Probe& a, const Probe& b) { return a.id < b.id; }));
  EXPECT_EQ(report.probes.front().at_unix_ms, report.started_unix_ms);
}

}  // namespace
}  // namespace plimsoll::docker
