#include "callers/gate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/sha256.h"

namespace plimsoll::callers {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

Gate Registry() {
  const auto client = [](std::string_view id, std::string_view token, std::string_view scopes) {
    return R"({"id":")" + std::string(id) + R"(","token_sha256":")" + base::Sha256Hex(token) + R"(","scopes":)" +
           std::string(scopes) + "}";
  };
  return Gate::FromRegistry(R"({"clients":[)" + client("runner", "run-token", R"(["code:run"])") + "," +
                            client("reader", "read-token", "[]") + "," + client("root", "root-token", R"(["*"])") +
                            "]}")
      .value();
}

// The rule that refused, or nothing when the caller was let in.
std::optional<base::Rule> RuleOf(const base::Result<Caller>& result) {
  const base::Refusal* refusal = base::RefusalIn(result);
  return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
}

TEST(Gate, D22_RefusesEveryHeaderThatIsNotOneKnownBearer) {
  const Gate gates[] = {Registry(), Gate::FromSharedToken(kToken).value()};
  const char* headers[] = {"",
                           "Basic x",
                           "Bearer",
                           "Bearer ",
                           "Bearer a b",
                           "Bearer wrong",
                           "bearer",
                           " Bearer x",
                           "Bearerrun-token",
                           "run-token",
                           "Bearer run-token run-token"};
  for (const Gate& gate : gates) {
    EXPECT_EQ(RuleOf(gate.Authenticate(std::nullopt)), base::Rule::kUnauthenticated);
    for (const char* header : headers) {
      EXPECT_EQ(RuleOf(gate.Authenticate(header)), base::Rule::kUnauthenticated) << header;
    }
  }
}

TEST(Gate, TakesTheSchemeInAnyCaseAndAnySpacing) {
  for (const char* header : {"Bearer run-token", "bEARER run-token", "Bearer \t run-token "}) {
    const auto caller = Registry().Authenticate(header);
    ASSERT_TRUE(caller.has_value()) << header;
    EXPECT_EQ(caller->principal, "runner");
    EXPECT_TRUE(caller->identified);
  }
}

TEST(Gate, D22_DeniesACallerWithoutTheScope) {
  const Gate gate = Registry();
  const auto may_run = [&](const char* header) {
    return gate.Authorize(gate.Authenticate(header).value(), kScopeRun).has_value();
  };
  EXPECT_TRUE(may_run("Bearer run-token"));
  EXPECT_TRUE(may_run("Bearer root-token"));
  EXPECT_FALSE(may_run("Bearer read-token"));
  EXPECT_EQ(base::RefusalIn(gate.Authorize({"reader", true}, kScopeRun))->rule, base::Rule::kPermissionDenied);
  EXPECT_FALSE(gate.Authorize({"nobody", true}, kScopeRun).has_value());
}

TEST(Gate, D20_TakesASharedTokenOf32VisibleCharacters) {
  EXPECT_FALSE(Gate::FromSharedToken(std::string(31, 'x')).has_value());
  EXPECT_FALSE(Gate::FromSharedToken(std::string(32, ' ')).has_value());
  EXPECT_FALSE(Gate::FromSharedToken(std::string(32, '\x7f')).has_value());
  const Gate gate = Gate::FromSharedToken(kToken).value();
  const auto caller = gate.Authenticate("Bearer " + kToken);
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->principal, "static");
  EXPECT_TRUE(gate.Authorize(*caller, kScopeRun).has_value());
  EXPECT_FALSE(gate.Authenticate("Bearer " + kToken + "0").has_value());
  EXPECT_FALSE(gate.Authenticate("Bearer " + kToken.substr(1)).has_value());
}

TEST(Gate, SaysNothingOfARefusedToken) {
  const auto refused = Gate::FromSharedToken("short-secret");
  EXPECT_EQ(base::TextOf(refused.error()).find("short-secret"), std::string_view::npos);
}

TEST(Gate, LetsEveryonePassInOpenModeWithoutAnIdentity) {
  const Gate gate = Gate::Open();
  EXPECT_TRUE(gate.open());
  const auto caller = gate.Authenticate("Basic whatever");
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->principal, "anon");
  EXPECT_FALSE(caller->identified);
  EXPECT_TRUE(gate.Authorize(*caller, kScopeRun).has_value());
}

TEST(Gate, D21_RefusesARegistryThatNobodyCouldUse) {
  EXPECT_FALSE(Gate::FromRegistry(R"({"clients":[]})").has_value());
}

}  // namespace
}  // namespace plimsoll::callers
