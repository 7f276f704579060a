#include "providers/disabled/provider.h"

namespace plimsoll::disabled {

namespace {

isolation::Profile EmptyProfile() {
  isolation::Profile profile;
  profile.provider = "disabled";
  profile.enabled = false;
  return profile;
}

}  // namespace

Provider::Provider() : profile_(EmptyProfile()) {}

base::Status Provider::Preflight(base::SteadyTime /*deadline*/) { return base::Ok(); }

base::Status Provider::SmokeTest(base::SteadyTime /*deadline*/) { return base::Ok(); }

void Provider::Run(provider::Order /*order*/, provider::RunDone done) {
  done(base::Refusal{base::Rule::kDisabled, "code execution is disabled"});
}

base::Status Provider::Drain(base::SteadyTime /*deadline*/) { return base::Ok(); }

}  // namespace plimsoll::disabled
