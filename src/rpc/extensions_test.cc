#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <memory>

#include "base/sha256.h"
#include "plimsoll/x1/x1.pb.h"
#include "records/probes.h"
#include "rpc/expect_for_test.h"
#include "rpc/procedures.h"
#include "rpc/service_for_test.h"

namespace plimsoll::rpc {
namespace {

using test::ExpectBound;
using test::ExpectPlumbing;
using test::ExpectRefusal;
using test::Fixture;
using test::Head;
using test::With;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kCapabilities = "/plimsoll.x1.Info/Capabilities";
constexpr std::string_view kProbeReport = "/plimsoll.x1.Evidence/ProbeReport";

http::Response AskJson(Fixture& fixture, std::string_view path, std::string body) {
  return fixture.Ask(Head(path, "application/json"), std::move(body));
}

template <typename Message>
Message Answer(const http::Response& response) {
  EXPECT_EQ(response.status, 200) << response.body;
  ExpectBound(response);
  Message message;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(response.body, &message).ok()) << response.body;
  return message;
}

void GiveProbes(Fixture& fixture) {
  fixture.provider.probes = std::make_shared<const isolation::ProbeReport>(test::SomeProbes());
}

TEST(Capabilities, ListsWhatCanWorkHereByPathAndInOrder) {
  Fixture fixture;
  const auto plain = Answer<x1::CapabilitiesResponse>(AskJson(fixture, kCapabilities, "{}"));
  EXPECT_THAT(plain.procedures(),
              ElementsAre("/plimsoll.v1.SandboxService/Describe", "/plimsoll.v1.SandboxService/Run", kCapabilities));
  EXPECT_TRUE(plain.options().empty());
  EXPECT_TRUE(plain.checkpoint_levels().empty());
  GiveProbes(fixture);
  const auto probed = Answer<x1::CapabilitiesResponse>(AskJson(fixture, kCapabilities, "{}"));
  EXPECT_THAT(probed.procedures(), ElementsAre("/plimsoll.v1.SandboxService/Describe",
                                               "/plimsoll.v1.SandboxService/Run", kProbeReport, kCapabilities));
  fixture.provider.profile.enabled = false;
  fixture.provider.probes = nullptr;
  const auto disabled = Answer<x1::CapabilitiesResponse>(AskJson(fixture, kCapabilities, "{}"));
  EXPECT_THAT(disabled.procedures(), ElementsAre("/plimsoll.v1.SandboxService/Describe", kCapabilities));
}

// What is listed answers, and what is not listed is refused.
TEST(Capabilities, TellTheTruth) {
  Fixture fixture;
  const auto listed = Answer<x1::CapabilitiesResponse>(AskJson(fixture, kCapabilities, "{}"));
  const bool probes = std::ranges::find(listed.procedures(), kProbeReport) != listed.procedures().end();
  EXPECT_FALSE(probes);
  ExpectRefusal(AskJson(fixture, kProbeReport, "{}"), "unimplemented", "UNSUPPORTED");
}

TEST(ProbeReport, IsSortedAndHashesToWhatItSays) {
  Fixture fixture;
  GiveProbes(fixture);
  const auto answer = Answer<x1::ProbeReportResponse>(AskJson(fixture, kProbeReport, "{}"));
  const ext::v1::Probes& report = answer.report();
  EXPECT_EQ(report.provider(), "wasm");
  EXPECT_EQ(report.isolation(), "process");
  EXPECT_EQ(report.runtime_version(), "quickjs-ng 0.17.0");
  EXPECT_EQ(report.started_unix_ms(), 1'700'000'000'000);
  ASSERT_EQ(report.probes_size(), 2);
  EXPECT_EQ(report.probes(0).probe(), "snippet/memory");
  EXPECT_EQ(report.probes(0).outcome(), "skip");
  EXPECT_EQ(report.probes(1).outcome(), "pass");
  EXPECT_EQ(report.sha256(), records::ProbesDigest(records::ProbesOf(test::SomeProbes())));
  ASSERT_EQ(answer.details_size(), 2);
  for (int i = 0; i < answer.details_size(); ++i) {
    EXPECT_EQ(answer.details(i).probe(), report.probes(i).probe());
    EXPECT_EQ(base::Sha256Hex(answer.details(i).happened()), report.probes(i).detail_sha256());
  }
  EXPECT_EQ(answer.details(1).tried(), "ran a snippet");
  EXPECT_EQ(answer.details(1).at_unix_ms(), 1'700'000'000'010);
}

TEST(ProbeReport, IsFoundByItsDigestAndByNoOther) {
  Fixture fixture;
  GiveProbes(fixture);
  const auto in_force = Answer<x1::ProbeReportResponse>(AskJson(fixture, kProbeReport, "{}"));
  const auto again = Answer<x1::ProbeReportResponse>(
      AskJson(fixture, kProbeReport, "{\"sha256\":\"" + in_force.report().sha256() + "\"}"));
  EXPECT_EQ(again.report().sha256(), in_force.report().sha256());
  for (const std::string& other : {std::string(64, '0'), std::string("x")}) {
    const http::Response response = AskJson(fixture, kProbeReport, "{\"sha256\":\"" + other + "\"}");
    EXPECT_EQ(response.status, 404);
    ExpectRefusal(response, "not_found", "REQUEST");
    EXPECT_EQ(response.body.find("SessionEnded"), std::string::npos);
  }
}

TEST(Extensions, W57_AnUnknownFieldOfAnX1MessageIsRefusedWithoutTheStrictHeader) {
  Fixture fixture;
  GiveProbes(fixture);
  for (const std::string_view path : {kCapabilities, kProbeReport}) {
    const http::Response json = AskJson(fixture, path, R"({"sha265":""})");
    ExpectPlumbing(json, 400, "request");
    EXPECT_THAT(json.body, HasSubstr("unknown key `sha265`"));
    ExpectPlumbing(fixture.Ask(Head(path, "application/proto"), "\x98\x06\x01"), 400, "request");
  }
}

TEST(Extensions, NeedTheTokenAndTheScopeOfEveryOtherProcedure) {
  Fixture fixture(test::RegistryGate(R"(["code:run"])"));
  EXPECT_EQ(AskJson(fixture, kCapabilities, "{}").status, 200);
  EXPECT_EQ(fixture.Ask(test::Without(Head(kCapabilities, "application/json"), "authorization"), "{}").status, 401);
  Fixture other(test::RegistryGate(R"(["other"])"));
  EXPECT_EQ(AskJson(other, kCapabilities, "{}").status, 403);
  // RPC-3: procedures of the package that are not built stay closed.
  EXPECT_EQ(AskJson(fixture, "/plimsoll.x1.Runs/Run", "{}").status, 403);
  EXPECT_EQ(AskJson(fixture, "/plimsoll.x1.Info/Capabilities/", "{}").status, 403);
}

TEST(Extensions, AnswerNothingAfterTheCallersDeadline) {
  Fixture fixture;
  for (const std::string_view path : {kCapabilities, kProbeReport}) {
    const http::Response late = fixture.Ask(With(Head(path, "application/json"), {{"connect-timeout-ms", "0"}}), "{}");
    ExpectRefusal(late, "deadline_exceeded", "CAPACITY");
  }
}

// The numbers of records.md 13.6 and wire.md 12: published, so they never change.
TEST(Extensions, W56_FieldsHaveTheNumbersOfTheProtocol) {
  const auto numbers = [](const google::protobuf::Descriptor& type) {
    std::string out;
    for (int i = 0; i < type.field_count(); ++i) {
      out += std::to_string(type.field(i)->number()) + " " + type.field(i)->name() + " " + type.field(i)->type_name() +
             "\n";
    }
    return out;
  };
  EXPECT_EQ(numbers(*ext::v1::Probes::descriptor()),
            "1 provider string\n2 isolation string\n3 environment string\n4 policy string\n5 daemon_version string\n"
            "6 runtime_version string\n7 started_unix_ms int64\n8 ended_unix_ms int64\n9 probes message\n"
            "10 sha256 string\n");
  EXPECT_EQ(numbers(*ext::v1::Probe::descriptor()), "1 probe string\n2 outcome string\n3 detail_sha256 string\n");
  EXPECT_EQ(numbers(*x1::ProbeReportRequest::descriptor()), "1 sha256 string\n");
  EXPECT_EQ(numbers(*x1::ProbeReportResponse::descriptor()), "1 report message\n2 details message\n");
  EXPECT_EQ(numbers(*x1::ProbeDetail::descriptor()),
            "1 probe string\n2 tried string\n3 happened string\n4 at_unix_ms int64\n");
  EXPECT_EQ(numbers(*x1::CapabilitiesRequest::descriptor()), "");
  EXPECT_EQ(numbers(*x1::CapabilitiesResponse::descriptor()),
            "1 procedures string\n2 options string\n3 checkpoint_levels string\n");
}

TEST(Procedures, EachPathNamesItsOwnProcedure) {
  for (std::size_t i = 0; i < kProcedureCount; ++i) {
    const auto procedure = static_cast<Procedure>(i);
    EXPECT_EQ(ProcedureAt(PathOf(procedure)), procedure);
    EXPECT_FALSE(ScopeOf(procedure).empty());
    const bool extension = PathOf(procedure).starts_with("/plimsoll.x1.");
    EXPECT_EQ(MessagesOf(procedure) == Messages::kStrict, extension);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
