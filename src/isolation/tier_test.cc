#include "isolation/tier.h"

#include <gtest/gtest.h>

namespace plimsoll::isolation {
namespace {

Floor MustParse(std::string_view text) { return Floor::Parse(text).value(); }

TEST(Floor, IsMetByItsOwnTierAndStrongerOnes) {
  EXPECT_FALSE(MustParse("kernel").MetBy(Tier::kContainer));
  EXPECT_TRUE(MustParse("kernel").MetBy(Tier::kKernel));
  EXPECT_TRUE(MustParse("kernel").MetBy(Tier::kVm));
}

// ISO-2: evidence that lapsed is worth nothing.
TEST(Floor, IsNeverMetByAnUnknownTier) {
  EXPECT_FALSE(MustParse("process").MetBy(std::nullopt));
  EXPECT_TRUE(Floor::Absent().MetBy(std::nullopt));
}

// ISO-3: a near miss must not run with no floor, nor with another one.
TEST(Floor, RefusesEveryTextThatIsNotExactlyAName) {
  for (std::string_view text : {"none", "unknown", "Kernel", "KERNEL", " kernel", "kernel ", "vms", "0"}) {
    const auto parsed = Floor::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    ASSERT_NE(base::RefusalIn(parsed), nullptr) << text;
    EXPECT_EQ(base::RefusalIn(parsed)->rule, base::Rule::kInvalidRequest) << text;
  }
}

TEST(Floor, StrongerPicksTheStrictestAndAbsentIsTheWeakest) {
  EXPECT_EQ(Floor::Stronger(Floor::Absent(), MustParse("process")), MustParse("process"));
  EXPECT_EQ(Floor::Stronger(MustParse("kernel"), MustParse("container")), MustParse("kernel"));
  EXPECT_EQ(Floor::Stronger(Floor::Absent(), Floor::Absent()), Floor::Absent());
}

TEST(TierNamed, ReadsBackEveryNameAndNoOtherWord) {
  for (const Tier tier : {Tier::kNone, Tier::kProcess, Tier::kContainer, Tier::kKernel, Tier::kVm}) {
    EXPECT_EQ(TierNamed(Name(tier)), tier);
  }
  for (const std::string_view word : {"", "unknown", "Kernel", "kernel ", "hypervisor"}) {
    EXPECT_EQ(TierNamed(word), std::nullopt) << word;
  }
}

TEST(RefuseBelow, W4_SaysBothTiersInTheWordsOfTheProtocol) {
  const auto refusal = RefuseBelow(MustParse("kernel"), Tier::kProcess);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(base::ReasonOf(refusal->rule), base::Reason::kIsolation);
  EXPECT_EQ(refusal->message,
            "sandbox isolation requirement not met: provider isolation process is below requested minimum kernel");
}

}  // namespace
}  // namespace plimsoll::isolation
