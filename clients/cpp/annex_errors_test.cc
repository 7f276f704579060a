// C39: the annex that an error brings, and what an annex that does not hold makes of a session.
#include <gtest/gtest.h>

#include "clients/cpp/fake_annex_for_test.h"
#include "clients/cpp/fake_session_for_test.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;
using ext::v1::Annex;

const RunOptions kAsking = {.annex = AskForAnnex::kYes};
const std::string kAtCapacity("\x08\x06");
const std::string kZeros(64, '0');

using Details = std::vector<std::pair<std::string, std::string>>;

std::string RequestOf(const Post& post) { return records::RequestDigest(DraftOf(post)); }

Annex Refused(const Post& post) { return EndingAlone(RequestOf(post), "resource_exhausted", "no", "capacity"); }
Annex Failed(const Post& post) { return EndingAlone(RequestOf(post), "internal", "unknown", ""); }

// A refusal for want of capacity, and an error after which the code may have run, with these bytes for an annex.
Answer Refusal(const Post& post, const std::string& annex) {
  return client::Refused(
      post, 429,
      ErrorWith("resource_exhausted", {{"plimsoll.v1.NotDispatched", kAtCapacity}, {"plimsoll.ext.v1.Annex", annex}}));
}
Answer Unmarked(const Post& post, const std::string& annex) {
  return client::Refused(post, 500, ErrorWith("internal", {{"plimsoll.ext.v1.Annex", annex}}));
}

Error ErrorOf(Reply reply, const RunOptions& options = kAsking) {
  const auto result = Harness(std::move(reply)).client.RunJavaScript("1", options);
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

Error RefusedWith(std::function<void(Annex&)> lie) {
  return ErrorOf([lie = std::move(lie)](const Post& post) {
    Annex annex = Refused(post);
    lie(annex);
    SealParts(annex);
    SealAnnex(annex, "");
    return Refusal(post, annex.SerializeAsString());
  });
}

void ExpectDataLoss(const Error& error, const std::string& says, int status) {
  EXPECT_EQ(error.error_class, ErrorClass::kEvidenceMismatch) << says;
  EXPECT_EQ(error.code, Code::kDataLoss) << says;
  EXPECT_EQ(error.not_dispatched, std::nullopt) << says;
  EXPECT_EQ(error.http_status, status) << says;
  EXPECT_FALSE(error.annex) << says;
  EXPECT_EQ(error.message, "the annex does not hold: " + says + "; the code may have run");
}

TEST(AnnexOfAnError, C39_IsGivenWithTheRefusalItAgreesWith) {
  const Error error = RefusedWith([](Annex&) {});
  EXPECT_EQ(error.error_class, ErrorClass::kAtCapacity) << error.message;
  EXPECT_EQ(error.not_dispatched, NotDispatched::kCapacity);
  ASSERT_TRUE(error.annex && error.annex->ending);
  EXPECT_EQ(error.annex->ending->ending, "refused");
  EXPECT_EQ(error.annex->ending->reason, "capacity");
}

TEST(AnnexOfAnError, C39_IsGivenWithAnErrorAfterWhichTheCodeMayHaveRun) {
  const Error error = ErrorOf([](const Post& post) {
    Annex annex = Failed(post);
    annex.mutable_options()->set_request_sha256(RequestOf(post));
    annex.mutable_options()->set_interrupt_first(true);
    SealParts(annex);
    SealAnnex(annex, "");
    return Unmarked(post, annex.SerializeAsString());
  });
  EXPECT_EQ(error.code, Code::kInternal) << error.message;
  ASSERT_TRUE(error.annex && error.annex->options);
  EXPECT_EQ(error.annex->ending->ran, "unknown");
}

TEST(AnnexOfAnError, C39_TakesTheMarkAwayWhenItDoesNotHold) {
  const std::pair<std::function<void(Annex&)>, std::string> cases[] = {
      {[](Annex& a) { a.mutable_ending()->set_request_sha256(kZeros); }, "another request stands in its ending"},
      {[](Annex& a) { a.mutable_ending()->set_record_sha256(kZeros); }, "another record stands in its ending"},
      {[](Annex& a) { a.mutable_ending()->set_ran("yes"); },
       "its ending does not say that nothing ran, and the error does"},
      {[](Annex& a) { a.mutable_ending()->set_reason("isolation"); }, "its ending gives another reason than the error"},
      {[](Annex& a) { a.mutable_ending()->set_code("internal"); }, "its ending names another code than the error"},
      {[](Annex& a) { a.mutable_ending()->set_ending("answered"); }, "its ending says that the call was answered"},
      {[](Annex& a) { a.mutable_resources(); }, "the annex of a refusal has more than an ending"},
      {[](Annex& a) { a.set_probes_sha256(kZeros); }, "the annex of a refusal has more than an ending"},
      {[](Annex& a) { a.add_streams(); }, "the annex of a refusal has more than an ending"}};
  for (const auto& [lie, says] : cases) {
    ExpectDataLoss(RefusedWith(lie), says, 429);
  }
  const Error unsealed = ErrorOf([](const Post& post) {
    Annex annex = Refused(post);
    annex.mutable_ending()->set_count(2);
    return Refusal(post, annex.SerializeAsString());
  });
  ExpectDataLoss(unsealed, "the digest of its ending is another", 429);
  const Error other_annex = ErrorOf([](const Post& post) {
    Annex annex = Refused(post);
    SealAnnex(annex, kZeros);
    return Refusal(post, annex.SerializeAsString());
  });
  ExpectDataLoss(other_annex, "its own digest is another, or of another record", 429);
}

TEST(AnnexOfAnError, C39_MustNotSayRefusedWhereTheErrorDoesNot) {
  const Error error = ErrorOf([](const Post& post) {
    return Unmarked(post, EndingAlone(RequestOf(post), "internal", "no", "request").SerializeAsString());
  });
  ExpectDataLoss(error, "its ending says that the call was refused, and the error does not", 500);
}

TEST(AnnexOfAnError, C39_SaysNothingWhenItCannotBeDecoded) {
  Annex many;
  for (int i = 0; i < 257; ++i) {
    many.mutable_ledger()->add_calls();
  }
  Annex streams;
  for (int i = 0; i < 41; ++i) {
    streams.add_streams();
  }
  for (const std::string& bytes :
       {std::string("\x0a\x05x"), std::string("\x0a\x02\x0a\xff"), std::string("\x20\x01"), std::string("\x08\x01"),
        std::string("\x28\x01"), std::string("\x0a\x03\x0a\x01\xff"), many.SerializeAsString(),
        streams.SerializeAsString()}) {
    const Error error = ErrorOf([&](const Post& post) { return Refusal(post, bytes); });
    EXPECT_EQ(error.error_class, ErrorClass::kAtCapacity);
    EXPECT_EQ(error.not_dispatched, NotDispatched::kCapacity);
    EXPECT_FALSE(error.annex);
  }
}

TEST(AnnexOfAnError, C39_IsNotReadWithoutTheOptionOrWhenNotBound) {
  const auto lying = [](const Post& post) {
    Annex annex = Refused(post);
    annex.set_annex_sha256(kZeros);
    return Refusal(post, annex.SerializeAsString());
  };
  EXPECT_EQ(ErrorOf(lying, {}).not_dispatched, NotDispatched::kCapacity);
  const Error unbound = ErrorOf([](const Post& post) {
    Answer answer = Refusal(post, Refused(post).SerializeAsString());
    std::erase_if(answer.fields, [](const auto& field) { return field.first == "plimsoll-request-id"; });
    return answer;
  });
  EXPECT_TRUE(unbound.answer_not_bound);
  EXPECT_FALSE(unbound.annex);
}

// A session whose second call is answered by `second`; the first is true.
struct SessionHarness {
  explicit SessionHarness(std::function<Answer(FakeSession&, const Post&)> second)
      : harness([this, second = std::move(second)](const Post& post) {
          return Is(post, "SessionRun") && ++calls == 2 ? second(daemon, post) : Ok(post, daemon.Truth(post));
        }),
        session(harness.client.OpenSession().value()) {
    EXPECT_TRUE(session.RunJavaScript("1"));
  }
  FakeSession daemon;
  int calls = 0;
  Harness harness;
  Session session;
};

// The true answer to a call, with an annex that is bent.
Answer Annexed(FakeSession& daemon, const Post& post, const std::function<void(Annex&)>& lie) {
  Json answer = daemon.Truth(post);
  Annex annex = HonestAnnex(answer["run"]);
  lie(annex);
  SealParts(annex);
  SealAnnex(annex, answer["run"]["record"]["recordSha256"].get<std::string>());
  answer["run"]["annex"] = JsonOf(annex);
  return Ok(post, answer);
}

TEST(AnnexInASession, C39_IsOfTheCallAndItsPlaceInTheSession) {
  SessionHarness test([](FakeSession& daemon, const Post& post) { return Annexed(daemon, post, [](Annex&) {}); });
  const auto result = test.session.RunJavaScript("1", kAsking);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->evidence.annex && result->evidence.annex->ending);
  EXPECT_EQ(result->evidence.annex->ending->session_call, 2);
  EXPECT_EQ(result->evidence.annex->call->interpreter_end, "oom");
  EXPECT_EQ(FieldOf(test.harness.sent.back(), "Plimsoll-Annex"), "1");
  EXPECT_EQ(test.harness.sent[1].fields.size() + 1, test.harness.sent[2].fields.size());
  EXPECT_TRUE(test.session.RunJavaScript("1"));
  EXPECT_TRUE(test.session.Close());
}

TEST(AnnexInASession, C39_StopsItWhenItDoesNotHold) {
  SessionHarness test([](FakeSession& daemon, const Post& post) {
    return Annexed(daemon, post, [](Annex& a) { a.mutable_ending()->set_session_call(1); });
  });
  const auto result = test.session.RunJavaScript("1", kAsking);
  ASSERT_FALSE(result);
  ExpectDataLoss(result.error(), "its ending has another place in a session than the record", 200);
  EXPECT_TRUE(test.session.stopped());
  EXPECT_EQ(test.session.calls(), 1U);
}

TEST(AnnexInASession, C39_GoesOnAfterARefusalThatHoldsAndStopsAfterOneThatDoesNot) {
  for (const bool holds : {true, false}) {
    SessionHarness test([&](FakeSession&, const Post& post) {
      Annex annex = Refused(post);
      if (!holds) {
        annex.set_annex_sha256(kZeros);
      }
      return Refusal(post, annex.SerializeAsString());
    });
    const auto result = test.session.RunJavaScript("1", kAsking);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().not_dispatched.has_value(), holds);
    EXPECT_EQ(test.session.stopped(), !holds);
  }
}

TEST(AnnexInASession, C39_NamesTheRecordOfACallWithoutAnAnswer) {
  for (const bool holds : {true, false}) {
    SessionHarness test([&](FakeSession& daemon, const Post& post) {
      const records::Record record = daemon.UnansweredRecord(post, "internal");
      Annex annex = Failed(post);
      annex.mutable_ending()->set_record_sha256(record.record_sha256);
      SealParts(annex);
      SealAnnex(annex, holds ? record.record_sha256 : kZeros);
      return client::Refused(post, 500,
                             ErrorWith("internal", {{"plimsoll.v1.UnansweredCall", EncodeUnansweredCall(record)},
                                                    {"plimsoll.ext.v1.Annex", annex.SerializeAsString()}}));
    });
    const auto result = test.session.RunJavaScript("1", kAsking);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().annex.has_value(), holds) << result.error().message;
    EXPECT_EQ(result.error().unanswered.has_value(), holds);
    EXPECT_EQ(test.session.stopped(), !holds);
    EXPECT_EQ(test.session.calls(), holds ? 2U : 1U);
  }
}

}  // namespace
}  // namespace plimsoll::client
