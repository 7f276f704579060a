#include "tools/plimsoll/describe.h"

#include <nlohmann/json.hpp>

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
  if (info.resources.memory_mb != 0) {
    out += Line("memory", std::to_string(info.resources.memory_mb) + " MiB a run");
  }
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

}  // namespace plimsoll::tool
