#include "tools/plimsoll/describe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace plimsoll::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string Line(std::string_view name, std::string_view value) {
  std::string out(name);
  out.resize(12, ' ');
  return out + EscapeOnOneLine(value) + "\n";
}

// The kinds of payload, and where each runs; nothing where it is not supported.
struct Kind {
  std::string_view name;
  const std::optional<client::PayloadEnvironment>& environment;
};
std::array<Kind, 4> KindsOf(const client::Info& info) {
  return {{{"javascript", info.javascript_environment},
           {"project", info.project_environment},
           {"module", info.module_environment},
           {"session", info.session_environment}}};
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : ", ") + word;
  }
  return out;
}

std::string Summary(const client::PayloadEnvironment& environment) {
  std::string out = environment.identity.empty() ? "no identity" : environment.identity;
  if (environment.max_timeout.count() > 0) {
    out += ", at most " + std::to_string(environment.max_timeout.count()) + " ms";
  }
  return environment.languages.empty() ? out : out + ", " + Joined(environment.languages);
}

Json EnvironmentJson(const std::optional<client::PayloadEnvironment>& environment) {
  if (!environment) {
    return nullptr;
  }
  return {{"identity", environment->identity},
          {"software_identity", environment->software_identity},
          {"max_timeout_ms", environment->max_timeout.count()},
          {"languages", environment->languages}};
}

// The limits of one run that are stated, a line each.
std::string LimitsOf(const client::Resources& resources) {
  std::string out;
  if (resources.memory_mb != 0) {
    out += Line("memory", std::to_string(resources.memory_mb) + " MiB a run");
  }
  if (resources.cpus != 0) {
    out += Line("processors", Json(resources.cpus).dump() + " a run");
  }
  if (resources.pids != 0) {
    out += Line("processes", std::to_string(resources.pids) + " a run");
  }
  if (resources.disk_mb != 0) {
    out += Line("disk", std::to_string(resources.disk_mb) + " MiB a run");
  }
  return out;
}

// RFC 3339 in UTC, to the millisecond. A time that no calendar holds is shown as the number it is.
std::string TimeOf(std::int64_t unix_ms) {
  constexpr std::int64_t kYear9999 = 253'402'300'799'999;
  if (unix_ms < 0 || unix_ms > kYear9999) {
    return std::to_string(unix_ms);
  }
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(unix_ms)};
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(time - days);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

std::string PaintedOutcome(const client::Probe& probe, Colour colour) {
  if (probe.outcome == "pass") {
    return Green(colour, "pass");
  }
  return probe.outcome == "skip" ? Yellow(colour, "skip") : Red(colour, EscapeOnOneLine(probe.outcome));
}

}  // namespace

std::string DescriptionOf(const client::Info& info, Colour colour) {
  std::string numbers;
  for (const std::uint32_t protocol : info.protocols) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(protocol);
  }
  std::string out = Bold(colour, EscapeOnOneLine(info.provider)) + ", " + EscapeOnOneLine(info.isolation) + "\n";
  if (info.protocol != 0) {  // there is none without a daemon
    out += Line("protocols", numbers.empty() ? std::to_string(info.protocol) : numbers);
  }
  for (const Kind& kind : KindsOf(info)) {
    if (kind.environment) {
      out += Line(kind.name, Summary(*kind.environment));
    }
  }
  out += LimitsOf(info.resources);
  if (!info.policy.empty()) {
    out += Line("policy", info.policy);
  }
  return out;
}

std::string JsonOf(const client::Info& info) {
  Json out = {{"provider", info.provider},
              {"isolation", info.isolation},
              {"protocol", info.protocol},
              {"protocols", info.protocols},
              {"supports_project", info.supports_project},
              {"supports_module", info.supports_module},
              {"supports_sessions", info.supports_sessions},
              {"supports_javascript_grants", info.supports_javascript_grants},
              {"supports_project_grants", info.supports_project_grants}};
  for (const Kind& kind : KindsOf(info)) {
    out[std::string(kind.name) + "_environment"] = EnvironmentJson(kind.environment);
  }
  out["resources"] = {{"memory_mb", info.resources.memory_mb},
                      {"cpus", info.resources.cpus},
                      {"pids", info.resources.pids},
                      {"disk_mb", info.resources.disk_mb}};
  out["policy"] = info.policy;
  return out.dump(-1, ' ', true);
}

std::string ProbesTableOf(const client::Probes& probes, Colour colour) {
  std::size_t width = 0;
  for (const client::Probe& probe : probes.probes) {
    width = std::max(width, EscapeOnOneLine(probe.probe).size());
  }
  std::string out = Bold(colour, EscapeOnOneLine(probes.provider)) + ", " + EscapeOnOneLine(probes.isolation) + "\n" +
                    Line("runtime", probes.runtime_version) + Line("probed", probes.environment) +
                    Line("when", TimeOf(probes.started_unix_ms) + " to " + TimeOf(probes.ended_unix_ms)) +
                    Line("by", "plimsoll " + probes.daemon_version) + Line("report", probes.sha256);
  for (const client::Probe& probe : probes.probes) {
    std::string name = EscapeOnOneLine(probe.probe);
    name.resize(width, ' ');
    const std::string time = TimeOf(probe.at_unix_ms);
    out += PaintedOutcome(probe, colour) + "  " + name + "  " + (time.size() > 23 ? time.substr(11, 12) : time) + "  " +
           EscapeOnOneLine(probe.tried) + ": " + EscapeOnOneLine(probe.happened) + "\n";
  }
  return out;
}

std::string JsonOf(const client::Probes& probes) {
  Json out = {{"provider", probes.provider},
              {"isolation", probes.isolation},
              {"environment", probes.environment},
              {"policy", probes.policy},
              {"daemon_version", probes.daemon_version},
              {"runtime_version", probes.runtime_version},
              {"started_unix_ms", probes.started_unix_ms},
              {"ended_unix_ms", probes.ended_unix_ms},
              {"sha256", probes.sha256},
              {"probes", Json::array()}};
  for (const client::Probe& probe : probes.probes) {
    out["probes"].push_back({{"probe", probe.probe},
                             {"outcome", probe.outcome},
                             {"tried", base::RepairUtf8(probe.tried)},
                             {"happened", base::RepairUtf8(probe.happened)},
                             {"detail_sha256", probe.detail_sha256},
                             {"at_unix_ms", probe.at_unix_ms}});
  }
  return out.dump(-1, ' ', true);
}

}  // namespace plimsoll::tool
