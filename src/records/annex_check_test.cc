#include <gtest/gtest.h>

#include <functional>

#include "records/vectors_for_test.h"
#include "records/verify_annex.h"

namespace plimsoll::records {
namespace {

const std::string kRequest(64, '1');

// Byte i is (i*7+3) mod 256.
std::string DataOf(std::size_t length) {
  std::string out(length, '\0');
  for (std::size_t i = 0; i < length; ++i) {
    out[i] = static_cast<char>((i * 7 + 3) % 256);
  }
  return out;
}

TEST(StreamHead, R64_EqualsTheGoldenHeadAfterEachBlock) {
  int found = 0;
  for (const nlohmann::json& vector : ExtensionVectorsOf("stream")) {
    ++found;
    const std::string request = vector["request_sha256"];
    const std::string stream = vector["stream"];
    const auto step = vector["step"].get<std::int64_t>();
    const std::string data = DataOf(vector["length"]);
    std::size_t bytes = 0;
    for (const nlohmann::json& head : vector["heads"]) {
      EXPECT_EQ(StreamHead(request, step, stream, data.substr(0, bytes)), head.get<std::string>()) << vector["id"];
      bytes = std::min(bytes + kStreamBlockBytes, data.size());
    }
    EXPECT_EQ(bytes, data.size());
  }
  EXPECT_EQ(found, 8);
}

StreamSummary Summary(std::int64_t step, std::string_view stream, std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  return {.step = step,
          .stream = std::string(stream),
          .kept_bytes = size,
          .produced_bytes = size,
          .head = StreamHead(kRequest, step, stream, bytes)};
}

// What is wrong with these streams of this result, or empty.
std::string FlawIn(const std::vector<StreamSummary>& streams, const run::Result& result) {
  const auto flaw = CheckStreams(streams, kRequest, result);
  return flaw ? flaw->says : "";
}

run::JavaScriptResult Output() {
  run::JavaScriptResult out;
  out.stdout_bytes = std::string(kStreamBlockBytes + 1, 'o');
  out.stderr_bytes = "e";
  return out;
}

run::ProjectResult TwoSteps() {
  run::ProjectResult out;
  out.steps.resize(2);
  out.steps[0].stdout_bytes = "first";
  out.steps[1].stderr_bytes = "second";
  out.steps[1].stderr_truncated = true;
  return out;
}

TEST(CheckStreams, FindsTheBytesOfEveryKindOfResult) {
  const run::JavaScriptResult output = Output();
  const std::vector<StreamSummary> both = {Summary(0, "stdout", output.stdout_bytes), Summary(0, "stderr", "e")};
  EXPECT_EQ(FlawIn(both, output), "");
  EXPECT_EQ(FlawIn(both, run::CellResult{output, true, false}), "");
  run::ModuleResult module;
  module.stdout_bytes = output.stdout_bytes;
  module.stderr_bytes = "e";
  EXPECT_EQ(FlawIn(both, module), "");
  StreamSummary cut = Summary(1, "stderr", "second");
  cut.truncated = true;
  cut.produced_bytes = 1000;
  EXPECT_EQ(FlawIn({Summary(0, "stdout", "first"), Summary(0, "stderr", ""), cut}, TwoSteps()), "");
  cut.produced_bytes = kNotMeasured;
  EXPECT_EQ(FlawIn({cut}, TwoSteps()), "");
  EXPECT_EQ(FlawIn({}, TwoSteps()), "");
}

TEST(CheckStreams, FindsEachLieAndNamesIt) {
  struct Case {
    std::function<void(std::vector<StreamSummary>&)> lie;
    std::string says;
  };
  const Case cases[] = {
      {[](auto& s) { s[0].head[0] = s[0].head[0] == '0' ? '1' : '0'; }, "the head of a stream is another"},
      {[](auto& s) { s[0].kept_bytes = 4; }, "a stream keeps 4 bytes, and 5 were received"},
      {[](auto& s) { s[0].kept_bytes = -1; }, "a stream keeps -1 bytes, and 5 were received"},
      {[](auto& s) { s[0].truncated = true; }, "a stream and the result do not agree on what was cut"},
      {[](auto& s) { s[0].produced_bytes = 6; },
       "a stream keeps 5 of 6 bytes, which its mark of truncation does not allow"},
      {[](auto& s) { s[1].produced_bytes = 5; },
       "a stream keeps 6 of 5 bytes, which its mark of truncation does not allow"},
      {[](auto& s) { s[0].stream = "stdin"; }, "a stream is neither stdout nor stderr"},
      {[](auto& s) { std::swap(s[0], s[1]); }, "its streams are not sorted"},
      {[](auto& s) { s[1] = s[0]; }, "its streams are not sorted"},
      {[](auto& s) { s[1].step = 2; }, "a stream is of step 2, which the result has not"},
      {[](auto& s) { s[0].step = -1; }, "a stream is of step -1, which the result has not"}};
  for (const auto& [lie, says] : cases) {
    std::vector<StreamSummary> streams = {Summary(0, "stdout", "first"), Summary(1, "stderr", "second")};
    streams[1].truncated = true;
    ASSERT_EQ(FlawIn(streams, TwoSteps()), "");
    lie(streams);
    EXPECT_EQ(FlawIn(streams, TwoSteps()), says);
  }
}

TEST(CheckStreams, FindsAStepThatAKindHasNot) {
  const std::vector<StreamSummary> second = {Summary(1, "stdout", "")};
  for (const run::Result& result : {run::Result(run::JavaScriptResult()), run::Result(run::CellResult()),
                                    run::Result(run::ModuleResult()), run::Result()}) {
    EXPECT_EQ(FlawIn(second, result), "a stream is of step 1, which the result has not");
  }
}

TEST(CheckAnnex, NamesTheLimitOfALedger) {
  Annex annex;
  annex.ledger = BrokerLedger{.request_sha256 = kRequest, .calls = std::vector<BrokerCall>(kMaxLedgerCalls)};
  annex.ledger->sha256 = LedgerDigest(*annex.ledger);
  annex.annex_sha256 = AnnexDigest(annex, "");
  EXPECT_FALSE(CheckAnnex(annex, kRequest, ""));
  annex.ledger->calls.emplace_back();
  annex.ledger->sha256 = LedgerDigest(*annex.ledger);
  annex.annex_sha256 = AnnexDigest(annex, "");
  const auto flaw = CheckAnnex(annex, kRequest, "");
  ASSERT_TRUE(flaw);
  EXPECT_EQ(flaw->says, "its ledger lists 257 calls, at most 256 can be");
}

}  // namespace
}  // namespace plimsoll::records
