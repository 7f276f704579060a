#include "admission/check.h"

#include <gtest/gtest.h>

namespace plimsoll::admission {
namespace {

using base::Rule;
using isolation::Floor;
using isolation::Tier;

isolation::Profile WasmOffer() {
  isolation::Profile offer;
  offer.provider = "wasm";
  offer.javascript = isolation::Environment{};
  return offer;
}

isolation::Profile DisabledOffer() {
  isolation::Profile offer;
  offer.provider = "disabled";
  offer.enabled = false;
  return offer;
}

run::Draft Snippet() {
  run::Draft draft;
  draft.protocol = 4;
  draft.payload = run::JavaScript{"1", ""};
  return draft;
}

run::Draft Project(std::string grant_profile = "") {
  run::Draft draft = Snippet();
  draft.payload = run::Project{{}, {"true"}, {}, std::move(grant_profile)};
  return draft;
}

std::optional<Rule> RuleFor(run::Draft draft, const isolation::Profile& offer = WasmOffer(),
                            isolation::StatedTier tier = Tier::kProcess, Floor operator_floor = Floor::Absent()) {
  const auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  const auto status = MayRun(request.value(), Standing{offer, tier, operator_floor});
  const base::Refusal* refusal = base::RefusalIn(status);
  return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
}

TEST(MayRun, PassesAPlainSnippet) { EXPECT_EQ(RuleFor(Snippet()), std::nullopt); }

TEST(MayRun, P1_W36_DisabledRefusesWhateverElseIsAsked) {
  run::Draft all = Snippet();
  all.minimum_isolation = "vm";
  all.software_rule = {"exact", {"a"}};
  all.payload = run::JavaScript{"1", "billing"};
  EXPECT_EQ(RuleFor(all, DisabledOffer(), Tier::kNone), Rule::kDisabled);
  EXPECT_EQ(RuleFor(Snippet(), DisabledOffer(), Tier::kNone), Rule::kDisabled);
}

TEST(MayRun, W31_AnUnknownGrantProfileComesBeforeTheFloor) {
  run::Draft draft = Snippet();
  draft.minimum_isolation = "vm";
  draft.payload = run::JavaScript{"1", "billing"};
  EXPECT_EQ(RuleFor(draft), Rule::kPermissionDenied);
}

TEST(MayRun, P19_TheFloorComesBeforeTheKind) {
  run::Draft with_floor = Project();
  with_floor.minimum_isolation = "vm";
  EXPECT_EQ(RuleFor(with_floor), Rule::kInsufficientIsolation);
  EXPECT_EQ(RuleFor(Project()), Rule::kUnsupported);
}

TEST(MayRun, P74_AModuleWithoutAnImageIsRefusedByFloorFirst) {
  run::Draft module = Snippet();
  module.payload = run::Module{"m", {{1.0}}, 1, 1};
  EXPECT_EQ(RuleFor(module), Rule::kUnsupported);
  module.minimum_isolation = "vm";
  EXPECT_EQ(RuleFor(module), Rule::kInsufficientIsolation);
}

TEST(MayRun, P20_W30_NoSoftwareRuleIsMetByAnIdentityThatIsNotEstablished) {
  run::Draft draft = Snippet();
  draft.software_rule = {"exact", {"oci-manifest:linux/amd64@sha256:00"}};
  EXPECT_EQ(RuleFor(draft), Rule::kSoftwareMismatch);
}

TEST(MayRun, TheOperatorsFloorHoldsForEveryRequest) {
  EXPECT_EQ(RuleFor(Snippet(), WasmOffer(), Tier::kProcess, Floor::At(Tier::kKernel)), Rule::kInsufficientIsolation);
}

TEST(MayRun, LapsedEvidenceMeetsNoFloor) {
  run::Draft draft = Snippet();
  draft.minimum_isolation = "process";
  EXPECT_EQ(RuleFor(draft, WasmOffer(), std::nullopt), Rule::kInsufficientIsolation);
  EXPECT_EQ(RuleFor(Snippet(), WasmOffer(), std::nullopt), std::nullopt);
}

isolation::Profile KeepingOffer() {
  isolation::Profile offer = WasmOffer();
  offer.session = isolation::Environment{};
  offer.session->software_identity = "a";
  offer.session->languages = {"javascript"};
  return offer;
}

std::optional<Rule> RuleForOpen(Floor floor, const run::SoftwareRuleDraft& rule, const isolation::Profile& offer,
                                isolation::StatedTier tier = Tier::kContainer, Floor operator_floor = Floor::Absent()) {
  const auto status = MayOpen(floor, rule, Standing{offer, tier, operator_floor});
  const base::Refusal* refusal = base::RefusalIn(status);
  return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
}

TEST(MayOpen, S1_W48_AsksInTheProtocolsOrder) {
  const Floor vm = Floor::At(Tier::kVm);
  EXPECT_EQ(RuleForOpen(vm, {"exact", {"b"}}, DisabledOffer()), Rule::kDisabled);
  EXPECT_EQ(RuleForOpen(vm, {"exact", {"b"}}, WasmOffer()), Rule::kUnsupported);
  EXPECT_EQ(RuleForOpen(vm, {"exact", {"b"}}, KeepingOffer()), Rule::kInsufficientIsolation);
  EXPECT_EQ(RuleForOpen(Floor::Absent(), {"exact", {"b"}}, KeepingOffer()), Rule::kSoftwareMismatch);
  EXPECT_EQ(RuleForOpen(Floor::At(Tier::kContainer), {"exact", {"a"}}, KeepingOffer()), std::nullopt);
  EXPECT_EQ(RuleForOpen(Floor::Absent(), {}, KeepingOffer(), Tier::kContainer, vm), Rule::kInsufficientIsolation);
}

TEST(MayRun, ACellNeedsAProvenInterpreterOfItsLanguage) {
  const auto rule_for = [](const char* language) {
    run::Draft draft = Snippet();
    draft.payload = run::Cell{language, "1", {}};
    const auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kAllowed);
    const isolation::Profile offer = KeepingOffer();
    const auto status = MayRun(request.value(), Standing{offer, Tier::kContainer, Floor::Absent()});
    const base::Refusal* refusal = base::RefusalIn(status);
    return refusal == nullptr ? std::nullopt : std::optional(refusal->rule);
  };
  EXPECT_EQ(rule_for("javascript"), std::nullopt);
  EXPECT_EQ(rule_for("python"), Rule::kNotProven);
}

}  // namespace
}  // namespace plimsoll::admission
