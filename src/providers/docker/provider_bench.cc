// Speed of the docker provider at its boundary; run by hand and by bench/, not by ctest.
// usage: docker_provider_bench RUNTIME [RUNS]; the engine and the images as the tests take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "providers/docker/plans.h"
#include "providers/docker/testing/live_provider.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

double Milliseconds(steady_clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

void Print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-44s n %4zu  p50 %7.2f  p90 %7.2f  p99 %7.2f ms\n", what, times.size(), at(0.5), at(0.9), at(0.99));
  std::fflush(stdout);
}

// Times `runs` calls, each begun `pace` after the one before, or at once.
void Measure(const char* what, int runs, milliseconds pace, const std::function<void()>& call) {
  std::vector<double> times;
  auto next = steady_clock::now();
  for (int i = 0; i < runs; ++i) {
    std::this_thread::sleep_until(next);
    next = std::max(next + pace, steady_clock::now());
    const auto begin = steady_clock::now();
    call();
    times.push_back(Milliseconds(steady_clock::now() - begin));
  }
  Print(what, std::move(times));
}

void Snippet(LiveProvider& live) {
  const auto result = live.Snippet("console.log(6*7)");
  if (result.stdout_bytes != "42\n") {
    std::printf("wrong answer: exit %d\n%s\n", result.exit_code, result.stderr_bytes.c_str());
  }
}

void Project(LiveProvider& live) {
  run::Project project;
  project.files = {{.path = "a.txt", .content = "a\n"}};
  project.steps = {"cat a.txt", "echo b"};
  const auto result = live.Project(std::move(project));
  if (result.outcome != run::Outcome::kCompleted || result.steps.size() != 2) {
    std::printf("wrong answer: outcome %d %s\n", static_cast<int>(result.outcome), result.outcome_detail.c_str());
  }
}

// Where the time of a claimed run goes: the round trip to an agent, and the interpreter's own time as the agent saw it.
void MeasureParts(const std::string& runtime, int runs) {
  LiveProvider live(LiveSettings(runtime));
  os::SystemClock clock;
  os::SystemRandom random;
  testkit::CaptureLog log;
  Leases leases;
  const Settings settings = LiveSettings(runtime);
  const auto launcher = Launcher::Create(settings, clock, random, log, leases);
  std::vector<double> pings;
  std::vector<double> calls;
  std::vector<double> guests;
  std::vector<double> launches;
  std::vector<double> removals;
  for (int i = 0; i < runs; ++i) {
    const http::Bounds bounds{.deadline = steady_clock::now() + std::chrono::seconds(20)};
    auto at = steady_clock::now();
    const auto lap = [&](std::vector<double>& times) {
      times.push_back(Milliseconds(steady_clock::now() - at));
      at = steady_clock::now();
    };
    auto sandbox = std::move(launcher->Launch(live.state(), Role::kSnippet, {.ends = clock.Wall()}, bounds)).value();
    lap(launches);
    static_cast<void>(sandbox->Prepare(frames::agent::Kind::kSnippet, SnippetPlan(*sandbox), bounds));
    std::this_thread::sleep_for(milliseconds(500));
    for (int ping = 0; ping < 5; ++ping) {
      at = steady_clock::now();
      static_cast<void>(sandbox->Ping(bounds));
      lap(pings);
    }
    static_cast<void>(
        sandbox->Run({{.path = "", .content = "console.log(6*7)"}}, bounds.deadline, milliseconds(0), {}));
    lap(calls);
    guests.push_back(static_cast<double>(sandbox->transcript().steps().at(0).exited->duration.count()));
    at = steady_clock::now();
    launcher->Remove(std::move(sandbox));
    lap(removals);
  }
  Print("  launch, until the agent is ready", launches);
  Print("  ping", pings);
  Print("  call, from the code to its end", calls);
  Print("  of which the interpreter, as its agent saw it", guests);
  Print("  removal", removals);
}

void Bench(const std::string& runtime, int runs) {
  MeasureParts(runtime, runs);
  {
    Settings settings = LiveSettings(runtime);
    LiveProvider cold(settings);
    Measure("snippet, cold", runs, milliseconds(300), [&] { Snippet(cold); });
  }
  Settings settings = LiveSettings(runtime);
  settings.run_pool = 4;
  settings.max_concurrent = 32;  // a serial caller waits for no removal
  LiveProvider live(settings);
  live.AwaitPool(Role::kSnippet, 3);
  std::this_thread::sleep_for(milliseconds(1'000));
  Measure("snippet, full pool, one a second", runs, milliseconds(1'000), [&] { Snippet(live); });
  live.AwaitPool(Role::kProject, 1);
  std::this_thread::sleep_for(milliseconds(1'000));
  Measure("project of two steps, pool, one a second", runs, milliseconds(1'000), [&] { Project(live); });
  const auto before = live.provider().CountPool().made;
  const auto begin = steady_clock::now();
  Measure("snippet, unpaced", 3 * runs, milliseconds(0), [&] { Snippet(live); });
  const double took = Milliseconds(steady_clock::now() - begin) / 1e3;
  std::printf("members made meanwhile: %.2f a second\n",
              static_cast<double>(live.provider().CountPool().made - before) / took);
}

}  // namespace
}  // namespace plimsoll::docker

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  plimsoll::docker::Bench(argc > 1 ? argv[1] : "runc", argc > 2 ? std::atoi(argv[2]) : 20);
  return 0;
}
