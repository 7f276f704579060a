#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "isolation/probe_report.h"
#include "providers/docker/probes/judges.h"
#include "providers/docker/probes/trial.h"
#include "providers/docker/settings.h"
#include "providers/docker/state.h"

namespace plimsoll::docker {

// The rows of the smoke test as data (docs/reference/probes.md). Rows of one group share a sandbox.
enum class Group {
  kFacts,   // what can be asked without harm; every image
  kMemory,  // the rest overrun one limit each, alone (PRB-4); the first image alone, since all have the same limits
  kPids,
  kCpu,
};
enum class Where { kEveryImage, kFirstImage, kImagesWithWork };
struct Row {
  std::string_view id;     // after the image's role and a slash
  std::string_view tried;  // one sentence
  Group group = Group::kFacts;
  Where where = Where::kEveryImage;
  // What `plimsoll-guest probe` is told for it; empty for a row that judges what another one found.
  std::vector<std::string> (*words)(const Promise& promise) = nullptr;
  Verdict (*judge)(const Seen& seen) = nullptr;
};
std::span<const Row> Rows();

// `snippet`, `project`, `module`.
std::string_view Name(Role role);

// What the settings and the state promise of a sandbox of this role.
Promise PromiseOf(const Settings& settings, const State& state, Role role, std::uint32_t processors);

// Runs everything: the rows for each image in the order of Role, then a snippet and the languages through the full run
// path. Goes on after a failure, so that all is told at once, but stops where `may_go_on` says no. The log gets the
// first line of a runsc's kernel log, which decides nothing.
struct BatteryResult {
  std::vector<isolation::Probe> probes;  // in the order they were made
  std::map<Role, std::vector<std::string>> languages;
  bool is_complete = false;
};
BatteryResult RunBattery(const Settings& settings, const State& state, std::uint32_t processors, const RunTrial& run,
                         const base::Clock& clock, base::LogSink& log, const std::function<bool()>& may_go_on);

}  // namespace plimsoll::docker
