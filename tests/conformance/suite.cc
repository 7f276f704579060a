#include "tests/conformance/suite.h"

#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace plimsoll::conformance {
namespace {

// One standing provider a candidate, made at its first law and ended after the last: what it holds, containers on an
// engine among it, is gone when the program ends.
class Standings final : public testing::Environment {
 public:
  Standing& Of(const Candidate& candidate) {
    auto& standing = all_[candidate.name];
    if (standing == nullptr) {
      standing = std::make_unique<Standing>(candidate);
    }
    return *standing;
  }

  void TearDown() override {
    for (auto& [name, standing] : all_) {
      const base::Status ended = standing->End();
      EXPECT_TRUE(ended) << name << ": " << base::TextOf(ended.error());
    }
    all_.clear();
  }

 private:
  std::map<std::string, std::unique_ptr<Standing>> all_;
};

// Owned by the test runner from its first use on, which is before the tests begin.
Standings& AllStandings() {
  static Standings& all = []() -> Standings& {
    auto* made = new Standings();
    testing::AddGlobalTestEnvironment(made);
    return *made;
  }();
  return all;
}

// One law against one candidate.
class LawTest : public testing::Test {
 public:
  enum class Expect { kHolds, kBreaks };
  LawTest(const Candidate& candidate, const testkit::Law& law, Expect expect)
      : candidate_(candidate), law_(law), expect_(expect) {}

  void TestBody() override {
    Standing& standing = AllStandings().Of(candidate_);
    ASSERT_EQ(standing.failure(), "");
    const testkit::Subject subject = standing.subject();
    if (!subject.Can(law_.needs)) {
      GTEST_SKIP() << candidate_.name << " lacks the ability: " << testkit::Name(law_.needs);
    }
    if (expect_ == Expect::kBreaks && law_.broken_by == testkit::Law::BrokenBy::kRoot && ::geteuid() != 0) {
      GTEST_SKIP() << "only root gets this where there is no wall";
    }
    const std::string broken = law_.broken(subject);
    if (expect_ == Expect::kHolds) {
      EXPECT_EQ(broken, "");
    } else {
      EXPECT_NE(broken, "") << "a provider without a wall passes: the law proves nothing";
    }
  }

 private:
  const Candidate& candidate_;
  const testkit::Law& law_;
  const Expect expect_;
};

void Register(const Candidate& candidate, std::span<const testkit::Law> laws, LawTest::Expect expect) {
  AllStandings();
  const bool control = expect == LawTest::Expect::kBreaks;
  for (const testkit::Law& law : laws) {
    const std::string suite = (control ? "Control/" : "Conformance/") + candidate.name;
    const std::string name = (control ? "Breaks_" : "") + std::string(law.id);
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&candidate, &law, expect]() -> testing::Test* {
                            return new LawTest(candidate, law, expect);  // owned by the test runner
                          });
  }
}

}  // namespace

Standing::Standing(const Candidate& candidate) : candidate_(candidate) {
  auto made = candidate.make(clock_, random_, log_);
  if (!made) {
    failure_ = std::string(base::TextOf(made.error()));
    return;
  }
  provider_ = std::move(*made);
  const auto deadline = clock_.Steady() + std::chrono::minutes(2);
  base::Status ready = provider_->Preflight(deadline);
  if (ready) {
    ready = provider_->SmokeTest(deadline);
  }
  if (!ready) {
    failure_ = std::string(base::TextOf(ready.error()));
  }
}

base::Status Standing::End() {
  return provider_ == nullptr ? base::Ok() : provider_->Drain(clock_.Steady() + std::chrono::minutes(1));
}

testkit::Subject Standing::subject() const {
  return {.provider = *provider_,
          .clock = clock_,
          .tier = candidate_.tier,
          .abilities = candidate_.abilities,
          .host = host_.things()};
}

void RegisterBehaviour(const Candidate& candidate) {
  Register(candidate, testkit::BehaviourLaws(), LawTest::Expect::kHolds);
  Register(candidate, testkit::ProjectLaws(), LawTest::Expect::kHolds);
}

void RegisterLaws(const Candidate& candidate) {
  RegisterBehaviour(candidate);
  Register(candidate, testkit::WallLaws(), LawTest::Expect::kHolds);
}

void RegisterWallsThatMustBreak(const Candidate& candidate) {
  Register(candidate, testkit::WallLaws(), LawTest::Expect::kBreaks);
}

}  // namespace plimsoll::conformance
