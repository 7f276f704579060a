// The chain of a session, and the record of a call without an answer.
#include "records/chain.h"

#include <gtest/gtest.h>

#include "records/vectors_for_test.h"
#include "records/verify.h"

namespace plimsoll::records {
namespace {

using Json = nlohmann::json;

std::string Verdict(const std::optional<Flaw>& flaw) {
  if (!flaw) {
    return "ok";
  }
  switch (flaw->kind) {
    case Flaw::Kind::kVersion: return "RecordVersionError";
    case Flaw::Kind::kMismatch: return "RecordMismatchError";
    case Flaw::Kind::kBelowFloor: return "IsolationEvidenceMismatchError";
  }
  return "";
}

run::Request RequestOf(const Json& vector) {
  return run::Request::Validate(DraftFromVector(vector["input"]["request"]), run::Request::Cells::kAllowed).value();
}

// The vector of this name.
Json VectorNamed(std::string_view group, std::string_view id) {
  for (const Json& vector : VectorsOf(group)) {
    if (vector["id"] == id) {
      return vector;
    }
  }
  PLIMSOLL_CHECK(false);
  return {};
}

Record Sealed(Record record) {
  record.record_sha256 = RecordDigest(record);
  return record;
}

TEST(CheckUnanswered, R21_GivesTheVerdictOfEveryGoldenVector) {
  for (const Json& vector : VectorsOf("check_unanswered")) {
    const run::Request request = RequestOf(vector);
    EXPECT_EQ(request.as_sent().minimum_isolation, vector["input"]["floor"].get<std::string>());
    const auto flaw =
        CheckUnanswered(request, RequestDigest(request.as_sent()), RecordFromVector(vector["input"]["record"]));
    EXPECT_EQ(Verdict(flaw), vector["expected"]["verdict"].get<std::string>()) << vector["id"];
  }
}

TEST(CheckUnanswered, TakesEachOfTheSixteenCodesAndNoOther) {
  const Json vector = VectorNamed("check_unanswered", "una-ok");
  const run::Request request = RequestOf(vector);
  const std::string digest = RequestDigest(request.as_sent());
  Record record = RecordFromVector(vector["input"]["record"]);
  for (const char* code :
       {"canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists",
        "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented",
        "internal", "unavailable", "data_loss", "unauthenticated"}) {
    record.unanswered = code;
    EXPECT_EQ(Verdict(CheckUnanswered(request, digest, Sealed(record))), "ok") << code;
  }
  for (const char* code : {"Internal", "internal ", "cancelled", "0"}) {
    record.unanswered = code;
    EXPECT_EQ(Verdict(CheckUnanswered(request, digest, Sealed(record))), "RecordMismatchError") << code;
  }
}

TEST(CheckUnanswered, RefusesAnEndBeforeTheStart) {
  const Json vector = VectorNamed("check_unanswered", "una-ok");
  const run::Request request = RequestOf(vector);
  Record record = RecordFromVector(vector["input"]["record"]);
  record.ended_unix_ms = record.started_unix_ms - 1;
  EXPECT_EQ(Verdict(CheckUnanswered(request, RequestDigest(request.as_sent()), Sealed(record))), "RecordMismatchError");
}

// What a chain alone says to the calls of a vector. A chain knows nothing of floors and lost answers: it is not asked
// about what comes after one.
std::vector<std::string> VerdictsOf(const Json& vector) {
  const std::string id = vector["input"]["session_id"];
  Chain chain(Fingerprint(id));
  std::vector<std::string> verdicts;
  for (const Json& call : vector["input"]["calls"]) {
    const Record record = RecordFromVector(call["record"]);
    if (!chain.BreakAt(record).empty()) {
      verdicts.emplace_back("ChainError");
      break;
    }
    chain.Advance(record);
    verdicts.emplace_back(record.unanswered.empty() ? "ok" : "unanswered-kept");
  }
  return verdicts;
}

TEST(Chain, R22_GivesTheVerdictsOfEveryGoldenVector) {
  int asked = 0;
  for (const Json& vector : VectorsOf("chain")) {
    const auto expected = vector["expected"]["verdicts"].get<std::vector<std::string>>();
    const std::vector<std::string> verdicts = VerdictsOf(vector);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (expected[i] != "ok" && expected[i] != "unanswered-kept" && expected[i] != "ChainError") {
        break;  // client_test has the rest: a floor, a lost answer
      }
      EXPECT_EQ(verdicts[i], expected[i]) << vector["id"] << " call " << i + 1;
      ++asked;
    }
  }
  EXPECT_EQ(asked, 24);
}

TEST(Chain, R22_EndsWhereTheGoldenVectorsClose) {
  const Json vector = VectorNamed("chain", "chain-ok");
  Chain chain(Fingerprint(vector["input"]["session_id"].get<std::string>()));
  EXPECT_EQ(chain.calls(), 0U);
  EXPECT_EQ(chain.last_sha256(), "");
  for (const Json& call : vector["input"]["calls"]) {
    chain.Advance(RecordFromVector(call["record"]));
  }
  const Json& close = vector["input"]["close"];
  EXPECT_EQ(chain.fingerprint(), close["session"].get<std::string>());
  EXPECT_EQ(std::to_string(chain.calls()), close["calls"].get<std::string>());
  EXPECT_EQ(chain.last_sha256(), close["lastRecordSha256"].get<std::string>());
}

TEST(ChainDeathTest, REC6_NeverMovesToARecordThatDoesNotFollow) {
  Chain chain("f");
  EXPECT_DEATH(chain.Advance({.session = "f", .sequence = 2, .record_sha256 = "r"}), "BreakAt");
}

}  // namespace
}  // namespace plimsoll::records
