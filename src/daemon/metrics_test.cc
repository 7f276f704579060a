#include "daemon/metrics.h"

#include <gtest/gtest.h>

#include <variant>

#include "daemon/metrics_page.h"

namespace plimsoll::daemon {
namespace {

bool Holds(std::string_view text, std::string_view line) {
  return text.find("\n" + std::string(line) + "\n") != std::string_view::npos;
}

TEST(Metrics, D50_AlwaysHoldsAllFiveShedReasons) {
  const std::string text = MetricsText({.version = "1.2.3",
                                        .provider = "wasm",
                                        .tier = isolation::Tier::kProcess,
                                        .runs = 7,
                                        .shed = {{"rate", 2}},
                                        .refusals = {{"isolation", 4}}});
  EXPECT_TRUE(text.starts_with("# HELP plimsoll_runs_total "));
  EXPECT_TRUE(Holds(text, "plimsoll_runs_total 7"));
  for (const char* reason : {"at_capacity", "per_key", "paid_caller", "paid_daemon"}) {
    EXPECT_TRUE(Holds(text, "plimsoll_shed_total{reason=\"" + std::string(reason) + "\"} 0"));
  }
  EXPECT_TRUE(Holds(text, "plimsoll_shed_total{reason=\"rate\"} 2"));
  EXPECT_TRUE(Holds(text, "plimsoll_refusals_total{reason=\"isolation\"} 4"));
  EXPECT_TRUE(Holds(text, "plimsoll_refusals_total{reason=\"request\"} 0"));
  EXPECT_TRUE(Holds(text, "plimsoll_build_info{version=\"1.2.3\",protocol=\"4,5\",provider=\"wasm\"} 1"));
  EXPECT_TRUE(Holds(text, "plimsoll_isolation_tier{tier=\"process\"} 1"));
}

TEST(Metrics, SessionsAreCountedByStateWhileTheyAreOn) {
  EXPECT_EQ(MetricsText({}).find("plimsoll_sessions"), std::string::npos);
  MetricsSnapshot snapshot;
  snapshot.sessions = {{"awake", 2}, {"suspended", 1}};
  const std::string text = MetricsText(snapshot);
  EXPECT_TRUE(Holds(text, "plimsoll_sessions{state=\"awake\"} 2"));
  EXPECT_TRUE(Holds(text, "plimsoll_sessions{state=\"suspended\"} 1"));
}

TEST(Metrics, D50_EscapesALabel) {
  EXPECT_EQ(Series("x", {{"a", "q\"n\nb\\"}, {"c", ""}}, 1), "x{a=\"q\\\"n\\nb\\\\\",c=\"\"} 1\n");
}

int StatusOf(MetricsPage& page, std::string method, std::string target) {
  http::RequestHead head;
  head.method = std::move(method);
  head.target = std::move(target);
  return std::get<http::Response>(page.OnHead(head)).status;
}

TEST(MetricsPage, D50_ServesItsOnePathAndNothingElse) {
  MetricsPage page([] { return std::string("x 1\n"); });
  EXPECT_EQ(StatusOf(page, "GET", "/metrics"), 200);
  EXPECT_EQ(StatusOf(page, "HEAD", "/metrics?x=1"), 200);
  EXPECT_EQ(StatusOf(page, "GET", "/healthz"), 404);
  EXPECT_EQ(StatusOf(page, "GET", "/metrics/"), 404);
  EXPECT_EQ(StatusOf(page, "OPTIONS", "*"), 404);
  EXPECT_EQ(StatusOf(page, "POST", "/metrics"), 405);
}

}  // namespace
}  // namespace plimsoll::daemon
