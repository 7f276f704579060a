// plimsolld: reads arguments and environment, and starts what they ask for. Everything real is made here and handed in.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/build_provider.h"
#include "daemon/check.h"
#include "daemon/doctor.h"
#include "daemon/log_escape.h"
#include "daemon/log_sink.h"
#include "daemon/plan.h"
#include "daemon/process.h"
#include "daemon/reference.h"
#include "daemon/serve.h"
#include "daemon/version.h"
#include "os/system_clock.h"
#include "os/system_random.h"

namespace plimsoll::daemon {
namespace {

constexpr int kOk = 0;
constexpr int kStartError = 1;
constexpr int kBadArguments = 2;

void Print(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

int RefuseArgument(std::string_view argument) {
  std::string message = "plimsolld: unknown argument ";
  AppendJsonText(message, argument);
  Print(stderr, message + "\n\n" + HelpText());
  return kBadArguments;
}

enum class Output { kText, kJson };

int Tell(const Plan& plan, const Environment& environment, Output output, const Examination* examination) {
  Print(stdout, output == Output::kJson ? CheckJson(plan, environment, examination)
                                        : CheckText(plan, environment, examination));
  return CheckExitCode(plan);
}

int RunCheck(const Environment& environment, Output output) {
  return Tell(MakePlan({environment, IncludedProviders(), FinderOf()}), environment, output, nullptr);
}

// Like a start up to the listeners, which it does not open: a running daemon of the same settings is not disturbed.
int RunDoctor(const Environment& environment, Output output, Depth depth) {
  HoldStopSignals();
  const StopSignalsEnd stoppable;  // it has nothing to drain: what it leaves behind is for the reaper
  const os::SystemClock clock;
  os::SystemRandom random;
  LineLog log(LogFormatIn(environment), clock, [](std::string_view line) { Print(stderr, line); });
  Plan plan = MakePlan({environment, IncludedProviders(), BuilderOf(clock, random, log)});
  const Examination examination = Examine(plan, clock, depth);
  return Tell(plan, environment, output, &examination);
}

int RunDaemon(const Environment& environment) {
  HoldStopSignals();  // before any thread, so that none of them can be stopped by a signal
  const os::SystemClock clock;
  os::SystemRandom random;
  LineLog log(LogFormatIn(environment), clock, [](std::string_view line) { Print(stderr, line); });
  Plan plan = MakePlan({environment, IncludedProviders(), BuilderOf(clock, random, log)});
  if (!Announce(plan, log)) {
    return kStartError;
  }
  return Serve(std::move(plan), clock, random, log);
}

// `check [--json]` and `doctor [--smoke] [--json]`, flags in any order and each once.
int RunReport(const std::vector<std::string_view>& arguments, const Environment& environment) {
  const bool doctor = arguments[0] == "doctor";
  Output output = Output::kText;
  Depth depth = Depth::kPreflight;
  for (const std::string_view argument : std::span(arguments).subspan(1)) {
    if (argument == "--json" && output == Output::kText) {
      output = Output::kJson;
    } else if (doctor && argument == "--smoke" && depth == Depth::kPreflight) {
      depth = Depth::kSmokeTest;
    } else {
      return RefuseArgument(argument);
    }
  }
  return doctor ? RunDoctor(environment, output, depth) : RunCheck(environment, output);
}

int Main(const std::vector<std::string_view>& arguments) {
  const Environment environment = ProcessEnvironment();
  if (arguments.empty()) {
    return RunDaemon(environment);
  }
  const std::string_view first = arguments[0];
  const bool alone = arguments.size() == 1;
  if (alone && (first == "-h" || first == "--help" || first == "help")) {
    Print(stdout, HelpText());
    return kOk;
  }
  if (alone && first == "--version") {
    Print(stdout, VersionLine());
    return kOk;
  }
  if (alone && first == "settings-reference") {
    Print(stdout, ReferencePage());
    return kOk;
  }
  if (first == "check" || first == "doctor") {
    return RunReport(arguments, environment);
  }
  return RefuseArgument(first);
}

}  // namespace
}  // namespace plimsoll::daemon

int main(int argc, char** argv) { return plimsoll::daemon::Main({argv + std::min(argc, 1), argv + argc}); }
