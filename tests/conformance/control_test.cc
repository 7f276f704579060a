// The control: a provider without a wall keeps every law of behaviour and breaks every law of the wall. A wall law that
// it kept would prove nothing about the others.
#include "tests/conformance/plain_process.h"
#include "tests/conformance/suite.h"

namespace plimsoll::conformance {
namespace {

const Candidate kControl = {
    .name = "plain_process",
    .tier = isolation::Tier::kProcess,
    .abilities = static_cast<std::uint32_t>(testkit::Ability::kNode),
    .make = [](const base::Clock& clock, base::Random&, base::LogSink&) { return MakePlainProcess(clock); }};

const bool kRegistered = [] {
  RegisterBehaviour(kControl);
  RegisterWallsThatMustBreak(kControl);
  return true;
}();

}  // namespace
}  // namespace plimsoll::conformance
