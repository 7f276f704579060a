#include "run/session_open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/session_end.h"

namespace plimsoll::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SessionOpen, S8_AnOwnerIsNothingOrANameOfPlainLetters) {
  EXPECT_TRUE(CheckOwner(""));
  EXPECT_FALSE(CheckOwner("alice@example.com"));
  EXPECT_TRUE(CheckOwner("Az09._:-"));
  EXPECT_TRUE(CheckOwner(std::string(64, 'a')));
  for (const std::string& bad : {std::string("a b"), std::string(65, 'a'), std::string("\xc3\xa9")}) {
    const base::Status status = CheckOwner(bad);
    const base::Refusal* refusal = base::RefusalIn(status);
    ASSERT_NE(refusal, nullptr) << bad;
    EXPECT_EQ(refusal->rule, base::Rule::kInvalidRequest);
    EXPECT_THAT(refusal->message, testing::Not(HasSubstr(bad)));
    EXPECT_THAT(refusal->message, HasSubstr("1 to 64"));
  }
}

TEST(SessionOpen, S9_ALanguageThatNobodyRunsIsRefusedAndOneThatIsNotThereIsDropped) {
  const std::vector<std::string> ruby = {"python", "ruby"};
  const base::Status status = CheckLanguages(ruby);
  ASSERT_NE(base::RefusalIn(status), nullptr);
  EXPECT_EQ(base::RefusalIn(status)->message, "languages[1]: must be javascript or python");

  const std::vector<std::string> both = {"python", "javascript", "python"};
  EXPECT_TRUE(CheckLanguages(both));
  const std::vector<std::string> javascript = {"javascript"};
  EXPECT_THAT(HintedLanguages(both, javascript), ElementsAre("javascript"));
  const std::vector<std::string> stated = {"javascript", "python"};
  EXPECT_THAT(HintedLanguages(both, stated), ElementsAre("javascript", "python"));
  EXPECT_THAT(HintedLanguages({}, stated), ElementsAre("javascript", "python"));
  EXPECT_THAT(HintedLanguages(both, {}), IsEmpty());
}

TEST(SessionEnd, HasTheNamesOfTheProtocol) {
  EXPECT_EQ(Name(SessionEnd::kClosed), "closed");
  EXPECT_EQ(Name(SessionEnd::kUnclaimed), "unclaimed");
  EXPECT_EQ(static_cast<int>(SessionEnd::kUnclaimed), 10);
}

}  // namespace
}  // namespace plimsoll::run
