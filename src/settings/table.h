#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The one table of settings. Parsing, --help, check, the warning about unknown variables and docs/reference/settings.md
// all come from it, so that none can know a variable the others do not (SET-1).
namespace plimsoll::settings {

// One name for each setting, in the order of the table.
enum class Id : std::uint8_t {
  kAddr,
  kMetricsAddr,
  kGuardAddr,
  kLogFormat,
  kStrictConfig,
  kClientsFile,
  kToken,
  kInsecure,
  kTlsCert,
  kTlsKey,
  kHardened,
  kGrantsFile,
  kLibexec,
  kProvider,
  kMinIsolation,
  kRequirePinnedImages,
  kDockerImage,
  kDockerProjectImage,
  kDockerModuleImage,
  kDockerRuntime,
  kDockerSeccomp,
  kDockerHost,
  kDockerContext,
  kDockerConfig,
  kDockerDefaultPlatform,
  kHome,
  kMemoryMb,
  kCpus,
  kPids,
  kDiskMb,
  kGuestUid,
  kMaxConcurrent,
  kPerKeyConcurrent,
  kRatePerMin,
  kRateBurst,
  kTotalMemoryMb,
  kPaidSecondsPerDay,
  kRunPool,
  kMaxSessions,
  kMaxSessionsPerCaller,
  kMaxSessionsPerOwner,
  kSessionPool,
  kSessionLifetime,
  kSessionIdle,
  kSessionDiskMb,
};
inline constexpr std::size_t kSettingCount = static_cast<std::size_t>(Id::kSessionDiskMb) + 1;

enum class Type : std::uint8_t { kInt, kMegabytes, kFloat, kBool, kDuration, kAddress, kChoice, kString, kPath };
std::string_view Name(Type type);

enum class Section : std::uint8_t { kProcess, kCallers, kProvider, kDocker, kEnvelope, kAdmission, kSessions };
inline constexpr Section kSections[] = {Section::kProcess,  Section::kCallers,   Section::kProvider, Section::kDocker,
                                        Section::kEnvelope, Section::kAdmission, Section::kSessions};
std::string_view Title(Section section);

// Whether a value may be shown. A secret is only ever shown as set or unset.
enum class Secrecy : std::uint8_t { kPublic, kSecret };

// Who acts on the value.
enum class ReadBy : std::uint8_t {
  kDaemon,         // whatever the provider
  kWasmAndDocker,  // these two providers; without a provider it has no effect
  kDocker,         // the docker provider alone
  kNotYetBuilt,    // parts this build does not include: checked, and refused where it would look applied
};
std::string_view Name(ReadBy readers);

// Inclusive bounds in the setting's own unit: MiB, nanoseconds or the number itself.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = 2'147'483'647;
};

struct Setting {
  Id id;
  std::string_view name;
  Type type;
  std::string_view fallback;       // the value when unset, as an operator would write it; empty: none
  std::string_view fallback_note;  // stands in for `fallback` in texts where the default is computed or is an absence
  std::string_view choices;        // kChoice, and words an address may also be: separated by one space
  Range range;
  Section section;
  Secrecy secrecy;
  ReadBy readers;
  std::string_view doc;  // one line
};

// Every setting, in the order of Id.
std::span<const Setting, kSettingCount> Settings();

const Setting& SettingOf(Id id);

// The default as texts show it: the value, the note, or `none`.
std::string_view DefaultText(const Setting& setting);

// The setting of this exact name, or null.
const Setting* FindSetting(std::string_view name);

}  // namespace plimsoll::settings
