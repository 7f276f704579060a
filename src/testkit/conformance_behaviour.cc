#include <array>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "run/limits.h"
#include "testkit/conformance.h"
#include "testkit/conformance_words.h"

namespace plimsoll::testkit {
namespace {

using std::chrono::milliseconds;
using Given = Subject::Given;

std::string Echo(const Subject& subject) {
  return Differs(subject.Snippet("console.log(6 * 7)", Given{}), {.out = "42\n"});
}

std::string StatesItsEvidence(const Subject& subject) {
  const auto report = subject.Snippet("console.log(1)", Given{});
  if (!report) {
    return Told(report);
  }
  if (report->tier != subject.tier) {
    return "states tier " + std::string(isolation::Name(report->tier));
  }
  if (report->provider != subject.provider.Offer().provider) {
    return "states provider " + report->provider;
  }
  if (report->environment.empty() || report->environment != subject.provider.Offer().javascript->identity) {
    return "states environment `" + report->environment + "`";
  }
  return report->duration.count() < 0 ? "a negative duration" : "";
}

std::string NothingPrinted(const Subject& subject) { return Differs(subject.Snippet("1 + 1", Given{}), {}); }

std::string UncaughtError(const Subject& subject) {
  const auto report = subject.Snippet("throw new Error('boom')", Given{});
  const auto* result = SnippetIn(report);
  if (result == nullptr || result->exit_code != 1) {
    return Told(report);
  }
  return result->stderr_bytes.find("Error: boom") == std::string::npos ? "stderr lacks the error: " + Told(report) : "";
}

std::string UnhandledRejection(const Subject& subject) {
  const auto report = subject.Snippet("Promise.reject(new Error('late'))", Given{});
  const auto* result = SnippetIn(report);
  return result == nullptr || result->exit_code != 1 ? Told(report) : "";
}

std::string SyntaxError(const Subject& subject) {
  const auto report = subject.Snippet("let = = 3", Given{});
  const auto* result = SnippetIn(report);
  return result == nullptr || result->exit_code == 0 || result->timed_out ? Told(report) : "";
}

std::string StreamsAreApart(const Subject& subject) {
  return Differs(subject.Snippet("console.log('a'); console.error('b')", Given{}), {.out = "a\n", .err = "b\n"});
}

std::string TimersAndPromisesRun(const Subject& subject) {
  return Differs(subject.Snippet("(async () => { await null; setTimeout(() => console.log('timer'), 20) })()", Given{}),
                 {.out = "timer\n"});
}

std::string UnicodeIsKept(const Subject& subject) {
  return Differs(subject.Snippet("console.log('\xc3\xa6\xe2\x82\xac\xf0\x9f\x9a\xa2')", Given{}),
                 {.out = "\xc3\xa6\xe2\x82\xac\xf0\x9f\x9a\xa2\n"});
}

std::string LongCodeRuns(const Subject& subject) {
  std::string code = "console.log(1)\n//";
  code.append(run::kMaxCodeBytes - code.size(), 'x');
  return Differs(subject.Snippet(std::move(code), Given{}), {.out = "1\n"});
}

// A stream exactly at its cap is whole; one byte more is cut and flagged, and ends nothing.
std::string CapIsExact(const Subject& subject) {
  const std::string full(65'536, 'x');
  std::string seen =
      Differs(subject.Snippet("console.log('x'.repeat(65535))", Given{}), {.out = full.substr(1) + "\n"});
  if (!seen.empty()) {
    return "at the cap: " + seen;
  }
  const auto report = subject.Snippet("console.log('x'.repeat(65536)); console.error('end')", Given{});
  return Differs(report, {.out = full, .err = "end\n", .out_cut = true});
}

// The guest ends by itself: an exit by an error would leave to the engine how much of its output it still writes.
std::string FloodIsCutNotKilled(const Subject& subject) {
  const auto report = subject.Snippet(
      "const s = 'x'.repeat(65535); for (let i = 0; i < 160; i++) console.log(s); console.error('end')", Given{});
  const auto* result = SnippetIn(report);
  if (result == nullptr || result->exit_code != 0 || result->timed_out || !result->stdout_truncated ||
      result->stderr_bytes != "end\n") {
    return Told(report);
  }
  return result->stdout_bytes.size() == 65'536 ? "" : "kept " + std::to_string(result->stdout_bytes.size());
}

std::string DeadlineKeepsOutput(const Subject& subject) {
  const auto start = subject.clock.Steady();
  const auto report = subject.Snippet("console.log('before'); for (;;);", Given{.timeout = milliseconds(3'000)});
  const auto took = subject.clock.Steady() - start;
  std::string seen = Differs(report, {.out = "before\n", .exit = 124, .timed_out = true});
  if (seen.empty() && took > milliseconds(3'000) + subject.slack) {
    seen = "answered after " + std::to_string(std::chrono::duration_cast<milliseconds>(took).count()) + " ms";
  }
  return seen;
}

std::string IdleGuestMeetsItsDeadline(const Subject& subject) {
  return Differs(subject.Snippet("setTimeout(() => {}, 60000)", Given{.timeout = milliseconds(3'000)}),
                 {.exit = 124, .timed_out = true});
}

std::string LongTimeoutIsCutNotRefused(const Subject& subject) {
  return Differs(subject.Snippet("console.log(1)", Given{.timeout = milliseconds(290'000)}), {.out = "1\n"});
}

std::string CallerWhoLeavesIsToldSo(const Subject& subject) {
  std::stop_source source;
  std::jthread leaver([&source] {
    std::this_thread::sleep_for(milliseconds(400));
    source.request_stop();
  });
  const auto start = subject.clock.Steady();
  const auto report = subject.Snippet("for (;;);", Given{.stop = source.get_token()});
  const auto* fault = base::FaultIn(report);
  if (fault == nullptr || fault->kind != base::FaultKind::kCanceled) {
    return Told(report);
  }
  return subject.clock.Steady() - start > milliseconds(400) + subject.slack ? "told too late" : "";
}

std::string CallerWhoHasLeftRunsNothing(const Subject& subject) {
  std::stop_source source;
  source.request_stop();
  const auto report = subject.Snippet("console.log(1)", Given{.stop = source.get_token()});
  return report ? "ran all the same" : "";
}

std::string NothingIsLeftForTheNextRun(const Subject& subject) {
  std::string seen =
      Differs(subject.Snippet("globalThis.left = 1; Array.prototype.x = 1; console.log(2)", Given{}), {.out = "2\n"});
  if (seen.empty()) {
    seen = Differs(subject.Snippet("console.log(typeof left, [].x)", Given{}), {.out = "undefined undefined\n"});
  }
  return seen;
}

std::string ManyAtOnceEachGetTheirOwn(const Subject& subject) {
  std::vector<std::future<std::string>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::async(std::launch::async, [&subject, i] {
      const std::string mine = "run-" + std::to_string(i);
      return Differs(subject.Snippet("console.log('" + mine + "')", Given{.principal = mine}), {.out = mine + "\n"});
    }));
  }
  std::string seen;
  for (auto& one : all) {
    seen += one.get();
  }
  return seen;
}

std::string FloorAboveIsRefused(const Subject& subject) {
  return NotRefused(subject.Snippet("console.log(1)", Given{.minimum_isolation = "vm"}),
                    base::Rule::kInsufficientIsolation);
}

std::string FloorAtTheTierRuns(const Subject& subject) {
  return Differs(
      subject.Snippet("console.log(1)", Given{.minimum_isolation = std::string(isolation::Name(subject.tier))}),
      {.out = "1\n"});
}

std::string OtherSoftwareIsRefused(const Subject& subject) {
  const std::string other = "oci-manifest:linux/amd64@sha256:" + std::string(64, '0');
  return NotRefused(subject.Snippet("console.log(1)", Given{.software = other}), base::Rule::kSoftwareMismatch);
}

std::string ModuleIsRefused(const Subject& subject) {
  return NotRefused(subject.Ask(run::Module{.model = "vanderpol", .rows = {{1, 2, 3}}, .end_time = 1, .step = 0.1}, {}),
                    base::Rule::kUnsupported);
}

std::string UnsupportedProjectIsRefused(const Subject& subject) {
  if (subject.Can(Ability::kProjects)) {
    return "";
  }
  return NotRefused(subject.Ask(run::Project{.files = {}, .steps = {"true"}, .artifacts = {}, .grant_profile = {}}, {}),
                    base::Rule::kUnsupported);
}

constexpr auto kBehaviour = Law::Group::kBehaviour;
constexpr std::array kLaws = {
    Law{"Echo", kBehaviour, Ability::kNone, Echo},
    Law{"StatesItsEvidence", kBehaviour, Ability::kNone, StatesItsEvidence},
    Law{"NothingPrinted", kBehaviour, Ability::kNone, NothingPrinted},
    Law{"UncaughtError", kBehaviour, Ability::kNone, UncaughtError},
    Law{"UnhandledRejection", kBehaviour, Ability::kNone, UnhandledRejection},
    Law{"SyntaxError", kBehaviour, Ability::kNone, SyntaxError},
    Law{"XB7_StreamsAreApart", kBehaviour, Ability::kNone, StreamsAreApart},
    Law{"TimersAndPromisesRun", kBehaviour, Ability::kNone, TimersAndPromisesRun},
    Law{"UnicodeIsKept", kBehaviour, Ability::kNone, UnicodeIsKept},
    Law{"XF2_LongCodeRuns", kBehaviour, Ability::kNone, LongCodeRuns},
    Law{"CapIsExact", kBehaviour, Ability::kNone, CapIsExact},
    Law{"XB1_FloodIsCutNotKilled", kBehaviour, Ability::kNone, FloodIsCutNotKilled},
    Law{"XA2_DeadlineKeepsOutput", kBehaviour, Ability::kNone, DeadlineKeepsOutput},
    Law{"IdleGuestMeetsItsDeadline", kBehaviour, Ability::kNone, IdleGuestMeetsItsDeadline},
    Law{"XA5_LongTimeoutIsCutNotRefused", kBehaviour, Ability::kNone, LongTimeoutIsCutNotRefused},
    Law{"XA8_CallerWhoLeavesIsToldSo", kBehaviour, Ability::kNone, CallerWhoLeavesIsToldSo},
    Law{"CallerWhoHasLeftRunsNothing", kBehaviour, Ability::kNone, CallerWhoHasLeftRunsNothing},
    Law{"NothingIsLeftForTheNextRun", kBehaviour, Ability::kNone, NothingIsLeftForTheNextRun},
    Law{"ManyAtOnceEachGetTheirOwn", kBehaviour, Ability::kNone, ManyAtOnceEachGetTheirOwn},
    Law{"FloorAboveIsRefused", kBehaviour, Ability::kNone, FloorAboveIsRefused},
    Law{"FloorAtTheTierRuns", kBehaviour, Ability::kNone, FloorAtTheTierRuns},
    Law{"OtherSoftwareIsRefused", kBehaviour, Ability::kNone, OtherSoftwareIsRefused},
    Law{"ModuleIsRefused", kBehaviour, Ability::kNone, ModuleIsRefused},
    Law{"UnsupportedProjectIsRefused", kBehaviour, Ability::kNone, UnsupportedProjectIsRefused},
};

}  // namespace

std::span<const Law> BehaviourLaws() { return kLaws; }

}  // namespace plimsoll::testkit
