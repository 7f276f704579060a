#include "daemon/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "daemon/log_escape.h"
#include "daemon/settings_words.h"
#include "records/probes.h"

namespace plimsoll::daemon {
namespace {

using Json = nlohmann::ordered_json;

// The value in force, or what its absence means.
struct Shown {
  std::optional<std::string> value;
  std::string_view unset_means;  // with no value
  std::string_view origin;
};

// A secret's text is never looked at.
Shown ShownOf(const Setting& setting, const Plan& plan, const SettingsReader& read) {
  const bool set = read.IsSet(setting.id);
  const std::string_view origin = set ? "environment" : "default";
  if (setting.secrecy == Secrecy::kSecret) {
    return {set ? "set" : "unset", {}, origin};
  }
  if (const auto effective = plan.effective.find(setting.id); effective != plan.effective.end()) {
    return {effective->second, {}, origin};
  }
  if (const auto source = read.Source(setting.id)) {
    return {base::RepairUtf8(TrimmedValue(*source)), {}, origin};
  }
  return {std::nullopt, setting.fallback_note, origin};
}

std::string SettingLine(const Setting& setting, const Shown& shown) {
  std::string line = "  " + std::string(setting.name);
  line += shown.value ? " = " + EscapedText(*shown.value) : " is unset";
  line += " (" + std::string(Name(setting.type)) + ", " + std::string(shown.origin) + ")";
  return line + (shown.unset_means.empty() ? "" : ": " + std::string(shown.unset_means)) + "\n";
}

// A rule that holds takes one line; one that does not says what to do about it.
std::string RuleText(const RuleReport& rule) {
  std::string id(rule.id);
  id.resize(4, ' ');
  const std::string_view state = rule.state == RuleState::kNotProved ? "not proved" : Name(rule.state);
  std::string text = "  " + id + std::string(state) + ": " + rule.setting + ": " + EscapedText(rule.found) + "\n";
  if (rule.state != RuleState::kMet) {
    text += "      wanted: " + std::string(rule.wanted) + "\n      why: " + std::string(rule.why) +
            "\n      fix: " + rule.fix + "\n";
  }
  return text;
}

std::string_view Word(Examination::Result result) {
  switch (result) {
    case Examination::Result::kNotTried: return "not_tried";
    case Examination::Result::kPassed: return "passed";
    case Examination::Result::kFailed: return "failed";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

Json BatteryJson(const isolation::ProbeReport& battery) {
  const records::Probes hashed = records::ProbesOf(battery);
  Json probes = Json::array();
  for (const isolation::Probe& probe : battery.probes) {
    probes.push_back({{"probe", base::RepairUtf8(probe.id)},
                      {"outcome", isolation::Name(probe.outcome)},
                      {"tried", base::RepairUtf8(probe.tried)},
                      {"happened", base::RepairUtf8(probe.detail)},
                      {"at_unix_ms", probe.at_unix_ms}});
  }
  return {{"provider", hashed.provider},
          {"isolation", hashed.isolation},
          {"environment", hashed.environment},
          {"policy", hashed.policy},
          {"daemon_version", hashed.daemon_version},
          {"runtime_version", hashed.runtime_version},
          {"started_unix_ms", hashed.started_unix_ms},
          {"ended_unix_ms", hashed.ended_unix_ms},
          {"sha256", records::ProbesDigest(hashed)},
          {"probes", std::move(probes)}};
}

// What the exit code means, for a person.
std::string_view Verdict(const Plan& plan) {
  switch (CheckExitCode(plan)) {
    case 0: return "would start, hardened mode included";
    case 1: return "would not start: see the start errors";
    default: return "would start, but not in hardened mode: see the rules";
  }
}

}  // namespace

int CheckExitCode(const Plan& plan) {
  if (!plan.errors.empty()) {
    return 1;
  }
  const bool violated =
      std::ranges::any_of(plan.rules, [](const RuleReport& rule) { return rule.state == RuleState::kViolated; });
  return violated ? 3 : 0;
}

std::string CheckText(const Plan& plan, const Environment& environment, const Examination* examination) {
  std::vector<StartError> ignored;
  const SettingsReader read(environment, ignored);
  std::string text = "Settings\n";
  for (const Setting& setting : Settings()) {
    text += SettingLine(setting, ShownOf(setting, plan, read));
  }
  text += examination != nullptr ? ExaminationText(plan, *examination) : "";
  text += "\nStart errors\n";
  for (const StartError& error : plan.errors) {
    text += "  " + EscapedText(error.setting) + ": " + EscapedText(error.message) + "\n";
  }
  text += plan.errors.empty() ? "  none\n" : "";
  text += "\nWarnings\n";
  for (const Notice& notice : plan.notices) {
    text += "  " + EscapedText(notice.setting) + ": " + std::string(notice.message) +
            (notice.detail.empty() ? "" : ": " + EscapedText(notice.detail)) + "\n";
  }
  text += plan.notices.empty() ? "  none\n" : "";
  text += "\nRules of hardened mode\n";
  for (const RuleReport& rule : plan.rules) {
    text += RuleText(rule);
  }
  text += "\nVerdict\n  " + std::string(Verdict(plan)) + "\n";
  return text;
}

std::string CheckJson(const Plan& plan, const Environment& environment, const Examination* examination) {
  std::vector<StartError> ignored;
  const SettingsReader read(environment, ignored);
  Json report = {{"settings", Json::array()},
                 {"errors", Json::array()},
                 {"warnings", Json::array()},
                 {"rules", Json::array()},
                 {"exit", CheckExitCode(plan)}};
  if (examination != nullptr) {
    report["preflight"] = Word(examination->preflight);
    report["smoke_test"] = Word(examination->smoke_test);
    report["session"] = Word(examination->session);
    report["probes"] = examination->battery ? BatteryJson(*examination->battery) : Json(nullptr);
  }
  for (const Setting& setting : Settings()) {
    const Shown shown = ShownOf(setting, plan, read);
    Json row = {{"name", setting.name}, {"value", nullptr}, {"type", Name(setting.type)}, {"origin", shown.origin}};
    if (shown.value) {
      row["value"] = *shown.value;
    }
    report["settings"].push_back(std::move(row));
  }
  for (const StartError& error : plan.errors) {
    report["errors"].push_back(
        {{"setting", base::RepairUtf8(error.setting)}, {"error", base::RepairUtf8(error.message)}});
  }
  for (const Notice& notice : plan.notices) {
    report["warnings"].push_back({{"setting", base::RepairUtf8(notice.setting)},
                                  {"warning", notice.message},
                                  {"detail", base::RepairUtf8(notice.detail)}});
  }
  for (const RuleReport& rule : plan.rules) {
    report["rules"].push_back({{"id", rule.id},
                               {"setting", rule.setting},
                               {"state", Name(rule.state)},
                               {"found", base::RepairUtf8(rule.found)},
                               {"wanted", rule.wanted},
                               {"why", rule.why},
                               {"fix", rule.fix}});
  }
  return report.dump(2) + "\n";
}

}  // namespace plimsoll::daemon
