// The provider with the real worker program: what a caller of the contract sees.
#include "providers/wasm/provider.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <utility>

#include "providers/wasm/testing/pool_harness.h"
#include "run/request.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

run::Draft Draft(std::string code, milliseconds timeout = milliseconds(0)) {
  run::Draft draft;
  draft.protocol = 5;
  draft.timeout_ms = static_cast<std::int32_t>(timeout.count());
  draft.payload = run::JavaScript{.code = std::move(code), .grant_profile = {}};
  return draft;
}

run::Request Validated(run::Draft draft) {
  auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  EXPECT_TRUE(request) << base::TextOf(request.error());
  return std::move(request).value();
}

class WasmProvider : public testing::Test {
 protected:
  explicit WasmProvider(Options options = {.worker_program = RealWorker(), .max_concurrent = 4, .cores = 1}) {
    auto provider = Provider::Create(std::move(options), clock_, random_, log_);
    EXPECT_TRUE(provider);
    provider_ = std::move(*provider);
  }

  base::Result<run::Report> Run(const run::Request& request, const std::string& principal = "alice") {
    std::promise<base::Result<run::Report>> promise;
    auto future = promise.get_future();
    provider_->Run({.request = request, .principal = principal, .stop = {}},
                   [&promise](base::Result<run::Report> report) { promise.set_value(std::move(report)); });
    return future.get();
  }
  run::JavaScriptResult ResultOf(const std::string& code, milliseconds timeout = milliseconds(0)) {
    auto report = Run(Validated(Draft(code, timeout)));
    if (!report) {
      ADD_FAILURE() << base::TextOf(report.error());
      return {};
    }
    return std::get<run::JavaScriptResult>(report->result);
  }
  void ExpectRefusal(run::Draft draft, base::Rule rule) {
    const auto report = Run(Validated(std::move(draft)));
    ASSERT_NE(base::RefusalIn(report), nullptr);
    EXPECT_EQ(base::RefusalIn(report)->rule, rule) << base::RefusalIn(report)->message;
  }
  base::SteadyTime Soon() const { return clock_.Steady() + kTestLimit; }

  os::SystemClock clock_;
  os::SystemRandom random_;
  testkit::CaptureLog log_;
  std::unique_ptr<Provider> provider_;
};

TEST_F(WasmProvider, P5_RunsASnippetAndStatesItsEvidence) {
  const auto report = Run(Validated(Draft("console.log(\"wasm\", 6*7)")));
  ASSERT_TRUE(report) << base::TextOf(report.error());
  EXPECT_EQ(report->provider, "wasm");
  EXPECT_EQ(report->tier, isolation::Tier::kProcess);
  const std::string prefix = "quickjs-wasm:sha256:";
  EXPECT_EQ(report->environment.substr(0, prefix.size()), prefix);
  EXPECT_EQ(report->environment.size(), prefix.size() + 64);
  EXPECT_EQ(report->environment, provider_->Offer().javascript->identity);
  EXPECT_EQ(report->software_identity, "");
  const auto& result = std::get<run::JavaScriptResult>(report->result);
  EXPECT_EQ(result.stdout_bytes, "wasm 42\n");
  EXPECT_EQ(result.stderr_bytes, "");
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(WasmProvider, XA5_StatesWhatItOffersAndACeilingForEveryRun) {
  const isolation::Profile& offer = provider_->Offer();
  EXPECT_EQ(offer.provider, "wasm");
  EXPECT_TRUE(offer.enabled);
  ASSERT_TRUE(offer.javascript);
  EXPECT_EQ(offer.javascript->default_timeout, milliseconds(5'000));
  EXPECT_EQ(offer.javascript->max_timeout, milliseconds(30'000));
  EXPECT_TRUE(offer.javascript->languages.empty());
  EXPECT_FALSE(offer.project || offer.module || offer.session);
  EXPECT_FALSE(offer.javascript_grants);
  EXPECT_EQ(provider_->Tier(), isolation::Tier::kProcess);
}

TEST_F(WasmProvider, P19_RefusesWhatItCannotDoAndTheFloorFirst) {
  run::Draft project = Draft("");
  project.payload = run::Project{.files = {}, .steps = {"true"}, .artifacts = {}, .grant_profile = {}};
  ExpectRefusal(project, base::Rule::kUnsupported);
  project.minimum_isolation = "vm";
  ExpectRefusal(project, base::Rule::kInsufficientIsolation);
}

TEST_F(WasmProvider, RefusesAFloorAboveItsTierAndMeetsItsOwn) {
  run::Draft draft = Draft("1");
  draft.minimum_isolation = "process";
  EXPECT_TRUE(Run(Validated(draft)));
  draft.minimum_isolation = "container";
  ExpectRefusal(draft, base::Rule::kInsufficientIsolation);
}

TEST_F(WasmProvider, P20_RefusesEverySoftwareRule) {
  run::Draft draft = Draft("1");
  draft.software_rule = {.mode = "exact", .identities = {"oci-manifest:linux/amd64@sha256:" + std::string(64, 'a')}};
  ExpectRefusal(draft, base::Rule::kSoftwareMismatch);
}

TEST_F(WasmProvider, RefusesAGrant) {
  run::Draft draft = Draft("1");
  std::get<run::JavaScript>(draft.payload).grant_profile = "orders";
  ExpectRefusal(draft, base::Rule::kUnsupported);
}

TEST_F(WasmProvider, XE8_P11_GivesARunWithoutATimeoutTheDefaultAndCutsALongOne) {
  // Cut, not refused: the run happens. That the worker is told 30 s is shown with the fake worker below.
  EXPECT_EQ(ResultOf("console.log(1)", milliseconds(100'000)).exit_code, 0);
}

TEST_F(WasmProvider, P16_KeepsTheCapExactlyAndFlagsOneByteMore) {
  const auto at = ResultOf("console.log('x'.repeat(65535))");
  EXPECT_EQ(at.stdout_bytes, std::string(65535, 'x') + "\n");
  EXPECT_FALSE(at.stdout_truncated);
  const auto over = ResultOf("console.log('x'.repeat(65536)); console.error('e')");
  EXPECT_EQ(over.stdout_bytes, std::string(65536, 'x'));
  EXPECT_TRUE(over.stdout_truncated);
  EXPECT_EQ(over.stderr_bytes, "e\n");
  EXPECT_FALSE(over.stderr_truncated);
}

TEST_F(WasmProvider, XB1_AFloodedStreamKeepsTheExitCodeAndTheOtherStream) {
  const auto result = ResultOf("for(let i=0;i<50000;i++)console.log('0123456789'); console.error('done'); throw 1");
  EXPECT_EQ(result.stdout_bytes.size(), 65536U);
  EXPECT_TRUE(result.stdout_truncated);
  EXPECT_EQ(result.stderr_bytes.substr(0, 5), "done\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST_F(WasmProvider, P17_NothingOfARunIsSeenByTheNextOnTheSameWorker) {
  const auto first = ResultOf("globalThis.leak=1;Array.prototype.leak=2;console.log(Math.random())");
  const auto second = ResultOf("console.log(typeof leak,typeof [].leak);console.error(Math.random())");
  EXPECT_EQ(second.stdout_bytes, "undefined undefined\n");
  EXPECT_NE(second.stderr_bytes, first.stdout_bytes);
  EXPECT_EQ(provider_->Count().idle_used, 1U);  // they did share a worker
}

TEST_F(WasmProvider, P17_TheGuestSeesTheHostsClock) {
  const auto result = ResultOf("console.log(Date.now())");
  const auto now = std::chrono::duration_cast<milliseconds>(clock_.Wall().time_since_epoch()).count();
  EXPECT_LT(std::abs(std::stoll(result.stdout_bytes) - now), 5'000);
}

TEST_F(WasmProvider, XE5_DeepRecursionIsTheGuestsOwnErrorAndTheNextRunIsClean) {
  const auto deep = ResultOf("function f(n){return n<=0?0:1+f(n-1)} f(200000)");
  EXPECT_NE(deep.exit_code, 0);
  EXPECT_EQ(ResultOf("console.log('clean')").stdout_bytes, "clean\n");
}

TEST_F(WasmProvider, P23_AWorkerHasItsSocketAndNothingElse) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can look into a process that does not let itself be traced";
  }
  ASSERT_EQ(ResultOf("1").exit_code, 0);
  const auto workers = Children();
  ASSERT_FALSE(workers.empty());
  for (const pid_t pid : workers) {
    const std::string proc = "/proc/" + std::to_string(pid);
    std::size_t sockets = 0;
    // The fresh one may be starting still; it closes what it had before it is ready.
    ASSERT_TRUE(Eventually([&] { return provider_->Count().starting == 0; }));
    for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd")) {
      const std::string target = std::filesystem::read_symlink(entry.path()).string();
      EXPECT_EQ(target.substr(0, 7), "socket:") << target;
      ++sockets;
    }
    EXPECT_EQ(sockets, 1U);
    std::ifstream environment(proc + "/environ");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(environment), {}), "");
  }
}

TEST_F(WasmProvider, PassesItsPreflightAndItsSelfTest) {
  EXPECT_TRUE(provider_->Preflight(Soon()));
  const auto tested = provider_->SmokeTest(Soon());
  EXPECT_TRUE(tested) << base::TextOf(tested.error());
}

TEST_F(WasmProvider, ReportsWhatItsSelfTestTriedAndSaw) {
  EXPECT_EQ(provider_->Probes(), nullptr);
  EXPECT_TRUE(provider_->Offer().javascript->languages.empty());  // none is stated before one was shown to run
  ASSERT_TRUE(provider_->SmokeTest(Soon()));
  const auto report = provider_->Probes();
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report, provider_->LastBattery());
  EXPECT_EQ(report->provider, "wasm");
  EXPECT_EQ(report->tier, isolation::Tier::kProcess);
  EXPECT_EQ(report->environment, provider_->Offer().javascript->identity);
  EXPECT_LE(report->started_unix_ms, report->ended_unix_ms);
  std::vector<std::string> ids;
  for (const isolation::Probe& probe : report->probes) {
    ids.push_back(probe.id);
    EXPECT_EQ(probe.outcome, isolation::Probe::Outcome::kPass) << probe.id;
    EXPECT_FALSE(probe.tried.empty()) << probe.id;
    EXPECT_EQ(probe.detail.rfind("ended with exit code ", 0), 0U) << probe.detail;
    EXPECT_GE(probe.at_unix_ms, report->started_unix_ms);
    EXPECT_LE(probe.at_unix_ms, report->ended_unix_ms);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"snippet/deadline-builtin", "snippet/deadline-loop", "snippet/memory-cap",
                                           "snippet/run"}));
  EXPECT_EQ(provider_->Offer().javascript->languages, std::vector<std::string>{"javascript"});
}

TEST_F(WasmProvider, StatesTheEngineVersionThatRunsAndTheMemoryInForce) {
  ASSERT_TRUE(provider_->SmokeTest(Soon()));
  const std::string version = provider_->Probes()->runtime_version;
  const std::string number = version.substr(version.rfind(' ') + 1);
  EXPECT_NE(ResultOf("console.log(navigator.userAgent)").stdout_bytes.find(number), std::string::npos) << number;
  EXPECT_EQ(provider_->Offer().resources.memory_mb, 256U);
}

TEST_F(WasmProvider, StopsARunWhoseCallerLeaves) {
  std::stop_source stop;
  const run::Request request = Validated(Draft("for(;;){}"));
  std::promise<base::Result<run::Report>> promise;
  auto future = promise.get_future();
  provider_->Run({.request = request, .principal = "alice", .stop = stop.get_token()},
                 [&promise](base::Result<run::Report> report) { promise.set_value(std::move(report)); });
  ASSERT_TRUE(Eventually([&] { return provider_->Count().running == 1; }));
  stop.request_stop();
  const auto report = future.get();
  ASSERT_NE(base::FaultIn(report), nullptr);
  EXPECT_EQ(base::FaultIn(report)->kind, base::FaultKind::kCanceled);
}

class ProviderOfAFake : public WasmProvider {
 protected:
  ProviderOfAFake() : WasmProvider({.worker_program = FakeWorker(), .max_concurrent = 4, .cores = 1}) {}
  int SecondsTold(milliseconds timeout) {
    return static_cast<int>((std::stol(ResultOf("timeout", timeout).stdout_bytes) + 500) / 1000);
  }
};

TEST_F(ProviderOfAFake, XE8_P11_TellsTheWorkerTheDefaultTheCeilingOrWhatWasAsked) {
  ASSERT_EQ(ResultOf("echo warm").stdout_bytes, "warm");
  EXPECT_EQ(SecondsTold(milliseconds(0)), 5);
  EXPECT_EQ(SecondsTold(milliseconds(100'000)), 30);
  EXPECT_EQ(SecondsTold(milliseconds(2'000)), 2);
}

TEST_F(ProviderOfAFake, FailsTheSelfTestOfAProgramThatIsNoEngine) {
  const auto tested = provider_->SmokeTest(Soon());
  ASSERT_NE(base::FaultIn(tested), nullptr);
  EXPECT_NE(base::FaultIn(tested)->detail.find("a snippet"), std::string::npos) << base::FaultIn(tested)->detail;
  EXPECT_EQ(provider_->Probes(), nullptr);
  const auto battery = provider_->LastBattery();
  ASSERT_NE(battery, nullptr);
  ASSERT_EQ(battery->probes.size(), 4U);
  EXPECT_EQ(battery->probes[3].id, "snippet/run");
  EXPECT_EQ(battery->probes[3].outcome, isolation::Probe::Outcome::kFail);
  EXPECT_EQ(battery->probes[0].outcome, isolation::Probe::Outcome::kSkip);
  EXPECT_NE(battery->probes[0].detail.find("not tried"), std::string::npos);
}

class ProviderWithoutAProgram : public WasmProvider {
 protected:
  ProviderWithoutAProgram() : WasmProvider({.worker_program = "/nonexistent/worker"}) {}
};

TEST_F(ProviderWithoutAProgram, FailsItsPreflightNamingThePathAndWhatToDo) {
  const auto ready = provider_->Preflight(Soon());
  ASSERT_NE(base::FaultIn(ready), nullptr);
  EXPECT_NE(base::FaultIn(ready)->detail.find("/nonexistent/worker"), std::string::npos);
  EXPECT_NE(base::FaultIn(ready)->detail.find("PLIMSOLL_LIBEXEC"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::wasm
