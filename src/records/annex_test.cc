#include "records/annex.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "records/annex_fields.h"
#include "records/vectors_for_test.h"

namespace plimsoll::records {
namespace {

using nlohmann::json;

const std::string kRequest(64, '1');
const std::string kRecord(64, '2');

json VectorNamed(std::string_view group, std::string_view id) {
  for (json& vector : ExtensionVectorsOf(group)) {
    if (vector["id"] == id) {
      return std::move(vector);
    }
  }
  ADD_FAILURE() << "no vector " << id;
  return {};
}

std::string GoldenDigest(std::string_view id) { return VectorNamed("digest", id)["sha256"]; }

// Puts the value that a vector gives under this name into the member; each name comes once.
class FromVector {
 public:
  explicit FromVector(const json& fields) : fields_(fields) {}
  void operator()(std::string_view name, std::string& out) const { out = Named(name).get<std::string>(); }
  void operator()(std::string_view name, std::int64_t& out) const { out = Named(name).get<std::int64_t>(); }
  void operator()(std::string_view name, std::uint64_t& out) const { out = Named(name).get<std::uint64_t>(); }

 private:
  const json& Named(std::string_view name) const {
    for (const json& field : fields_) {
      if (field[0] == name) {
        return field[1];
      }
    }
    ADD_FAILURE() << "the vector has no " << name;
    return fields_;
  }
  const json& fields_;
};

TEST(EndingDigest, R64_EqualsEveryGoldenVector) {
  int found = 0;
  for (const json& vector : ExtensionVectorsOf("digest")) {
    if (vector["domain"] == "plimsoll.ext.ending.v1") {
      ++found;
      Ending ending;
      EndingFields::Each(FromVector(vector["fields"]), ending);
      EXPECT_EQ(EndingDigest(ending), vector["sha256"].get<std::string>()) << vector["id"];
    }
  }
  EXPECT_EQ(found, 5);
}

// The golden vectors once more, member by member: a field that reads another member would not be seen above.
Ending RefusedEnding() {
  return {.daemon = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
          .caller_sha256 = "f069c45db71612ee73a904ecbc86f6fcb9d48d5d684281923fdafc58c2192e47",
          .sequence = 3,
          .previous_sha256 = "cab18bf8b99cc08e561f7b4494a113125850d462c436c5dcf7a7c44541acf9f9",
          .ending = "refused",
          .ran = "no",
          .reason = "capacity",
          .code = "resource_exhausted",
          .cause = "",
          .count = 981,
          .request_sha256 = kRequest,
          .record_sha256 = "",
          .provider = "docker",
          .isolation = "kernel",
          .minimum_isolation = "",
          .software_rule_id = "",
          .session = "",
          .session_call = 0,
          .started_unix_ms = 1795000000000,
          .ended_unix_ms = 1795000000095};
}

ResourceReceipt Receipt() {
  return {.record_sha256 = kRecord,
          .method = "cgroup",
          .cpu_user_us = 1200,
          .cpu_system_us = 300,
          .memory_peak_bytes = 41943040,
          .memory_limit_bytes = 268435456,
          .disk_peak_bytes = kNotMeasured,
          .pids_peak = 3,
          .broker_calls = 2,
          .broker_sent_bytes = 10,
          .broker_received_bytes = 999,
          .queue_us = 50,
          .setup_us = 2000,
          .run_us = 95000,
          .teardown_us = kNotMeasured,
          .paid_ms = 0,
          .limit = ""};
}

BrokerLedger Ledger() {
  const std::string empty = "55415194363ea89c580e697b50cc08ee0e5b77ec6b1bb908820709f72d6d008e";
  return {.request_sha256 = kRequest,
          .grant_profile = "inventory",
          .calls = {{.method = "GET",
                     .route = "/items/{id}",
                     .decision = "allowed",
                     .status = 200,
                     .sent_bytes = 0,
                     .received_bytes = 7,
                     .sent_body_sha256 = empty,
                     .received_body_sha256 = "36183ee33f94ed5b9a495070d9b88009d6405f1e946e87fe741cf974993bd650",
                     .offset_us = 1000,
                     .duration_us = 800},
                    {.method = "POST",
                     .route = "",
                     .decision = "route",
                     .status = 0,
                     .sent_bytes = 3,
                     .received_bytes = 0,
                     .sent_body_sha256 = "2b4464173d1c9848787d70ac903ccc55481c9f7bceec960878d9ab4e0ebacb96",
                     .received_body_sha256 = empty,
                     .offset_us = 2500,
                     .duration_us = 10}}};
}

CallFacts Facts() { return {.record_sha256 = kRecord, .kind = "call", .interpreter_end = "oom", .signal = 9}; }

OptionsUsed Options() {
  return {.request_sha256 = kRequest,
          .deterministic = true,
          .seed = 18446744073709551615U,
          .start_unix_ms = 1640995200000,
          .interrupt_first = false};
}

TEST(EndingDigest, R64_TakesEachFieldFromItsMember) {
  EXPECT_EQ(EndingDigest(RefusedEnding()), GoldenDigest("ending-merged"));
}

TEST(ResourcesDigest, R64_EqualsTheGoldenVector) { EXPECT_EQ(ResourcesDigest(Receipt()), GoldenDigest("resources")); }

TEST(LedgerDigest, R64_EqualsTheGoldenVector) { EXPECT_EQ(LedgerDigest(Ledger()), GoldenDigest("ledger")); }

TEST(CallDigest, R64_EqualsTheGoldenVector) { EXPECT_EQ(CallDigest(Facts()), GoldenDigest("call-interpreter-end")); }

TEST(OptionsDigest, R64_EqualsTheGoldenVector) {
  EXPECT_EQ(OptionsDigest(Options()), GoldenDigest("options-deterministic"));
}

TEST(AnnexDigest, R64_EqualsTheGoldenVectors) {
  Annex annex;
  EXPECT_EQ(AnnexDigest(annex, kRecord), GoldenDigest("annex-empty"));
  annex.ending = Ending{.sha256 = GoldenDigest("ending-answered")};
  annex.resources = Receipt();
  annex.resources->sha256 = GoldenDigest("resources");
  annex.ledger = Ledger();
  annex.ledger->sha256 = GoldenDigest("ledger");
  annex.probes_sha256 = GoldenDigest("probes");
  annex.call = Facts();
  annex.call->sha256 = GoldenDigest("call-interpreter-end");
  annex.options = Options();
  annex.options->sha256 = GoldenDigest("options-deterministic");
  annex.streams = {{.step = 0,
                    .stream = "stdout",
                    .kept_bytes = 1,
                    .produced_bytes = 1,
                    .truncated = false,
                    .head = VectorNamed("stream", "stream-1")["heads"].back()},
                   {.step = 0,
                    .stream = "stderr",
                    .kept_bytes = 0,
                    .produced_bytes = 0,
                    .truncated = false,
                    .head = VectorNamed("stream", "stream-stderr-empty")["heads"].back()}};
  EXPECT_EQ(AnnexDigest(annex, kRecord), GoldenDigest("annex"));
}

// Changes a member to a value it has not.
struct Change {
  void operator()(std::string_view, std::string& text) const { text += "x"; }
  void operator()(std::string_view, std::int64_t& number) const { ++number; }
  void operator()(std::string_view, std::uint64_t& number) const { ++number; }
  void operator()(std::string_view, bool& flag) const { flag = !flag; }
  void operator()(std::string_view, std::vector<BrokerCall>& calls) const { calls.emplace_back(); }
};

// The digests of a part with each of its fields changed alone, and of the part as it is.
template <typename Fields, typename Part>
std::set<std::string> DigestsOfChanges(const Part& part, std::string (*digest)(const Part&)) {
  std::set<std::string> out = {digest(part)};
  std::size_t fields = 0;
  Fields::Each([&](std::string_view, const auto&) { ++fields; }, part);
  for (std::size_t i = 0; i < fields; ++i) {
    Part changed = part;
    std::size_t at = 0;
    Fields::Each(
        [&](std::string_view name, auto& member) {
          if (at++ == i) {
            Change{}(name, member);
          }
        },
        changed);
    out.insert(digest(changed));
  }
  EXPECT_EQ(out.size(), fields + 1);
  return out;
}

TEST(PartDigests, R69_DifferInEveryFieldAndNeverMeetAcrossParts) {
  std::set<std::string> all;
  std::size_t expected = 0;
  const auto add = [&](const std::set<std::string>& digests) {
    expected += digests.size();
    all.insert(digests.begin(), digests.end());
  };
  add(DigestsOfChanges<EndingFields>(RefusedEnding(), EndingDigest));
  add(DigestsOfChanges<ResourceFields>(Receipt(), ResourcesDigest));
  add(DigestsOfChanges<LedgerFields>(Ledger(), LedgerDigest));
  add(DigestsOfChanges<CallFields>(Facts(), CallDigest));
  add(DigestsOfChanges<OptionFields>(Options(), OptionsDigest));
  EXPECT_EQ(all.size(), expected);
}

TEST(LedgerDigest, R69_DiffersInEveryFieldOfACallAndInTheirOrder) {
  BrokerLedger ledger = Ledger();
  std::set<std::string> digests = {LedgerDigest(ledger)};
  BrokerCallFields::Each(
      [&](std::string_view name, auto& member) {
        const auto was = member;
        Change{}(name, member);
        digests.insert(LedgerDigest(ledger));
        member = was;
      },
      ledger.calls[1]);
  std::swap(ledger.calls[0], ledger.calls[1]);
  digests.insert(LedgerDigest(ledger));
  EXPECT_EQ(digests.size(), 12U);
}

TEST(AnnexDigest, R69_DiffersInTheRecordInEachPartAndInEachStream) {
  const std::string seal(64, 'a');
  const std::function<void(Annex&)> changes[] = {[](Annex&) {},
                                                 [&](Annex& a) { a.ending = Ending{.sha256 = seal}; },
                                                 [&](Annex& a) { a.resources = ResourceReceipt{.sha256 = seal}; },
                                                 [&](Annex& a) { a.ledger = BrokerLedger{.sha256 = seal}; },
                                                 [&](Annex& a) { a.probes_sha256 = seal; },
                                                 [&](Annex& a) { a.call = CallFacts{.sha256 = seal}; },
                                                 [&](Annex& a) { a.options = OptionsUsed{.sha256 = seal}; },
                                                 [](Annex& a) { a.streams.resize(1); },
                                                 [](Annex& a) { a.streams.resize(2); },
                                                 [](Annex& a) { a.streams = {{.step = 1}}; },
                                                 [](Annex& a) { a.streams = {{.stream = "stdout"}}; },
                                                 [](Annex& a) { a.streams = {{.kept_bytes = 1}}; },
                                                 [](Annex& a) { a.streams = {{.produced_bytes = 1}}; },
                                                 [](Annex& a) { a.streams = {{.truncated = true}}; },
                                                 [&](Annex& a) { a.streams = {{.head = seal}}; }};
  std::set<std::string> digests = {AnnexDigest({}, std::string(64, '3'))};
  for (const auto& change : changes) {
    Annex annex;
    change(annex);
    digests.insert(AnnexDigest(annex, kRecord));
  }
  EXPECT_EQ(digests.size(), std::size(changes) + 1);
}

}  // namespace
}  // namespace plimsoll::records
