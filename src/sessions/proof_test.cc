#include "sessions/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sessions/sessions_for_test.h"

namespace plimsoll::sessions::test {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using base::Fault;
using base::FaultKind;
using testing::HasSubstr;

provider::KeptCall Printed(std::string out, std::int32_t exit_code = 0) {
  run::Report report = testkit::SnippetReport(testkit::SessionProfile(), isolation::Tier::kContainer, std::move(out));
  std::get<run::JavaScriptResult>(report.result).exit_code = exit_code;
  return {std::move(report)};
}

// A provider whose next sandbox answers the calls of a proof with these.
struct Proven {
  explicit Proven(std::vector<provider::KeptCall> answers) {
    provider.SetTier(isolation::Tier::kContainer);
    provider.HoldOpens();
    status =
        std::async(std::launch::async, [this] { return ProveSessions(provider, {.ends = {}, .deadline = Soon(2s)}); });
    EXPECT_TRUE(Eventually([&] {
      return provider.ReleaseOpenThen([&](testkit::FakeSandbox& sandbox) {
        for (auto& answer : answers) {
          sandbox.AnswerNext(std::move(answer));
        }
      });
    }));
  }
  testkit::FakeProvider provider{testkit::SessionProfile()};
  std::future<base::Status> status;
};

TEST(ProveSessions, HoldsWhenFilesStayAndProcessesDoNot) {
  Proven proven({Printed(""), Printed("plimsoll 0", 3), Printed("plimsoll")});
  EXPECT_TRUE(proven.status.get());
  EXPECT_EQ(proven.provider.Sandboxes().at(0)->Asked(), "run run suspend run remove");
}

TEST(ProveSessions, NamesWhatWasNotShownAndRemovesTheSandbox) {
  const auto text = [](std::vector<provider::KeptCall> answers) {
    Proven proven(std::move(answers));
    const base::Status status = proven.status.get();
    EXPECT_TRUE(proven.provider.Sandboxes().at(0)->gone());
    return status ? std::string() : std::string(base::TextOf(status.error()));
  };
  EXPECT_THAT(text({Printed(""), Printed("plimsoll 1", 3)}), HasSubstr("a process is gone"));
  EXPECT_THAT(text({Printed(""), Printed("plimsoll 0", 0)}), HasSubstr("an exit code comes back"));
  EXPECT_THAT(text({Printed(""), Printed(" 0", 3)}), HasSubstr("a file is there"));
  EXPECT_THAT(text({Printed("", 1)}), HasSubstr("a call leaves a file"));
  EXPECT_THAT(text({Printed(""), Printed("plimsoll 0", 3), Printed("")}), HasSubstr("after a suspend"));
  EXPECT_EQ(text({{Fault{FaultKind::kUnavailable, "the engine is gone"}}}), "the engine is gone");
}

TEST(ProveSessions, EndsInTime) {
  testkit::FakeProvider provider(testkit::SessionProfile());
  provider.HoldOpens();
  const base::Status status = ProveSessions(provider, {.ends = {}, .deadline = Soon(20ms)});
  ASSERT_NE(base::FaultIn(status), nullptr);
  EXPECT_EQ(base::FaultIn(status)->kind, FaultKind::kDeadline);
  provider.ReleaseOpen();
  EXPECT_EQ(RuleOf(ProveSessions(*std::make_unique<testkit::FakeProvider>(), {.ends = {}, .deadline = Soon()})),
            base::Rule::kUnsupported);
}

}  // namespace
}  // namespace plimsoll::sessions::test
