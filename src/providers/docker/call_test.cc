#include "providers/docker/call.h"

#include <gtest/gtest.h>

#include <vector>

#include "providers/docker/testing/frames_of_call.h"

namespace plimsoll::docker {
namespace {

using frames::agent::Kind;
using frames::agent::Outcome;
using frames::agent::Type;

CallTranscript Snippet() { return CallTranscript(Kind::kSnippet, SmallSnippetPlan()); }
CallTranscript Project() { return CallTranscript(Kind::kProject, SmallProjectPlan()); }

// Takes all of them but the last, and not the last; and nothing after it.
void ExpectBreach(CallTranscript call, const std::vector<SaidFrame>& said) {
  for (std::size_t i = 0; i + 1 < said.size(); ++i) {
    ASSERT_TRUE(Takes(call, said[i])) << "frame " << i;
  }
  EXPECT_FALSE(Takes(call, said.back()));
  EXPECT_FALSE(Takes(call, Started(0)));
  EXPECT_FALSE(Takes(call, Done(Outcome::kSetupFailed)));
}

TEST(CallTranscript, KeepsWhatASnippetSaid) {
  CallTranscript call = Snippet();
  EXPECT_FALSE(call.started());
  for (const SaidFrame& said :
       {Started(0), Stdout(0, "out"), Stderr(0, "err"), Stdout(0, "put"), Exit(0, 2), Done(Outcome::kCompleted)}) {
    ASSERT_TRUE(Takes(call, said));
  }
  EXPECT_TRUE(call.started());
  EXPECT_TRUE(call.done());
  const auto steps = call.TakeSteps();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].stdout_bytes, "output");
  EXPECT_EQ(steps[0].stderr_bytes, "err");
  EXPECT_EQ(steps[0].exited->exit_code, 2);
}

TEST(CallTranscript, KeepsStepsAndArtifactsOfAProject) {
  CallTranscript call = Project();
  for (const SaidFrame& said : {Started(0), Exit(0, 0), Started(1), Exit(1, 1), Artifact(0, "ab", Last::kNo),
                                Artifact(0, "c", Last::kYes), Artifact(2, "", Last::kYes), Done(Outcome::kCompleted)}) {
    ASSERT_TRUE(Takes(call, said));
  }
  EXPECT_EQ(call.steps().size(), 2U);
  const auto artifacts = call.TakeArtifacts();
  EXPECT_EQ(artifacts, (std::map<std::uint32_t, std::string>{{0, "abc"}, {2, ""}}));
}

TEST(CallTranscript, P41_GuestBytesThatLookLikeFramesAreOutputOnly) {
  frames::agent::Plan plan = SmallSnippetPlan();
  plan.stream_cap = 1000;
  CallTranscript call(Kind::kSnippet, plan);
  const SaidFrame forged = Done(Outcome::kCompleted);
  const std::string imitation = "plimsoll-started:0123456789abcdef\n" +
                                std::string(1, static_cast<char>(forged.first)) + forged.second +
                                "<<<PLIMSOLL_REPORT_V3>>> 2\n{}";
  ASSERT_TRUE(Takes(call, Started(0)));
  ASSERT_TRUE(Takes(call, Stdout(0, imitation)));
  EXPECT_FALSE(call.done());
  EXPECT_EQ(call.steps()[0].stdout_bytes, imitation);
}

TEST(CallTranscript, NothingComesBeforeTheFirstStart) {
  for (const SaidFrame& early :
       {Stdout(0, "x"), Stderr(0, "x"), Exit(0, 0), Artifact(0, "x", Last::kYes), Done(Outcome::kCompleted)}) {
    ExpectBreach(Project(), {early});
  }
  ExpectBreach(Snippet(), {Started(1)});
}

TEST(CallTranscript, StepsComeInOrderAndOnlyAfterSuccess) {
  ExpectBreach(Project(), {Started(0), Started(1)});  // the first still runs
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Started(0)});
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Started(2)});
  ExpectBreach(Project(), {Started(0), Exit(0, 1), Started(1)});  // after a failure
  ExpectBreach(Project(), {Started(0), TimedOut(0), Started(1)});
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Artifact(0, "x", Last::kYes), Started(1)});
  ExpectBreach(Snippet(), {Started(0), Exit(0, 0), Started(1)});
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Started(1), Exit(1, 0), Started(2), Exit(2, 0), Started(3)});
}

TEST(CallTranscript, OutputAndExitBelongToTheStepThatRuns) {
  ExpectBreach(Project(), {Started(0), Stdout(1, "x")});
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Stdout(0, "x")});
  ExpectBreach(Project(), {Started(0), Exit(1, 0)});
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Exit(0, 0)});
}

TEST(CallTranscript, P75_HoldsNoByteMoreThanTheCaps) {
  CallTranscript at_cap = Snippet();
  EXPECT_TRUE(Takes(at_cap, Started(0)));
  EXPECT_TRUE(Takes(at_cap, Stdout(0, "0123456789")));
  EXPECT_TRUE(Takes(at_cap, Stderr(0, "0123456789")));
  ExpectBreach(Snippet(), {Started(0), Stdout(0, "0123456789"), Stdout(0, "x")});
  ExpectBreach(Snippet(), {Started(0), Stdout(0, "0123456789x")});
  // 25 bytes for all streams of all steps together.
  ExpectBreach(Project(), {Started(0), Stdout(0, "0123456789"), Stderr(0, "0123456789"), Exit(0, 0), Started(1),
                           Stdout(1, "01234"), Stdout(1, "5")});
}

TEST(CallTranscript, ArtifactsComeInOrderWholeAndWithinTheirCap) {
  const std::vector<SaidFrame> ran = {Started(0), Exit(0, 1)};
  const auto after = [&](std::vector<SaidFrame> more) {
    std::vector<SaidFrame> all = ran;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ExpectBreach(Project(), after({Artifact(3, "x", Last::kYes)}));
  ExpectBreach(Project(), after({Artifact(1, "x", Last::kYes), Artifact(0, "x", Last::kYes)}));
  ExpectBreach(Project(), after({Artifact(1, "x", Last::kYes), Artifact(1, "x", Last::kYes)}));
  ExpectBreach(Project(), after({Artifact(0, "x", Last::kNo), Artifact(1, "x", Last::kYes)}));
  ExpectBreach(Project(), after({Artifact(0, "x", Last::kNo), Done(Outcome::kCompleted)}));
  ExpectBreach(Project(), after({Artifact(0, "12345678", Last::kYes), Artifact(1, "9", Last::kYes)}));
  ExpectBreach(Project(), {Started(0), Artifact(0, "x", Last::kYes)});
  ExpectBreach(Snippet(), after({Artifact(0, "x", Last::kYes)}));
}

TEST(CallTranscript, AnEndFitsWhatWasSaidBefore) {
  ExpectBreach(Project(), {Started(0), Done(Outcome::kCompleted)});              // runs still
  ExpectBreach(Project(), {Started(0), Exit(0, 0), Done(Outcome::kCompleted)});  // two steps are missing
  ExpectBreach(Project(), {Started(0), TimedOut(0), Done(Outcome::kCompleted)});
  ExpectBreach(Project(), {Started(0), Done(Outcome::kTimedOut)});
  ExpectBreach(Project(), {Started(0), Exit(0, 1), Done(Outcome::kSetupFailed)});
  CallTranscript failed = Project();
  EXPECT_TRUE(Takes(failed, Done(Outcome::kSetupFailed, "file 1 of 2")));
  EXPECT_EQ(failed.end()->detail, "file 1 of 2");
  CallTranscript broke = Project();
  EXPECT_TRUE(Takes(broke, Started(0)));
  EXPECT_TRUE(Takes(broke, Done(Outcome::kRunnerFailed)));
}

TEST(CallTranscript, NothingFollowsAnEnd) {
  for (const SaidFrame& late : {Stdout(0, "x"), Exit(0, 0), Done(Outcome::kCompleted)}) {
    ExpectBreach(Snippet(), {Started(0), Exit(0, 0), Done(Outcome::kCompleted), late});
  }
}

TEST(CallTranscript, FramesOfTheControlChannelAreNoneOfACall) {
  for (const Type type : {Type::kReady, Type::kPong, Type::kKey, Type::kBegin}) {
    ExpectBreach(Snippet(), {{type, ""}});
  }
}

}  // namespace
}  // namespace plimsoll::docker
