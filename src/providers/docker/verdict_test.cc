#include "providers/docker/verdict.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "providers/docker/testing/frames_of_call.h"

namespace plimsoll::docker {
namespace {

using frames::agent::Kind;
using frames::agent::Outcome;
using How = CallEnd::How;
using std::chrono::milliseconds;

constexpr base::SteadyTime kDeadline{std::chrono::hours(1)};
constexpr base::SteadyTime kBefore = kDeadline - milliseconds(1);

CallTranscript Said(Kind kind, const std::vector<SaidFrame>& frames) {
  CallTranscript call(kind, kind == Kind::kSnippet ? SmallSnippetPlan() : SmallProjectPlan());
  for (const SaidFrame& frame : frames) {
    EXPECT_TRUE(Takes(call, frame));
  }
  return call;
}

CallEnd Ended(How how) { return {.how = how, .exit_heard = kBefore, .detail = "why"}; }
CallEnd EndedWith(std::int64_t exit_code, bool oom) {
  ContainerState container{.status = ContainerState::Status::kExited, .runtime = {}, .image = {}};
  container.exit_code = exit_code;
  container.oom_killed = oom;
  return {.how = How::kContainerEnded, .container = container};
}

base::Result<run::JavaScriptResult> Snippet(const CallEnd& end, const std::vector<SaidFrame>& frames) {
  CallTranscript call = Said(Kind::kSnippet, frames);
  return SnippetVerdict(end, call, kDeadline);
}
base::Result<run::ProjectResult> Project(const CallEnd& end, const std::vector<SaidFrame>& frames) {
  CallTranscript call = Said(Kind::kProject, frames);
  run::Project project;
  project.steps = {"a", "b", "c"};
  project.artifacts = {"x", "y", "z"};
  return ProjectVerdict(end, call, project, kDeadline);
}

const std::vector<SaidFrame> kRunning = {Started(0), Stdout(0, "so far")};

// --- snippets

TEST(SnippetVerdict, AnExitIsTheGuests) {
  const auto result = Snippet(Ended(How::kDone), {Started(0), Stdout(0, "x"), Exit(0, 2), Done(Outcome::kCompleted)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 2);
  EXPECT_EQ(result->stdout_bytes, "x");
  EXPECT_EQ(result->ending, run::Ending::kExited);
}

TEST(SnippetVerdict, ASignalIsAnExitCodeToo) {
  const auto result = Snippet(
      Ended(How::kDone), {Started(0), Exited({.step = 0, .exit_code = 137, .signal = 9}), Done(Outcome::kCompleted)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 137);
  EXPECT_EQ(result->ending, run::Ending::kSignalled);
  EXPECT_FALSE(result->timed_out);
}

TEST(SnippetVerdict, TheDeadlineEndsItWhoeverNoticedFirst) {
  const auto agent = Snippet(Ended(How::kDone), {Started(0), TimedOut(0), Done(Outcome::kTimedOut)});
  CallEnd late = Ended(How::kDone);
  late.exit_heard = kDeadline;
  const auto host = Snippet(late, {Started(0), Exit(0, 0), Done(Outcome::kCompleted)});
  const auto silent = Snippet(Ended(How::kSilent), kRunning);
  for (const auto& result : {agent, host, silent}) {
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->timed_out);
    EXPECT_EQ(result->exit_code, 124);
    EXPECT_EQ(result->ending, run::Ending::kDeadline);
  }
  EXPECT_EQ(silent->stdout_bytes, "so far");  // XA2
}

TEST(SnippetVerdict, ASandboxThatEndedIsAKilledGuestWithItsOutput) {
  const auto killed = Snippet(EndedWith(137, false), kRunning);
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->exit_code, 137);
  EXPECT_EQ(killed->stdout_bytes, "so far");
  EXPECT_EQ(killed->ending, run::Ending::kSignalled);
  EXPECT_EQ(Snippet(EndedWith(137, true), kRunning)->ending, run::Ending::kOutOfMemory);  // XE1
}

TEST(SnippetVerdict, AFullStreamOfAnInterruptedGuestCountsAsCut) {
  const auto result = Snippet(Ended(How::kSilent), {Started(0), Stdout(0, "0123456789"), Stderr(0, "x")});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->stdout_truncated);
  EXPECT_FALSE(result->stderr_truncated);
}

TEST(SnippetVerdict, WithoutEvidenceOfAStartThereIsNoResult) {
  for (const CallEnd& end : {Ended(How::kSilent), EndedWith(0, false), EndedWith(137, true)}) {
    EXPECT_NE(base::FaultIn(Snippet(end, {})), nullptr);
  }
  EXPECT_NE(base::FaultIn(Snippet(Ended(How::kDone), {Done(Outcome::kSetupFailed)})), nullptr);
  EXPECT_NE(base::FaultIn(Snippet(Ended(How::kDone), {Done(Outcome::kTimedOut)})), nullptr);
}

TEST(SnippetVerdict, ALostStreamABreachAndACallerWhoLeftAreFaultsWhateverCameBefore) {
  const std::vector<SaidFrame> over = {Started(0), Exit(0, 0)};
  EXPECT_EQ(base::FaultIn(Snippet(Ended(How::kLost), over))->kind, base::FaultKind::kUnavailable);
  EXPECT_EQ(base::FaultIn(Snippet(Ended(How::kViolation), over))->kind, base::FaultKind::kInternal);
  EXPECT_EQ(base::FaultIn(Snippet(Ended(How::kCanceled), over))->kind, base::FaultKind::kCanceled);
  EXPECT_EQ(base::FaultIn(Snippet(Ended(How::kDone), {Started(0), Done(Outcome::kRunnerFailed)}))->kind,
            base::FaultKind::kInternal);
}

// --- projects

TEST(ProjectVerdict, CompletedHasItsStepsArtifactsAndNoDetail) {
  const auto result =
      Project(Ended(How::kDone), {Started(0), Stdout(0, "o"), Exit(0, 0), Started(1), Exit(1, 3),
                                  Artifact(1, "yy", Last::kYes), Done(Outcome::kCompleted, "not repeated")});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kCompleted);
  EXPECT_EQ(result->outcome_detail, "");
  ASSERT_EQ(result->steps.size(), 2U);
  EXPECT_EQ(result->steps[0].command, "a");
  EXPECT_EQ(result->steps[0].stdout_bytes, "o");
  EXPECT_EQ(result->steps[1].exit_code, 3);
  ASSERT_EQ(result->artifacts.size(), 1U);
  EXPECT_EQ(result->artifacts[0].path, "y");
  EXPECT_EQ(result->artifacts[0].content, "yy");
}

TEST(ProjectVerdict, P48_ASetupThatFailedSaysWhyInTheAgentsWords) {
  const auto result = Project(Ended(How::kDone), {Done(Outcome::kSetupFailed, "file 2 of 3: its path is a folder")});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kSetupFailed);
  EXPECT_EQ(result->outcome_detail, "file 2 of 3: its path is a folder");
  EXPECT_TRUE(result->steps.empty());
}

TEST(ProjectVerdict, ATimedOutStepMakesTheRunTimedOutAndIsNamed) {
  const auto result = Project(Ended(How::kDone),
                              {Started(0), Exit(0, 0), Started(1), TimedOut(1), Done(Outcome::kTimedOut, "ignored")});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kTimedOut);
  EXPECT_EQ(result->outcome_detail, "the time limit ended step 2");
  EXPECT_TRUE(result->steps[1].timed_out);
  EXPECT_EQ(result->steps[1].exit_code, 124);
}

TEST(ProjectVerdict, AnExitHeardAfterTheDeadlineHasTimedOut) {
  CallEnd late = Ended(How::kDone);
  late.exit_heard = kDeadline;
  const auto result = Project(late, {Started(0), Exit(0, 1), Done(Outcome::kCompleted)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kTimedOut);
  EXPECT_TRUE(result->steps[0].timed_out);
  EXPECT_EQ(result->steps[0].exit_code, 124);
}

TEST(ProjectVerdict, P43_ASandboxThatEndedIsARunnerThatFailedWithWhatWasSeen) {
  const auto result = Project(EndedWith(137, true), {Started(0), Exit(0, 0), Started(1), Stdout(1, "so far")});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kRunnerFailed);
  EXPECT_EQ(result->outcome_detail,
            "the sandbox ended during step 2, before its report: container exit code 137, out of memory");
  ASSERT_EQ(result->steps.size(), 2U);
  EXPECT_EQ(result->steps[1].exit_code, 137);
  EXPECT_EQ(result->steps[1].stdout_bytes, "so far");
}

TEST(ProjectVerdict, ASilentSandboxIsABareTimeout) {
  const auto result = Project(Ended(How::kSilent), kRunning);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kTimedOut);
  EXPECT_TRUE(result->steps.empty());
}

TEST(ProjectVerdict, P75_ABreachIsAProtocolErrorWithoutSteps) {
  const auto result = Project(Ended(How::kViolation), kRunning);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, run::Outcome::kProtocolError);
  EXPECT_TRUE(result->steps.empty());
  EXPECT_EQ(result->outcome_detail.find("why"), std::string::npos);  // the log's words stay in the log
}

TEST(ProjectVerdict, WithoutEvidenceOfAStartThereIsNoResult) {
  EXPECT_NE(base::FaultIn(Project(Ended(How::kSilent), {})), nullptr);
  EXPECT_NE(base::FaultIn(Project(EndedWith(1, false), {})), nullptr);
  EXPECT_NE(base::FaultIn(Project(Ended(How::kLost), kRunning)), nullptr);
  EXPECT_NE(base::FaultIn(Project(Ended(How::kCanceled), kRunning)), nullptr);
}

}  // namespace
}  // namespace plimsoll::docker
