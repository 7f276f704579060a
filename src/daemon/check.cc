#include "daemon/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/utf8.h"
#include "daemon/log_escape.h"
#include "daemon/settings_words.h"

namespace plimsoll::daemon {
namespace {

using Json = nlohmann::ordered_json;

struct Shown {
  std::string value;
  std::string_view origin;
};

// The value in force and where it comes from. A secret's text is never looked at.
Shown ShownOf(const Setting& setting, const Plan& plan, const SettingsReader& read) {
  const bool set = read.IsSet(setting.id);
  const std::string_view origin = set ? "environment" : "default";
  if (setting.secrecy == Secrecy::kSecret) {
    return {set ? "set" : "unset", origin};
  }
  if (const auto effective = plan.effective.find(setting.id); effective != plan.effective.end()) {
    return {effective->second, origin};
  }
  const auto source = read.Source(setting.id);
  return {base::RepairUtf8(source ? TrimmedValue(*source) : DefaultText(setting)), origin};
}

// What the exit code means, for a person.
std::string_view Verdict(const Plan& plan) {
  switch (CheckExitCode(plan)) {
    case 0: return "would start, hardened mode included";
    case 1: return "would not start: see the start errors";
    default: return "would start, but not in hardened mode: see the rules";
  }
}

std::string Escaped(std::string_view text) {
  std::string out;
  AppendJsonText(out, text);
  return out.substr(1, out.size() - 2);  // without the quotes
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

std::string CheckText(const Plan& plan, const Environment& environment) {
  std::vector<StartError> ignored;
  const SettingsReader read(environment, ignored);
  std::string text = "Settings\n";
  for (const Setting& setting : Settings()) {
    const auto [value, origin] = ShownOf(setting, plan, read);
    text += "  " + std::string(setting.name) + " = " + Escaped(value) + " (" + std::string(Name(setting.type)) + ", " +
            std::string(origin) + ")\n";
  }
  text += "\nStart errors\n";
  for (const StartError& error : plan.errors) {
    text += "  " + Escaped(error.setting) + ": " + Escaped(error.message) + "\n";
  }
  text += plan.errors.empty() ? "  none\n" : "";
  text += "\nWarnings\n";
  for (const Notice& notice : plan.notices) {
    text += "  " + Escaped(notice.setting) + ": " + std::string(notice.message) +
            (notice.detail.empty() ? "" : ": " + Escaped(notice.detail)) + "\n";
  }
  text += plan.notices.empty() ? "  none\n" : "";
  text += "\nRules of hardened mode\n";
  for (const RuleReport& rule : plan.rules) {
    text += "  " + std::string(rule.id) + " " + std::string(Name(rule.state)) + ": " + rule.setting + " is " +
            Escaped(rule.found) + "; wanted " + std::string(rule.wanted) + "\n";
    if (rule.state != RuleState::kMet) {
      text += "     why: " + std::string(rule.why) + "; fix: " + rule.fix + "\n";
    }
  }
  text += "\nVerdict\n  " + std::string(Verdict(plan)) + "\n";
  return text;
}

std::string CheckJson(const Plan& plan, const Environment& environment) {
  std::vector<StartError> ignored;
  const SettingsReader read(environment, ignored);
  Json report = {{"settings", Json::array()},
                 {"errors", Json::array()},
                 {"warnings", Json::array()},
                 {"rules", Json::array()},
                 {"exit", CheckExitCode(plan)}};
  for (const Setting& setting : Settings()) {
    const auto [value, origin] = ShownOf(setting, plan, read);
    report["settings"].push_back(
        {{"name", setting.name}, {"value", value}, {"type", Name(setting.type)}, {"origin", origin}});
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
