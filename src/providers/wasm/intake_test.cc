#include "providers/wasm/intake.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::wasm {
namespace {

using frames::End;
using frames::Ended;
using frames::Next;
using frames::Type;
using Heard = Intake::Heard;

std::string Frame(Type type, std::string_view body = "") {
  std::string frame;
  frames::Append(type, body, frame);
  return frame;
}

std::string EndedFrame(const Ended& ended = {.end = End::kFinished, .next = Next::kReuse}) {
  std::string frame;
  frames::AppendEnded(ended, frame);
  return frame;
}

// An intake whose worker is ready and has been given an order.
Intake Running() {
  Intake intake;
  intake.Feed(Frame(Type::kReady));
  EXPECT_EQ(intake.Next(), Heard::kReady);
  intake.BeginRun();
  return intake;
}

void ExpectViolation(Intake intake, const std::string& bytes) {
  intake.Feed(bytes);
  EXPECT_EQ(intake.Next(), Heard::kViolation);
  EXPECT_FALSE(intake.violation().empty());
  intake.Feed(EndedFrame());
  EXPECT_EQ(intake.Next(), Heard::kViolation);  // for ever
}

TEST(Intake, HearsAWholeRunByteByByte) {
  Intake intake;
  std::string bytes = Frame(Type::kReady);
  for (const char byte : bytes) {
    EXPECT_EQ(intake.Next(), Heard::kNothing);
    intake.Feed({&byte, 1});
  }
  EXPECT_EQ(intake.Next(), Heard::kReady);
  intake.BeginRun();
  bytes = Frame(Type::kStdout, "out") + Frame(Type::kStderr, "err") + Frame(Type::kStdout, "put") +
          EndedFrame({.end = End::kFinished, .next = Next::kReuse, .exit_code = 7});
  for (const char byte : bytes) {
    EXPECT_EQ(intake.Next(), Heard::kNothing);
    intake.Feed({&byte, 1});
  }
  EXPECT_EQ(intake.Next(), Heard::kEnded);
  EXPECT_EQ(intake.ended().exit_code, 7);
  const Intake::Output output = intake.TakeOutput();
  EXPECT_EQ(output.stdout_bytes, "output");
  EXPECT_EQ(output.stderr_bytes, "err");
  EXPECT_FALSE(intake.has_unjudged_bytes());
}

TEST(Intake, WAS4_TakesEachFrameOnlyAtItsTime) {
  ExpectViolation(Intake(), Frame(Type::kStdout, "x"));  // before it is ready
  ExpectViolation(Intake(), EndedFrame());
  ExpectViolation(Running(), Frame(Type::kReady));  // a second time
  Intake idle = Running();
  idle.Feed(EndedFrame());
  ASSERT_EQ(idle.Next(), Heard::kEnded);
  ExpectViolation(idle, EndedFrame());  // no run to end
  ExpectViolation(idle, Frame(Type::kStderr, "x"));
}

TEST(Intake, WAS3_KnowsOfBytesThatBelongToNoRun) {
  Intake intake = Running();
  intake.Feed(EndedFrame() + "\x03");
  ASSERT_EQ(intake.Next(), Heard::kEnded);
  EXPECT_TRUE(intake.has_unjudged_bytes());
}

TEST(Intake, P16_KeepsAPrefixAndFlagsWhatWasCutOnEachStreamAlone) {
  Intake intake = Running();
  intake.Feed(Frame(Type::kStdout, std::string(65535, 'a')) + Frame(Type::kStdout, "bc"));
  intake.Feed(Frame(Type::kStderr, std::string(65536, 'e')));
  EXPECT_EQ(intake.Next(), Heard::kNothing);
  const Intake::Output output = intake.TakeOutput();
  EXPECT_EQ(output.stdout_bytes, std::string(65535, 'a') + "b");
  EXPECT_TRUE(output.stdout_truncated);
  EXPECT_EQ(output.stderr_bytes.size(), 65536U);
  EXPECT_FALSE(output.stderr_truncated);
}

TEST(Intake, BelievesTheWorkerWhenItSaysThatItCutSomething) {
  Intake intake = Running();
  intake.Feed(EndedFrame({.end = End::kFinished, .next = Next::kReuse, .exit_code = 0, .stderr_truncated = true}));
  ASSERT_EQ(intake.Next(), Heard::kEnded);
  const Intake::Output output = intake.TakeOutput();
  EXPECT_FALSE(output.stdout_truncated);
  EXPECT_TRUE(output.stderr_truncated);
}

TEST(Intake, XB3_BreaksOffBeforeAStreamSendsMoreThanOneFrameTooMany) {
  Intake intake = Running();
  const std::string frame = Frame(Type::kStdout, std::string(frames::kMaxOutput, 'x'));
  intake.Feed(frame);
  EXPECT_EQ(intake.Next(), Heard::kNothing);
  intake.Feed(frame);
  EXPECT_EQ(intake.Next(), Heard::kNothing);
  ExpectViolation(intake, Frame(Type::kStdout, "x"));
}

TEST(Intake, ForgetsTheOutputOfARunWhenTheNextBegins) {
  Intake intake = Running();
  intake.Feed(Frame(Type::kStdout, std::string(frames::kMaxOutput, 'x')) + Frame(Type::kStdout, "y") + EndedFrame());
  ASSERT_EQ(intake.Next(), Heard::kEnded);
  intake.BeginRun();
  const Intake::Output output = intake.TakeOutput();
  EXPECT_TRUE(output.stdout_bytes.empty());
  EXPECT_FALSE(output.stdout_truncated);
}

}  // namespace
}  // namespace plimsoll::wasm
