#include "records/probes.h"

#include <gtest/gtest.h>

#include <functional>

#include "records/vectors_for_test.h"

namespace plimsoll::records {
namespace {

using nlohmann::json;

// The fields of one digest case of records-ext.json, read into our type by their names and their order.
Probes ProbesFromVector(const json& fields) {
  Probes out;
  for (const json& field : fields) {
    const auto name = field[0].get<std::string>();
    if (name == "probes") {
      continue;  // the count, which the digest takes from the list
    }
    if (name == "started_unix_ms" || name == "ended_unix_ms") {
      (name[0] == 's' ? out.started_unix_ms : out.ended_unix_ms) = field[1].get<std::int64_t>();
      continue;
    }
    const auto text = field[1].get<std::string>();
    if (name == "probe") {
      out.probes.push_back({.probe = text, .outcome = {}, .detail_sha256 = {}});
    } else if (name == "outcome") {
      out.probes.back().outcome = text;
    } else if (name == "detail_sha256") {
      out.probes.back().detail_sha256 = text;
    } else if (name == "provider") {
      out.provider = text;
    } else if (name == "isolation") {
      out.isolation = text;
    } else if (name == "environment") {
      out.environment = text;
    } else if (name == "policy") {
      out.policy = text;
    } else if (name == "daemon_version") {
      out.daemon_version = text;
    } else if (name == "runtime_version") {
      out.runtime_version = text;
    } else {
      ADD_FAILURE() << "a field this test does not know: " << name;
    }
  }
  return out;
}

TEST(ProbesDigest, R64_EqualsTheGoldenVector) {
  int found = 0;
  for (const json& vector : ExtensionVectorsOf("digest")) {
    if (vector["domain"] == "plimsoll.ext.probes.v1") {
      ++found;
      EXPECT_EQ(ProbesDigest(ProbesFromVector(vector["fields"])), vector["sha256"].get<std::string>()) << vector["id"];
    }
  }
  EXPECT_EQ(found, 1);
}

Probes Sample() {
  return {.provider = "docker",
          .isolation = "kernel",
          .environment = "docker-image:sha256:aa",
          .policy = "p",
          .daemon_version = "0.2.0",
          .runtime_version = "runsc 1",
          .started_unix_ms = 1,
          .ended_unix_ms = 2,
          .probes = {{"a", "pass", "11"}, {"b", "skip", "22"}}};
}

TEST(ProbesDigest, DiffersInEveryField) {
  const std::function<void(Probes&)> changes[] = {
      [](Probes& p) { p.provider = "wasm"; },
      [](Probes& p) { p.isolation = "container"; },
      [](Probes& p) { p.environment = ""; },
      [](Probes& p) { p.policy = ""; },
      [](Probes& p) { p.daemon_version = "0.2.1"; },
      [](Probes& p) { p.runtime_version = "runsc 2"; },
      [](Probes& p) { p.started_unix_ms = 0; },
      [](Probes& p) { p.ended_unix_ms = 3; },
      [](Probes& p) { p.probes.pop_back(); },
      [](Probes& p) { std::swap(p.probes[0], p.probes[1]); },
      [](Probes& p) { p.probes[0].probe = "aa"; },
      [](Probes& p) { p.probes[0].outcome = "fail"; },
      [](Probes& p) { p.probes[1].detail_sha256 = "23"; },
      // A byte that moves from one field into the next.
      [](Probes& p) { p.provider = "dockerk", p.isolation = "ernel"; },
  };
  const std::string whole = ProbesDigest(Sample());
  for (const auto& change : changes) {
    Probes changed = Sample();
    change(changed);
    EXPECT_NE(ProbesDigest(changed), whole) << &change - changes;
  }
}

TEST(ProbesOf, KeepsTheOrderAndHashesWhatHappened) {
  using isolation::Probe;
  isolation::ProbeReport report;
  report.provider = "docker";
  report.tier = isolation::Tier::kKernel;
  report.probes = {{"project/\xff", Probe::Outcome::kSkip, "", "no runsc\xff", 4},
                   {"snippet/write", Probe::Outcome::kPass, "tried to write", "refused with EROFS", 5}};
  const Probes probes = ProbesOf(report);
  EXPECT_EQ(probes.isolation, "kernel");
  ASSERT_EQ(probes.probes.size(), 2U);
  EXPECT_EQ(probes.probes[0].probe, "project/\xef\xbf\xbd");
  EXPECT_EQ(probes.probes[0].outcome, "skip");
  EXPECT_EQ(probes.probes[0].detail_sha256, ProbeDetailDigest("no runsc\xef\xbf\xbd"));
  // The SHA-256 of that text, by another program.
  EXPECT_EQ(probes.probes[1].detail_sha256, "bb5707730d20332001766c7707eec8e1ea954627e6b629fc5aa888b7becb3b2e");
}

}  // namespace
}  // namespace plimsoll::records
