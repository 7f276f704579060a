#include "run/software_rule.h"

#include <gtest/gtest.h>

namespace plimsoll::run {
namespace {

using Identities = std::vector<std::string>;

// What is left of two rules, as `mode:a,b`; `none` when nothing is.
std::string Left(const SoftwareRuleDraft& open, const SoftwareRuleDraft& call) {
  const auto both = Narrowed(open, call);
  if (!both) {
    return "none";
  }
  std::string out = both->mode + ":";
  for (const std::string& identity : both->identities) {
    out += (out.back() == ':' ? "" : ",") + identity;
  }
  return out;
}

TEST(Allows, EveryImageWithoutARuleAndOnlyListedOnesWithOne) {
  EXPECT_TRUE(Allows({}, "a"));
  EXPECT_TRUE(Allows({}, ""));
  EXPECT_TRUE(Allows({"approved", {"a", "b"}}, "b"));
  EXPECT_FALSE(Allows({"approved", {"a", "b"}}, "c"));
  EXPECT_FALSE(Allows({"exact", {"a"}}, ""));
}

TEST(Narrowed, KeepsWhatBothAllowInTheOrderOfTheOpen) {
  EXPECT_EQ(Left({"approved", {"c", "a", "b"}}, {"approved", {"a", "b", "c", "d"}}), "approved:c,a,b");
  EXPECT_EQ(Left({"approved", {"c", "a", "b"}}, {"approved", {"b", "c"}}), "approved:c,b");
}

TEST(Narrowed, IsExactWhenOneIsLeft) {
  EXPECT_EQ(Left({"approved", {"a", "b"}}, {"approved", {"b", "d"}}), "exact:b");
  EXPECT_EQ(Left({"approved", {"a"}}, {"approved", {"a"}}), "exact:a");
}

TEST(Narrowed, LeavesTheOtherRuleAsItIsWhenOneIsAbsent) {
  EXPECT_EQ(Left({"approved", {"a"}}, {}), "approved:a");
  EXPECT_EQ(Left({}, {"approved", {"a"}}), "approved:a");
  EXPECT_EQ(Left({}, {}), ":");
}

TEST(Narrowed, IsNothingWhenNoneIsLeft) { EXPECT_EQ(Left({"exact", {"a"}}, {"approved", {"b", "c"}}), "none"); }

}  // namespace
}  // namespace plimsoll::run
