// C39: the annex of an answer, and each lie in one.
#include <gtest/gtest.h>

#include "clients/cpp/fake_annex_for_test.h"
#include "clients/cpp/fake_daemon_for_test.h"
#include "records/annex_fields.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;
using ext::v1::Annex;

constexpr std::string_view kCode = "console.log(6*7)\n";
const RunOptions kAsking = {.annex = AskForAnnex::kYes};

// A daemon that adds an annex to a true answer, bent by `lie`, which also gets the record's digest.
using AnnexLie = std::function<void(Annex&, const std::string&)>;
Reply Annexing(AnnexLie lie) {
  return Lying([lie = std::move(lie)](Json& answer) {
    Annex annex = HonestAnnex(answer);
    lie(annex, answer["record"]["recordSha256"]);
    answer["annex"] = JsonOf(annex);
  });
}

// The same where the annex is bent as JSON.
Reply AnnexingJson(std::function<void(Json&)> lie) {
  return Lying([lie = std::move(lie)](Json& answer) {
    answer["annex"] = JsonOf(HonestAnnex(answer));
    lie(answer["annex"]);
  });
}

Result<JavaScriptResult> RunOf(Reply reply, const RunOptions& options = kAsking) {
  return Harness(std::move(reply)).client.RunJavaScript(std::string(kCode), options);
}

// Compares each field of a part with the field of that name in the message it was sent as.
class SameAs {
 public:
  explicit SameAs(const google::protobuf::Message& message) : message_(message) {}

  void operator()(std::string_view name, const std::string& value) const {
    EXPECT_EQ(value, Reflection().GetString(message_, Field(name))) << name;
  }
  void operator()(std::string_view name, const std::int64_t& value) const {
    EXPECT_EQ(value, Reflection().GetInt64(message_, Field(name))) << name;
  }
  void operator()(std::string_view name, const std::uint64_t& value) const {
    EXPECT_EQ(value, Reflection().GetUInt64(message_, Field(name))) << name;
  }
  void operator()(std::string_view name, const bool& value) const {
    EXPECT_EQ(value, Reflection().GetBool(message_, Field(name))) << name;
  }
  void operator()(std::string_view name, const std::vector<BrokerCall>& calls) const {
    ASSERT_EQ(static_cast<int>(calls.size()), Reflection().FieldSize(message_, Field(name)));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto& sent = Reflection().GetRepeatedMessage(message_, Field(name), static_cast<int>(i));
      records::BrokerCallFields::Each(SameAs(sent), calls[i]);
    }
  }

 private:
  const google::protobuf::Reflection& Reflection() const { return *message_.GetReflection(); }
  const google::protobuf::FieldDescriptor* Field(std::string_view name) const {
    return message_.GetDescriptor()->FindFieldByName(std::string(name));
  }
  const google::protobuf::Message& message_;
};

template <typename Fields, typename Part, typename Message>
void ExpectSame(const std::optional<Part>& part, const Message& sent) {
  ASSERT_TRUE(part);
  Fields::Each(SameAs(sent), *part);
  EXPECT_EQ(part->sha256, sent.sha256());
}

TEST(Annex, C39_IsGivenInTypedValuesOnceItsDigestsRecompute) {
  Annex sent;
  Harness harness(Annexing([&](Annex& annex, const std::string&) { sent = annex; }));
  const auto result = harness.client.RunJavaScript(std::string(kCode), kAsking);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(FieldOf(harness.sent[0], "Plimsoll-Annex"), "1");
  ASSERT_TRUE(result->evidence.annex);
  const client::Annex& annex = *result->evidence.annex;
  ExpectSame<records::EndingFields>(annex.ending, sent.ending());
  ExpectSame<records::ResourceFields>(annex.resources, sent.resources());
  ExpectSame<records::LedgerFields>(annex.ledger, sent.ledger());
  ExpectSame<records::CallFields>(annex.call, sent.call());
  ExpectSame<records::OptionFields>(annex.options, sent.options());
  ASSERT_EQ(annex.streams.size(), 2U);
  records::StreamFields::Each(SameAs(sent.streams(0)), annex.streams[0]);
  records::StreamFields::Each(SameAs(sent.streams(1)), annex.streams[1]);
  EXPECT_EQ(annex.probes_sha256, sent.probes_sha256());
  EXPECT_EQ(annex.annex_sha256, sent.annex_sha256());
  EXPECT_EQ(annex.resources->disk_peak_bytes, kNotMeasured);
}

TEST(Annex, C39_MayHaveNoPartAtAll) {
  const auto result = RunOf(Annexing([](Annex& annex, const std::string& record) {
    annex.Clear();
    SealAnnex(annex, record);
  }));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->evidence.annex);
  EXPECT_FALSE(result->evidence.annex->ending);
}

TEST(Annex, C39_IsAbsentWhereTheDaemonSendsNone) {
  const auto result = RunOf(Honest());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->evidence.annex);
}

TEST(Annex, C39_IsNeitherAskedForNorReadWithoutTheOption) {
  for (const Json& unasked : {Json("no annex"), Json{{"annexSha256", 3}}, Json{{"annexSha256", "00"}}}) {
    Harness harness(Lying([&](Json& answer) { answer["annex"] = unasked; }));
    const auto result = harness.client.RunJavaScript(std::string(kCode));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->evidence.annex);
    for (const auto& [name, value] : harness.sent[0].fields) {
      EXPECT_NE(name, "Plimsoll-Annex");
    }
  }
}

// A lie that the annex's own digest covers, or its part's too: only the check that is meant can find it.
AnnexLie Sealed(std::function<void(Annex&)> lie) {
  return [lie = std::move(lie)](Annex& annex, const std::string& record) {
    lie(annex);
    SealAnnex(annex, record);
  };
}
AnnexLie WellSealed(std::function<void(Annex&)> lie) {
  return [lie = std::move(lie)](Annex& annex, const std::string& record) {
    lie(annex);
    SealParts(annex);
    SealAnnex(annex, record);
  };
}

// The annex is refused for this reason; what came back is attached, with its record and without the annex.
void ExpectFound(const AnnexLie& lie, const std::string& says) {
  const auto result = RunOf(Annexing(lie));
  ASSERT_FALSE(result) << says;
  const Error& error = result.error();
  EXPECT_EQ(error.error_class, ErrorClass::kEvidenceMismatch) << says;
  EXPECT_EQ(error.code, Code::kDataLoss) << says;
  EXPECT_EQ(error.not_dispatched, std::nullopt) << says;
  EXPECT_EQ(error.http_status, 200) << says;
  EXPECT_EQ(error.message, "the annex does not hold: " + says + "; the code may have run");
  EXPECT_FALSE(error.annex) << says;
  ASSERT_TRUE(error.result) << says;
  const Evidence& evidence = std::get<JavaScriptResult>(*error.result).evidence;
  EXPECT_TRUE(evidence.record) << says;
  EXPECT_FALSE(evidence.annex) << says;
}

const std::string kZeros(64, '0');

TEST(Annex, C39_IsRefusedWhenItsOwnDigestIsAnother) {
  const std::string says = "its own digest is another, or of another record";
  ExpectFound([](Annex& a, const std::string&) { a.set_annex_sha256(kZeros); }, says);
  ExpectFound([](Annex& a, const std::string&) { a.clear_annex_sha256(); }, says);
  ExpectFound([](Annex& a, const std::string&) { a.clear_ending(); }, says);
  ExpectFound([](Annex& a, const std::string&) { a.clear_options(); }, says);
  ExpectFound([](Annex& a, const std::string&) { a.set_probes_sha256(std::string(64, 'b')); }, says);
  ExpectFound([](Annex& a, const std::string&) { a.mutable_streams()->RemoveLast(); }, says);
}

TEST(Annex, C39_IsRefusedWhenTheDigestOfAPartIsAnother) {
  ExpectFound(Sealed([](Annex& a) { a.mutable_ending()->set_sha256(kZeros); }), "the digest of its ending is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_resources()->set_sha256(kZeros); }),
              "the digest of its resource receipt is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_ledger()->set_sha256(kZeros); }), "the digest of its ledger is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_call()->set_sha256(kZeros); }),
              "the digest of its call facts is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_options()->set_sha256(kZeros); }),
              "the digest of its options is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_streams(0)->set_head(kZeros); }), "the head of a stream is another");
}

TEST(Annex, C39_IsRefusedWhenAPartWasChangedUnderItsDigest) {
  ExpectFound(Sealed([](Annex& a) { a.mutable_ending()->set_cause("deadline"); }),
              "the digest of its ending is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_resources()->set_disk_peak_bytes(0); }),
              "the digest of its resource receipt is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_ledger()->mutable_calls()->RemoveLast(); }),
              "the digest of its ledger is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_ledger()->mutable_calls(1)->set_status(201); }),
              "the digest of its ledger is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_call()->clear_signal(); }), "the digest of its call facts is another");
  ExpectFound(Sealed([](Annex& a) { a.mutable_options()->set_seed(0); }), "the digest of its options is another");
}

TEST(Annex, C39_IsRefusedWhenItIsOfAnotherRecordOrRequest) {
  ExpectFound(
      [](Annex& a, const std::string&) {
        a.Clear();
        SealAnnex(a, kZeros);
      },
      "its own digest is another, or of another record");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_resources()->set_record_sha256(kZeros); }),
              "another record stands in its resource receipt");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_call()->clear_record_sha256(); }),
              "another record stands in its call facts");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ledger()->set_request_sha256(kZeros); }),
              "another request stands in its ledger");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_options()->set_request_sha256(kZeros); }),
              "another request stands in its options");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_record_sha256(kZeros); }),
              "another record stands in its ending");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_request_sha256(kZeros); }),
              "another request stands in its ending");
}

TEST(Annex, C39_IsRefusedWhenItContradictsTheAnswer) {
  const std::string not_answered = "its ending does not say that the call was answered";
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_ending("refused"); }), not_answered);
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_ran("unknown"); }), not_answered);
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_reason("capacity"); }), not_answered);
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_code("internal"); }), not_answered);
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->clear_record_sha256(); }),
              "its ending does not name this request and this record");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_minimum_isolation("vm"); }),
              "its ending names another floor or software rule than the one sent");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_software_rule_id("exact:a"); }),
              "its ending names another floor or software rule than the one sent");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_session(kZeros); }),
              "its ending has another place in a session than the record");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_session_call(1); }),
              "its ending has another place in a session than the record");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_ending()->set_ended_unix_ms(999); }),
              "its ending ends before it starts");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_call()->set_kind("rollback"); }),
              "its call facts are of another kind of call");
  ExpectFound(WellSealed([](Annex& a) { a.set_probes_sha256("none"); }),
              "it names a probe report by what is no digest");
  ExpectFound(WellSealed([](Annex& a) { a.mutable_streams(0)->set_kept_bytes(2); }),
              "a stream keeps 2 bytes, and 3 were received");
}

TEST(Annex, C39_IsAMalformedAnswerWhenItCannotBeRead) {
  const std::pair<std::function<void(Json&)>, std::string> cases[] = {
      {[](Json& a) { a = "annex"; }, "annex"},
      {[](Json& a) { a["ending"] = Json::array(); }, "ending"},
      {[](Json& a) { a["ending"]["sequence"] = -1; }, "sequence"},
      {[](Json& a) { a["resources"]["cpuUserUs"] = "9223372036854775808"; }, "cpuUserUs"},
      {[](Json& a) { a["options"]["deterministic"] = "true"; }, "deterministic"},
      {[](Json& a) { a["annexSha256"] = 3; }, "annexSha256"},
      {[](Json& a) { a["streams"] = Json::object(); }, "streams"},
      {[](Json& a) { a["ledger"]["calls"] = Json(257, Json::object()); }, "calls (257 elements, at most 256)"},
      {[](Json& a) { a["streams"] = Json(41, Json::object()); }, "streams (41 elements, at most 40)"}};
  for (const auto& [lie, field] : cases) {
    const auto result = RunOf(AnnexingJson(lie));
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().error_class, ErrorClass::kMalformedResponse) << field;
    EXPECT_EQ(result.error().not_dispatched, std::nullopt) << field;
    EXPECT_EQ(result.error().message, "the answer's field " + field + " cannot be read");
  }
}

}  // namespace
}  // namespace plimsoll::client
