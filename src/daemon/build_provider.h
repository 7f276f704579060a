#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "daemon/plan.h"

namespace plimsoll::daemon {

// The providers of this build, `disabled` apart: the one place that lists them beside BuilderOf.
std::vector<std::string_view> IncludedProviders();

// Builds the provider a plan has chosen. All must outlive what it builds.
BuildProvider BuilderOf(const base::Clock& clock, base::Random& random, base::LogSink& log);

}  // namespace plimsoll::daemon
