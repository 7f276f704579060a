#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "frames/agent.h"
#include "frames/agent_paths.h"
#include "frames/big_endian.h"

namespace plimsoll::frames::agent {
namespace {

Plan FullPlan() {
  return {.argv = {"node", "-"},
          .steps = {std::string("a\n\x01\xff", 4)},
          .environment = {"PATH=/bin", "EMPTY=", std::string("RAW=\xff\xfe")},
          .directory = "/work",
          .artifacts = {"out/a", "b \"quoted\""},
          .stream_cap = 65536,
          .total_cap = 0,
          .artifact_cap = ~std::uint64_t{0}};
}

TEST(AgentReady, ComesBackAsItWasSent) {
  const Ready sent{.version = "1.2.3-rc.1+x", .sha256 = std::string(64, 'a'), .pid = 1, .uid = 0xffffffff};
  EXPECT_EQ(ParseReady(EncodeReady(sent)).value(), sent);
}

TEST(AgentReady, IsReadInOneFormOnly) {
  const std::string sha(64, 'a');
  const std::string good = R"({"pid":1,"sha256":")" + sha + R"(","uid":2,"version":"v"})";
  ASSERT_TRUE(ParseReady(good).has_value());
  const std::vector<std::string> bodies = {std::string(),
                                           std::string("{}"),
                                           std::string("[]"),
                                           std::string("1"),
                                           std::string("\"pid\""),
                                           good + " ",
                                           " " + good,
                                           good.substr(0, good.size() - 1),
                                           "[" + good + "]",
                                           R"({"a":)" + good + "}",
                                           R"({"pid":0,"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":-1,"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":1.0,"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":2147483648,"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":1,"sha256":")" + sha + R"(","uid":4294967296,"version":"v"})",
                                           R"({"pid":1,"sha256":"ab","uid":2,"version":"v"})",
                                           R"({"pid":1,"sha256":")" + sha + R"(","uid":2,"version":""})",
                                           R"({"pid":1,"sha256":")" + sha + R"(","uid":2,"version":"v\n"})",
                                           R"({"pid":1,"sha256":")" + sha + R"(","uid":2,"version":"v","more":1})",
                                           R"({"pid":1,"pid":1,"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":["1"],"sha256":")" + sha + R"(","uid":2,"version":"v"})",
                                           R"({"pid":null,"sha256":")" + sha + R"(","uid":2,"version":"v"})"};
  for (const std::string& bad : bodies) {
    EXPECT_FALSE(ParseReady(bad).has_value()) << bad;
  }
}

TEST(AgentPlan, ComesBackAsItWasSent) {
  EXPECT_EQ(ParsePlan(EncodePlan(FullPlan())).value(), FullPlan());
  EXPECT_EQ(ParsePlan(EncodePlan(Plan{})).value(), Plan{});
}

// The longest plan there can be fits one frame, whatever its steps are made of.
TEST(AgentPlan, P47_OfTheMostAndLongestStepsAndArtifactsFitsAFrame) {
  Plan plan;
  plan.steps.assign(kMaxSteps, std::string(kMaxStepText, '\x01'));
  plan.environment = {"A=" + std::string(65000, '\x01'), "B=" + std::string(65000, '\x02')};
  plan.argv.assign(16, std::string(4096, '"'));
  for (std::size_t i = 0; i < kMaxArtifacts; ++i) {
    plan.artifacts.push_back(std::string(kMaxPath - 2, '"') + std::to_string(10 + i % 90));
  }
  plan.directory = "/" + std::string(4095, 'd');
  ASSERT_TRUE(CheckPlan(plan).has_value());
  const std::string body = EncodePlan(plan);
  Sender sender(Direction::kFromHost);
  sender.Open(1, Key({}));
  std::string frame;
  sender.Append(Type::kPlan, 1, body, frame);
  EXPECT_LE(frame.size(), kMaxFrame);
  EXPECT_EQ(ParsePlan(body).value(), plan);
}

TEST(AgentPlan, IsRefusedOutsideItsBounds) {
  const auto refuses = [](auto change) {
    Plan plan = FullPlan();
    change(plan);
    return base::FaultIn(CheckPlan(plan)) != nullptr;
  };
  EXPECT_TRUE(refuses([](Plan& plan) { plan.steps.assign(kMaxSteps + 1, "true"); }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.steps = {std::string(kMaxStepText + 1, 'x')}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.steps = {""}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.steps = {std::string("a\0b", 3)}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.argv.assign(65, "x"); }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.environment = {"NO_VALUE"}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.environment = {"=x"}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.environment.assign(513, "A=b"); }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.environment.assign(3, "A=" + std::string(60000, 'x')); }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.artifacts.assign(kMaxArtifacts + 1, "x"); }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.artifacts = {"../x"}; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.directory = "work"; }));
  EXPECT_TRUE(refuses([](Plan& plan) { plan.directory = std::string("/a\0b", 4); }));
  EXPECT_FALSE(refuses([](Plan& plan) { plan.steps.assign(kMaxSteps, std::string(kMaxStepText, 'x')); }));
}

TEST(AgentPlan, IsReadInOneFormOnly) {
  const std::string good = EncodePlan({.argv = {"x"}});
  ASSERT_TRUE(ParsePlan(good).has_value());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = good;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? good : changed.replace(at, from.size(), to);
  };
  for (const std::string& bad :
       {with(R"("argv":["eA=="])", R"("argv":["eA"])"), with(R"("argv":["eA=="])", R"("argv":["\u0065A=="])"),
        with(R"("argv":["eA=="])", R"("argv":"eA==")"), with(R"("argv":["eA=="])", R"("argv":[["eA=="]])"),
        with(R"("argv":["eA=="])", R"("argv":["e*=="])"), with(R"("argv":["eA=="])", R"("argv":[""])"),
        with(R"("argv":["eA=="])", R"("argv":["AA=="])"), with(R"("argv":["eA=="])", R"("argv":[1])"),
        with(R"("argv":["eA=="],)", ""), with(R"("total_cap":0)", R"("total_cap":0,"total_cap":0)"),
        with(R"("total_cap":0)", R"("total_cap":-0)"), with(R"("total_cap":0)", R"("total_cap":0e0)"),
        with(R"("total_cap":0)", R"("total_cap":18446744073709551616)"), with(R"("total_cap":0)", R"("total_cap":[])"),
        with(R"("total_cap":0)", R"("total_cap":0,"extra":0)"), with("{", "{ "), "\xef\xbb\xbf" + good}) {
    EXPECT_FALSE(ParsePlan(bad).has_value()) << bad;
  }
  // Depth costs nothing: the second bracket is one too many.
  EXPECT_FALSE(ParsePlan(std::string(1 << 20, '[')).has_value());
  EXPECT_FALSE(ParsePlan(R"({"argv":)" + std::string(1 << 20, '[')).has_value());
}

TEST(AgentPlan, FRM5_RefusesALongListBeforeItIsKept) {
  std::string body = R"({"argv":[)";
  for (int i = 0; i < 100'000; ++i) {
    body += R"("eA==",)";
  }
  body.back() = ']';
  EXPECT_FALSE(ParsePlan(body + "}").has_value());
}

TEST(AgentPaths, FollowTheRulesOfARequest) {
  for (const std::string_view good : {"a", "a/b", ".a", "a..", "...", "a b", "\xc3\xa4", "\xe2\x80\xa8", "a\"b"}) {
    EXPECT_TRUE(IsPathBelow(good)) << good;
  }
  for (const std::string_view bad : {"", "/", "/a", "a/", "a//b", ".", "..", "a/.", "./a", "a/../b", "a\\b", "a\nb",
                                     "\x7f", "\xc2\x80", "\xc2\x9f", "\xff", "a\xc3"}) {
    EXPECT_FALSE(IsPathBelow(bad)) << bad;
  }
  EXPECT_FALSE(IsPathBelow(std::string_view("a\0b", 3)));
  EXPECT_TRUE(IsPathBelow("\xc2\xa0"));
  EXPECT_TRUE(IsPathBelow(std::string(kMaxPath, 'x')));
  EXPECT_FALSE(IsPathBelow(std::string(kMaxPath + 1, 'x')));
}

TEST(AgentOpenCall, ComesBackAsItWasSentAndNamesACallAndAKind) {
  std::array<std::byte, Key::kSize> bytes;
  bytes.fill(std::byte{0xfe});
  const std::string body = EncodeOpenCall({.channel = 9, .kind = Kind::kProject, .key = Key(bytes)});
  const auto parsed = ParseOpenCall(body);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->channel, 9U);
  EXPECT_EQ(parsed->kind, Kind::kProject);
  EXPECT_EQ(parsed->key.bytes(), bytes);
  EXPECT_EQ(EncodeOpenCall(*parsed), body);
  EXPECT_FALSE(ParseOpenCall(body + "x").has_value());
  EXPECT_FALSE(ParseOpenCall(body.substr(1)).has_value());
  std::string control = body;
  control[3] = 0;
  EXPECT_FALSE(ParseOpenCall(control).has_value());
  std::string kind = body;
  kind[4] = 5;
  EXPECT_FALSE(ParseOpenCall(kind).has_value());
}

TEST(AgentNumbers, HaveOneSize) {
  EXPECT_EQ(ParseChannel(EncodeChannel(0xfffffffe)).value(), 0xfffffffeU);
  EXPECT_EQ(ParseStarted(EncodeStarted(3)).value(), 3U);
  EXPECT_FALSE(ParseChannel("abc").has_value());
  EXPECT_FALSE(ParseStarted("abcde").has_value());
}

TEST(AgentSweep, ComesBackAsItWasSentAndIsReadInOneFormOnly) {
  const SweepOrder order{.disk_budget = ~std::uint64_t{0} - 1, .quiesce = SweepOrder::Quiesce::kYes};
  EXPECT_EQ(ParseSweep(EncodeSweep(order)).value(), order);
  EXPECT_EQ(ParseSweep(EncodeSweep({})).value(), SweepOrder{});
  for (const std::string& bad :
       {std::string(8, '\0'), std::string(10, '\0'), std::string(8, '\0') + "\2", std::string(8, '\0') + "\xff"}) {
    EXPECT_FALSE(ParseSweep(bad).has_value());
  }
}

TEST(AgentSwept, HasOneOfFourVerdicts) {
  int accepted = 0;
  for (int value = 0; value < 256; ++value) {
    const std::string body = std::string(1, static_cast<char>(value)) + std::string(8, '\7');
    if (const auto swept = ParseSwept(body)) {
      ++accepted;
      EXPECT_TRUE(value == 0 || value == 1 || value == 10 || value == 11) << value;
      EXPECT_EQ(EncodeSwept(*swept), body);
    }
    EXPECT_FALSE(ParseSwept(body + "x").has_value());
    EXPECT_FALSE(ParseSwept(body.substr(0, 8)).has_value());
  }
  EXPECT_EQ(accepted, 4);
}

TEST(AgentFiles, ComeBackAsTheyWereSent) {
  const std::vector<FileHead> files = {{"a/b", 0}, {"c", kMaxFileBytes}};
  EXPECT_EQ(ParseFiles(EncodeFiles(files)).value(), files);
  EXPECT_TRUE(ParseFiles(EncodeFiles({})).value().empty());
  EXPECT_EQ(ParseFiles(EncodeFiles({{"", 5}})).value(), (std::vector<FileHead>{{"", 5}}));
  EXPECT_EQ(ParseFiles(EncodeFiles(std::vector<FileHead>(kMaxFiles, {"same", 1})))->size(), kMaxFiles);
}

TEST(AgentFiles, AreRefusedOutsideTheirBounds) {
  const auto coded = [](std::uint16_t count, const std::vector<FileHead>& files) {
    std::string body;
    AppendBigEndian(count, body);
    for (const FileHead& file : files) {
      AppendBigEndian(static_cast<std::uint16_t>(file.path.size()), body);
      body.append(file.path);
      AppendBigEndian(file.size, body);
    }
    return body;
  };
  ASSERT_TRUE(ParseFiles(coded(1, {{"a", 1}})).has_value());
  for (const std::string& bad :
       {std::string(), std::string("x"), coded(2, {{"a", 1}}), coded(0, {{"a", 1}}), coded(201, {}), coded(1, {}),
        coded(0xffff, {}), coded(2, {{"", 1}, {"a", 1}}), coded(1, {{"/a", 1}}), coded(1, {{"a/../b", 1}}),
        coded(1, {{"a", kMaxFileBytes + 1}}), coded(2, {{"a", kMaxFileBytes}, {"b", 1}}),
        coded(2, {{"a", ~std::uint64_t{0}}, {"b", 1}}), coded(1, {{"a", 1}}) + "x",
        coded(1, {{"a", 1}}).substr(0, 12)}) {
    EXPECT_FALSE(ParseFiles(bad).has_value());
  }
}

TEST(AgentBegin, HoldsOneMillisecondToOneHour) {
  EXPECT_EQ(ParseBegin(EncodeBegin(std::chrono::milliseconds(3'600'000)))->count(), 3'600'000);
  EXPECT_EQ(ParseBegin(EncodeBegin(std::chrono::milliseconds(1)))->count(), 1);
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{3'600'001}, ~std::uint64_t{0}}) {
    std::string body;
    AppendBigEndian(bad, body);
    EXPECT_FALSE(ParseBegin(body).has_value()) << bad;
  }
  EXPECT_FALSE(ParseBegin("1234567").has_value());
}

TEST(AgentOutput, HoldsOneByteToOnePiece) {
  std::string body;
  AppendOutputBody({.step = 5, .bytes = std::string_view("\0\xff", 2)}, body);
  EXPECT_EQ(ParseOutput(body)->step, 5U);
  EXPECT_EQ(ParseOutput(body)->bytes, std::string_view("\0\xff", 2));
  EXPECT_FALSE(ParseOutput("1234").has_value());
  EXPECT_TRUE(ParseOutput(std::string(4 + kMaxPiece, 'x')).has_value());
  EXPECT_FALSE(ParseOutput(std::string(5 + kMaxPiece, 'x')).has_value());
}

TEST(AgentExited, ComesBackAsItWasSent) {
  for (const Exited& sent : {Exited{.step = 3, .exit_code = 255, .duration = std::chrono::milliseconds(7)},
                             Exited{.exit_code = 139, .signal = 11, .stdout_cut = true},
                             Exited{.exit_code = 124, .signal = 9, .timed_out = true, .stderr_cut = true},
                             Exited{.exit_code = 124, .signal = 0, .timed_out = true}}) {
    EXPECT_EQ(ParseExited(EncodeExited(sent)).value(), sent);
  }
}

TEST(AgentExited, IsRefusedWhenItsPartsDoNotFitTogether) {
  const std::string good = EncodeExited({.exit_code = 3});
  ASSERT_TRUE(ParseExited(good).has_value());
  EXPECT_FALSE(ParseExited(good + "x").has_value());
  EXPECT_FALSE(ParseExited(good.substr(1)).has_value());
  struct Change {
    std::size_t at;
    int value;
  };
  // A code below 0, one above 255, a signal that is not in the code, one above 64, the deadline with another code, an
  // unknown flag, a duration of years.
  for (const auto& [at, value] : {Change{4, 0xff}, {6, 1}, {8, 1}, {8, 65}, {9, 1}, {9, 8}, {10, 1}}) {
    std::string bad = good;
    bad[at] = static_cast<char>(value);
    EXPECT_FALSE(ParseExited(bad).has_value()) << at << " " << value;
  }
}

TEST(AgentArtifact, IsEmptyOnlyAtItsEnd) {
  std::string body;
  AppendArtifactBody({.index = 2, .last = true, .bytes = ""}, body);
  EXPECT_TRUE(ParseArtifact(body)->last);
  EXPECT_EQ(ParseArtifact(body)->index, 2U);
  body[4] = 0;
  EXPECT_FALSE(ParseArtifact(body).has_value());
  EXPECT_TRUE(ParseArtifact(body + "x").has_value());
  body[4] = 2;
  EXPECT_FALSE(ParseArtifact(body + "x").has_value());
  EXPECT_FALSE(ParseArtifact("1234").has_value());
  EXPECT_FALSE(ParseArtifact(std::string(4, '\0') + "\1" + std::string(kMaxPiece + 1, 'x')).has_value());
}

TEST(AgentDone, ComesBackAsItWasSent) {
  for (const Outcome outcome :
       {Outcome::kCompleted, Outcome::kSetupFailed, Outcome::kTimedOut, Outcome::kRunnerFailed}) {
    const Done sent{.outcome = outcome, .artifacts_truncated = true, .detail = "step 2"};
    EXPECT_EQ(ParseDone(EncodeDone(sent)).value(), sent);
  }
}

TEST(AgentDone, IsRefusedWithAnotherOutcomeFlagOrText) {
  ASSERT_TRUE(ParseDone(std::string("\1\0fine", 6)).has_value());
  for (const std::string& bad :
       {std::string("\0\0", 2), std::string("\4\0", 2), std::string("\6\0", 2), std::string("\1\2", 2),
        std::string("\1"), std::string("\1\0line\n", 7), std::string("\1\0\xc3\xa4", 4),
        std::string("\1\0", 2) + std::string(kMaxDetail + 1, 'x')}) {
    EXPECT_FALSE(ParseDone(bad).has_value());
  }
}

RC_GTEST_PROP(AgentPlan, FRM3_EncodesBackToTheSameBytes,
              (const std::vector<std::string>& steps, std::uint64_t cap, const std::string& value)) {
  Plan plan{.steps = steps, .environment = {"A=" + value}, .stream_cap = cap};
  RC_PRE(CheckPlan(plan).has_value());
  RC_ASSERT(ParsePlan(EncodePlan(plan)).value() == plan);
}

RC_GTEST_PROP(AgentBodies, RefuseAlmostEveryText, (const std::string& body)) {
  if (const auto exited = ParseExited(body)) {
    RC_ASSERT(EncodeExited(*exited) == body);
  }
  if (const auto done = ParseDone(body)) {
    RC_ASSERT(EncodeDone(*done) == body);
  }
  RC_ASSERT(!ParsePlan(body).has_value());
  RC_ASSERT(!ParseReady(body).has_value());
}

}  // namespace
}  // namespace plimsoll::frames::agent
