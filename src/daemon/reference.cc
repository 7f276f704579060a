#include "daemon/reference.h"
#include "daemon/settings_words.h"

#include <string_view>

namespace plimsoll::daemon {
namespace {

constexpr std::string_view kUsage = R"(plimsolld runs untrusted code behind a wall of a stated strength.

Usage:
  plimsolld                    run the daemon
  plimsolld check [--json]     settle every setting and report, without serving: exit 0 ready for hardened mode,
                               1 would not start, 3 would start but not hardened
  plimsolld doctor [--smoke] [--json]
                               the same, and try the provider: its preflight, with --smoke its whole battery of probes,
                               whose findings are listed; serves nothing
  plimsolld --version          version, protocol numbers, record version and commit
  plimsolld -h, --help, help   this text

Every setting is an environment variable. A blank value counts as unset. The exit code is 0 after a clean stop, 1 after
a start error or a failed listener, 2 for a wrong argument.
)";

// `1 to 64`, `1s to 12h`; empty where the bounds are only those of the type.
std::string RangeText(const Setting& setting) {
  const Range any;
  const bool bounded = setting.range.min != any.min || setting.range.max != any.max;
  if (!bounded) {
    return setting.type == Type::kInt || setting.type == Type::kMegabytes ? "0 or more" : "";
  }
  if (setting.type == Type::kDuration) {
    return DurationText(std::chrono::nanoseconds(setting.range.min)) + " to " +
           DurationText(std::chrono::nanoseconds(setting.range.max)) + (setting.id == Id::kSessionIdle ? ", or 0" : "");
  }
  return setting.range.max == INT64_MAX
             ? std::to_string(setting.range.min) + " or more"
             : std::to_string(setting.range.min) + " to " + std::to_string(setting.range.max);
}

// What may be written: the type, with its bounds or its words.
std::string ValuesText(const Setting& setting) {
  std::string text(Name(setting.type));
  if (const std::string range = RangeText(setting); !range.empty()) {
    text += ", " + range;
  }
  if (!setting.choices.empty()) {
    text += std::string(setting.type == Type::kChoice ? ": " : " or ") + std::string(setting.choices);
  }
  return setting.secrecy == Secrecy::kSecret ? text + ", secret" : text;
}

}  // namespace

std::string HelpText() {
  std::string text(kUsage);
  for (const Section section : settings::kSections) {
    text += "\n" + std::string(Title(section)) + "\n";
    for (const Setting& setting : Settings()) {
      if (setting.section == section) {
        text += "  " + std::string(setting.name) + " (" + ValuesText(setting) +
                "; default: " + std::string(DefaultText(setting)) + ")\n      " + std::string(setting.doc) + "\n";
      }
    }
  }
  return text;
}

std::string ReferencePage() {
  std::string page =
      "# Settings of plimsolld\n\n"
      "Every setting is an environment variable. This page is printed by `plimsolld settings-reference` from the table "
      "in\n`src/settings/table.cc`; a test compares the two. A blank value counts as unset. A variable that "
      "begins with\n`PLIMSOLL_` or `SANDBOX_` and is not listed here gives one warning at start.\n";
  for (const Section section : settings::kSections) {
    page += "\n## " + std::string(Title(section)) +
            "\n\n| Name | Value | Default | Acted on by | Meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const Setting& setting : Settings()) {
      if (setting.section == section) {
        page += "| `" + std::string(setting.name) + "` | " + ValuesText(setting) + " | " +
                std::string(DefaultText(setting)) + " | " + std::string(Name(setting.readers)) + " | " +
                std::string(setting.doc) + " |\n";
      }
    }
  }
  return page;
}

}  // namespace plimsoll::daemon
