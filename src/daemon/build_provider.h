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

// For `check`: finds what the provider is made of and starts nothing. What it gives is null.
BuildProvider FinderOf();

}  // namespace plimsoll::daemon
