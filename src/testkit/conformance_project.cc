#include <array>
#include <string>

#include "testkit/conformance.h"
#include "testkit/conformance_words.h"

namespace plimsoll::testkit {
namespace {

using std::chrono::milliseconds;
using Given = Subject::Given;

run::Project Steps(std::vector<std::string> steps) {
  return {.files = {}, .steps = std::move(steps), .artifacts = {}, .grant_profile = {}};
}

std::string StopsAtTheFirstFailure(const Subject& subject) {
  const auto report = subject.Ask(Steps({"echo one", "echo two; exit 3", "echo three"}), Given{});
  const auto* result = ProjectIn(report);
  const bool right = result != nullptr && result->outcome == run::Outcome::kCompleted && result->steps.size() == 2 &&
                     result->steps[0].stdout_bytes == "one\n" && result->steps[0].exit_code == 0 &&
                     result->steps[1].stdout_bytes == "two\n" && result->steps[1].exit_code == 3;
  return right ? "" : Told(report);
}

std::string FilesGoInAndArtifactsComeOut(const Subject& subject) {
  run::Project project = Steps({"cat src/a.txt > out/b.txt", "printf tail >> out/b.txt"});
  project.files = {{.path = "src/a.txt", .content = "hello\n"}, {.path = "out/keep", .content = ""}};
  project.artifacts = {"out/b.txt", "missing", "src/a.txt"};
  const auto report = subject.Ask(std::move(project), Given{});
  const auto* result = ProjectIn(report);
  const bool right = result != nullptr && result->outcome == run::Outcome::kCompleted && result->steps.size() == 2 &&
                     result->artifacts.size() == 2 && result->artifacts[0].path == "out/b.txt" &&
                     result->artifacts[0].content == "hello\ntail" && result->artifacts[1].path == "src/a.txt" &&
                     !result->artifacts_truncated;
  return right ? "" : Told(report);
}

std::string OneBudgetForAllSteps(const Subject& subject) {
  const auto report =
      subject.Ask(Steps({"sleep 0.3; echo slept", "sleep 30", "true"}), Given{.timeout = milliseconds(1'500)});
  const auto* result = ProjectIn(report);
  const bool right = result != nullptr && result->outcome == run::Outcome::kTimedOut && result->steps.size() == 2 &&
                     result->steps[0].stdout_bytes == "slept\n" && result->steps[1].exit_code == 124 &&
                     result->steps[1].timed_out;
  return right ? "" : Told(report);
}

std::string BytesComeBackRaw(const Subject& subject) {
  const auto report = subject.Ask(Steps({R"(printf '\000\377\200tail')"}), Given{});
  const auto* result = ProjectIn(report);
  const bool right = result != nullptr && result->steps.size() == 1 &&
                     result->steps[0].stdout_bytes == std::string("\0\377\200tail", 7);
  return right ? "" : Told(report);
}

std::string CollidingFilesAreASetupFailure(const Subject& subject) {
  run::Project project = Steps({"echo ran"});
  project.files = {{.path = "a", .content = "x"}, {.path = "a/b", .content = "y"}};
  const auto report = subject.Ask(std::move(project), Given{});
  const auto* result = ProjectIn(report);
  const bool right = result != nullptr && result->outcome == run::Outcome::kSetupFailed && result->steps.empty() &&
                     !result->outcome_detail.empty();
  return right ? "" : Told(report);
}

constexpr auto kBehaviour = Law::Group::kBehaviour;
constexpr std::array kLaws = {
    Law{"P44_StopsAtTheFirstFailure", kBehaviour, Ability::kProjects, StopsAtTheFirstFailure},
    Law{"XF5_FilesGoInAndArtifactsComeOut", kBehaviour, Ability::kProjects, FilesGoInAndArtifactsComeOut},
    Law{"OneBudgetForAllSteps", kBehaviour, Ability::kProjects, OneBudgetForAllSteps},
    Law{"XB5_BytesComeBackRaw", kBehaviour, Ability::kProjects, BytesComeBackRaw},
    Law{"P48_CollidingFilesAreASetupFailure", kBehaviour, Ability::kProjects, CollidingFilesAreASetupFailure},
};

}  // namespace

std::span<const Law> ProjectLaws() { return kLaws; }

}  // namespace plimsoll::testkit
