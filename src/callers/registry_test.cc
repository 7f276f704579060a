#include "callers/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::callers {
namespace {

const std::string kHashA(64, 'a');
const std::string kHashB(64, 'b');

std::string Client(std::string_view id, std::string_view hash, std::string_view scopes = R"(["code:run"])",
                   std::string_view more = "") {
  return R"({"id":")" + std::string(id) + R"(","token_sha256":")" + std::string(hash) + R"(","scopes":)" +
         std::string(scopes) + std::string(more) + "}";
}

std::string File(std::string_view clients) { return R"({"clients":[)" + std::string(clients) + "]}"; }

std::string FaultIn(std::string_view text) {
  const auto parsed = ParseRegistry(text);
  return parsed ? "accepted" : std::string(base::TextOf(parsed.error()));
}

TEST(Registry, D21_TakesWhatTheRulesAllow) {
  const auto parsed = ParseRegistry(
      File(Client(" alice ", std::string(64, 'A') + " ", R"(["code:run","*"])", R"(,"paid_seconds_per_day":60)") + "," +
           Client("b\xC3\xA9", kHashB, "[]")));
  ASSERT_TRUE(parsed.has_value());
  const std::vector<Entry> wanted = {{"alice", kHashA, {"code:run", "*"}, 60}, {"b\xC3\xA9", kHashB, {}, 0}};
  EXPECT_EQ(*parsed, wanted);
}

TEST(Registry, AnEmptyListIsARegistry) { EXPECT_EQ(FaultIn(R"({"clients":[]})"), "accepted"); }

TEST(Registry, D21_RefusesEveryOtherShape) {
  const std::string good = Client("a", kHashA);
  const struct {
    std::string text;
    std::string_view says;
  } cases[] = {
      {"", "not one JSON object"},
      {"[]", "not a JSON object"},
      {"{}", "the key clients is missing"},
      {R"({"Clients":[]})", "unknown key"},
      {R"({"clients":[],"clients":[]})", "repeated"},
      {R"({"clients":[],"x":1})", "unknown key"},
      {R"({"clients":{}})", "not an array"},
      {R"({"clients":null})", "not an array"},
      {R"({"clients":[1]})", "not an object"},
      {R"({"clients":[[]]})", "not an object"},
      {File(good) + "x", "wrong at byte"},
      {File(good) + "{}", "wrong at byte"},
      {File(Client("a", kHashA, R"(["code:run"])", R"(,"x":1)")), "client 1 has an unknown key"},
      {File(Client("a", kHashA, R"(["code:run"])", R"(,"id":"b")")), "client 1 repeats the key id"},
      {File(R"({"ID":"a"})"), "unknown key"},
      {File(R"({"id":"a"})"), "lacks"},
      {File(Client("a", kHashA, "[1]")), "wrong type"},
      {File(Client("a", kHashA, R"("code:run")")), "wrong type"},
      {File(Client("a", kHashA, "[[]]")), "wrong type"},
      {File(Client("a", kHashA, "[]", R"(,"paid_seconds_per_day":-1)")), "not a whole number"},
      {File(Client("a", kHashA, "[]", R"(,"paid_seconds_per_day":1.5)")), "not a whole number"},
      {File(Client("a", kHashA, "[]", R"(,"paid_seconds_per_day":"1")")), "wrong type"},
      {File(Client("a", kHashA, "[]", R"(,"paid_seconds_per_day":18446744073709551615)")), "above"},
      {File(Client("", kHashA)), "empty id"},
      {File(Client("  ", kHashA)), "empty id"},
      {File(Client("*", kHashA)), "id *"},
      {File(Client(R"(a\u0085b)", kHashA)), "control character"},
      {File(Client(R"(a\nb)", kHashA)), "control character"},
      {File(Client("a\xff", kHashA)), "wrong at byte"},
      {File(Client(std::string(257, 'i'), kHashA)), "257 bytes, limit 256"},
      {File(Client("a", std::string(63, 'a'))), "not 64 hex digits"},
      {File(Client("a", std::string(63, 'a') + "g")), "not 64 hex digits"},
      {File(Client("a", kHashA, R"([""])")), "scope of 0 bytes"},
      {File(Client("a", kHashA, R"(["x","x"])")), "repeats a scope"},
      {File(Client("a", kHashA, R"(["a b"])")), "white space"},
      {File(Client("a", kHashA, R"(["a\u00a0b"])")), "white space"},
      {File(good + "," + Client("a", kHashB)), "client 2 has the id"},
      {File(good + "," + Client("b", std::string(64, 'A'))), "client 2 has the token"},
  };
  for (const auto& refused : cases) {
    EXPECT_NE(FaultIn(refused.text).find(refused.says), std::string::npos)
        << refused.text << " -> " << FaultIn(refused.text);
  }
}

TEST(Registry, HoldsNoMoreThanItsBounds) {
  std::string scopes = "[\"s0\"";
  for (std::size_t i = 1; i <= kMaxScopes; ++i) {
    scopes += ",\"s" + std::to_string(i) + "\"";
  }
  EXPECT_NE(FaultIn(File(Client("a", kHashA, scopes + "]"))).find("more than 64 scopes"), std::string::npos);
  EXPECT_NE(FaultIn(std::string(kMaxRegistryBytes + 1, ' ')).find("limit"), std::string::npos);
  EXPECT_NE(FaultIn(std::string(kMaxRegistryBytes, '[')).find("not a JSON object"), std::string::npos);
}

TEST(Registry, NeverRepeatsWhatTheFileHolds) {
  const std::string marker = "5ec2e7";
  const std::string texts[] = {File(Client("a", marker)), File(Client(marker, "x")), "{\"" + marker + "\":1}",
                               "{\"clients\":" + marker, File(Client("a", kHashA, "[]", ",\"" + marker + "\":1"))};
  for (const std::string& text : texts) {
    EXPECT_EQ(FaultIn(text).find(marker), std::string::npos) << FaultIn(text);
  }
}

}  // namespace
}  // namespace plimsoll::callers
