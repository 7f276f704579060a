#include "settings/table.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plimsoll::settings {
namespace {

constexpr Range kAny{};
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTwelveHours = 12 * 3'600 * kSecond;

using enum Type;
using enum Secrecy;
using enum ReadBy;

constexpr std::array<Setting, kSettingCount> kTable = {{
    {Id::kAddr, "PLIMSOLL_ADDR", kAddress, "127.0.0.1:8746", "", "", kAny, Section::kProcess, kPublic, kDaemon,
     "Where calls and the two probes are served. Off loopback it needs authentication or PLIMSOLL_INSECURE=1."},
    {Id::kMetricsAddr, "PLIMSOLL_METRICS_ADDR", kAddress, "127.0.0.1:9464", "", "off", kAny, Section::kProcess, kPublic,
     kDaemon, "Where /metrics is served, without authentication; `off` for nowhere."},
    {Id::kGuardAddr, "PLIMSOLL_GUARD_ADDR", kAddress, "", "", "", kAny, Section::kProcess, kPublic, kNotYetBuilt,
     "Where guests of a remote provider reach granted calls. A start error while the provider has no guard URL."},
    {Id::kLogFormat, "PLIMSOLL_LOG_FORMAT", kChoice, "json", "", "json text", kAny, Section::kProcess, kPublic, kDaemon,
     "Form of the log on standard error. Any other value gives json and a warning."},
    {Id::kStrictConfig, "PLIMSOLL_STRICT_CONFIG", kBool, "0", "", "", kAny, Section::kProcess, kPublic, kDaemon,
     "1 makes a PLIMSOLL_ or SANDBOX_ variable that this reference does not name a start error."},
    {Id::kClientsFile, "PLIMSOLL_CLIENTS_FILE", kPath, "", "", "", kAny, Section::kCallers, kPublic, kDaemon,
     "Registry of callers; wins over PLIMSOLL_TOKEN. Writable by its owner alone."},
    {Id::kToken, "PLIMSOLL_TOKEN", kString, "", "", "", kAny, Section::kCallers, kSecret, kDaemon,
     "One bearer shared by every caller: at least 32 characters of 0x21 to 0x7E."},
    {Id::kInsecure, "PLIMSOLL_INSECURE", kChoice, "", "", "0 1", kAny, Section::kCallers, kPublic, kDaemon,
     "1 lets anyone call: a real provider, or an address off loopback, without authentication. For development."},
    {Id::kTlsCert, "PLIMSOLL_TLS_CERT", kPath, "", "", "", kAny, Section::kProcess, kPublic, kDaemon,
     "PEM certificate chain of every listener; needs PLIMSOLL_TLS_KEY."},
    {Id::kTlsKey, "PLIMSOLL_TLS_KEY", kPath, "", "", "", kAny, Section::kProcess, kPublic, kDaemon,
     "PEM private key; needs PLIMSOLL_TLS_CERT. Readable and writable by its owner alone."},
    {Id::kHardened, "PLIMSOLL_HARDENED", kBool, "0", "", "", kAny, Section::kProcess, kPublic, kDaemon,
     "1 makes the production rules a start condition and refuses every run below tier kernel."},
    {Id::kGrantsFile, "PLIMSOLL_GRANTS_FILE", kPath, "", "", "", kAny, Section::kProcess, kPublic, kNotYetBuilt,
     "Grant profiles. A start error with a provider that carries no grants."},
    {Id::kLibexec, "PLIMSOLL_LIBEXEC", kPath, "", "the daemon's own folder, then ../libexec/plimsoll from there", "",
     kAny, Section::kProvider, kPublic, kWasmAndDocker,
     "Folder of the helper programs: plimsoll-wasm-worker and plimsoll-guest."},
    {Id::kProvider, "SANDBOX_PROVIDER", kChoice, "", "none: execution is disabled",
     "wasm docker openshell e2b dockercloud agentsandbox microvm", kAny, Section::kProvider, kPublic, kDaemon,
     "What runs the code. Unset never falls back to running code."},
    {Id::kMinIsolation, "SANDBOX_MIN_ISOLATION", kChoice, "", "", "process container kernel vm", kAny,
     Section::kProvider, kPublic, kDaemon, "Weakest tier the daemon may start with and may run anything at."},
    {Id::kRequirePinnedImages, "SANDBOX_REQUIRE_PINNED_IMAGES", kBool, "0", "", "", kAny, Section::kProvider, kPublic,
     kDocker, "1 demands @sha256: and 64 hex digits at the end of every configured image."},
    {Id::kDockerImage, "SANDBOX_DOCKER_IMAGE", kString, "node:22-alpine", "", "", kAny, Section::kDocker, kPublic,
     kDocker, "Image of snippets. It must be on the engine already: nothing is pulled."},
    {Id::kDockerProjectImage, "SANDBOX_DOCKER_PROJECT_IMAGE", kString, "plimsoll/sandbox:latest", "", "", kAny,
     Section::kDocker, kPublic, kDocker, "Image of projects, likewise."},
    {Id::kDockerModuleImage, "SANDBOX_DOCKER_MODULE_IMAGE", kString, "", "none: no modules", "", kAny, Section::kDocker,
     kPublic, kNotYetBuilt, "Image of modules. Set, it is a start error: modules are not built yet."},
    {Id::kDockerRuntime, "SANDBOX_DOCKER_RUNTIME", kString, "", "the engine's default, runc", "", kAny,
     Section::kDocker, kPublic, kDocker,
     "Runtime registered with the engine. `runsc` (gVisor) alone can earn tier kernel; every other is tier container."},
    {Id::kDockerSeccomp, "SANDBOX_DOCKER_SECCOMP", kPath, "", "the engine's own profile", "", kAny, Section::kDocker,
     kPublic, kDocker,
     "A seccomp profile's file, or `unconfined`, which hardened mode refuses. Not applied under runsc."},
    {Id::kDockerHost, "DOCKER_HOST", kString, "", "the context's, else unix:///var/run/docker.sock", "", kAny,
     Section::kDocker, kPublic, kDocker,
     "Address of the engine: `unix://` and a path. Every other form is refused, since the engine must be local."},
    {Id::kDockerContext, "DOCKER_CONTEXT", kString, "", "the client configuration's current one", "", kAny,
     Section::kDocker, kPublic, kDocker, "Name of a docker context, when DOCKER_HOST is unset."},
    {Id::kDockerConfig, "DOCKER_CONFIG", kPath, "", "~/.docker", "", kAny, Section::kDocker, kPublic, kDocker,
     "Folder of docker's client configuration. Nothing but contexts is read from it."},
    {Id::kDockerDefaultPlatform, "DOCKER_DEFAULT_PLATFORM", kString, "", "the engine's own", "", kAny, Section::kDocker,
     kPublic, kDocker,
     "Platform of the images, as in linux/amd64. It needs an engine with the containerd image store."},
    {Id::kHome, "HOME", kPath, "", "", "", kAny, Section::kDocker, kPublic, kDocker,
     "Where .docker is looked for when DOCKER_CONFIG is unset."},
    {Id::kMemoryMb, "SANDBOX_MEMORY_MB", kMegabytes, "", "256 (wasm, docker)", "", kAny, Section::kEnvelope, kPublic,
     kWasmAndDocker,
     "Memory of one run in MiB; 0 for the provider's default. wasm wants 16 or more and cuts it to 4096."},
    {Id::kCpus, "SANDBOX_CPUS", kFloat, "", "1 (docker)", "", kAny, Section::kEnvelope, kPublic, kDocker,
     "Processors of one run; 0 for the default. Above 0 it is a start error with wasm, which enforces memory only."},
    {Id::kPids, "SANDBOX_PIDS", kInt, "", "256 (docker)", "", kAny, Section::kEnvelope, kPublic, kDocker,
     "Processes of one run; 0 for the default. Above 0 it is a start error with wasm, which enforces memory only."},
    {Id::kDiskMb, "SANDBOX_DISK_MB", kMegabytes, "", "160 (docker)", "", kAny, Section::kEnvelope, kPublic, kDocker,
     "Writable MiB of one run: /tmp 16, /dev/shm 16, /work the rest. Above 0 it is a start error with wasm."},
    {Id::kGuestUid,
     "SANDBOX_GUEST_UID",
     kInt,
     "",
     "61000 (docker)",
     "",
     {1, 65'532},
     Section::kEnvelope,
     kPublic,
     kDocker,
     "User and group id of guests; no user of this machine may have it. Set with another provider it is a start "
     "error."},
    {Id::kMaxConcurrent,
     "SANDBOX_MAX_CONCURRENT",
     kInt,
     "8",
     "",
     "",
     {1, 1'024},
     Section::kAdmission,
     kPublic,
     kDaemon,
     "Runs at once; lowered so that they fit SANDBOX_TOTAL_MEMORY_MB."},
    {Id::kPerKeyConcurrent,
     "SANDBOX_PER_KEY_CONCURRENT",
     kInt,
     "",
     "half the runs at once, at least 1",
     "",
     {0, 1'024},
     Section::kAdmission,
     kPublic,
     kDaemon,
     "Runs at once of one caller; 0 for no cap of its own."},
    {Id::kRatePerMin, "SANDBOX_RATE_PER_MIN", kInt, "30", "", "", kAny, Section::kAdmission, kPublic, kDaemon,
     "Starts a minute of one caller; 0 for no limit."},
    {Id::kRateBurst, "SANDBOX_RATE_BURST", kInt, "", "the rate", "", kAny, Section::kAdmission, kPublic, kDaemon,
     "Starts of one caller at once after a pause; 0 for the rate."},
    {Id::kTotalMemoryMb, "SANDBOX_TOTAL_MEMORY_MB", kMegabytes, "0", "", "", kAny, Section::kAdmission, kPublic,
     kDaemon, "Memory of all runs together in MiB; needs SANDBOX_MEMORY_MB. 0 for no budget."},
    {Id::kPaidSecondsPerDay,
     "SANDBOX_PAID_SECONDS_PER_DAY",
     kInt,
     "0",
     "",
     "",
     {0, INT64_MAX},
     Section::kAdmission,
     kPublic,
     kNotYetBuilt,
     "Seconds a day of a provider billed by the second. A start error with another provider."},
    {Id::kRunPool,
     "SANDBOX_RUN_POOL",
     kInt,
     "",
     "docker: 4, or the runs at once where they are fewer; else 0",
     "",
     {0, 64},
     Section::kAdmission,
     kPublic,
     kDocker,
     "Containers kept ready, each used by one run; 0 for cold starts. Above 0 it is a start error without docker."},
    {Id::kMaxSessions, "SANDBOX_MAX_SESSIONS", kInt, "0", "", "", kAny, Section::kSessions, kPublic, kDocker,
     "Sessions open at once. Above 0 it is a start error with a provider that keeps none."},
    {Id::kMaxSessionsPerCaller, "SANDBOX_MAX_SESSIONS_PER_CALLER", kInt, "0", "", "", kAny, Section::kSessions, kPublic,
     kDocker, "Open sessions of one caller; 0 for no cap of its own."},
    {Id::kMaxSessionsPerOwner, "SANDBOX_MAX_SESSIONS_PER_OWNER", kInt, "0", "", "", kAny, Section::kSessions, kPublic,
     kDocker, "Open sessions of one owner; 0 for no cap of its own."},
    {Id::kSessionPool, "SANDBOX_SESSION_POOL", kInt, "0", "", "", kAny, Section::kSessions, kPublic, kNotYetBuilt,
     "Sandboxes kept ready for sessions. Above 0 it is a start error: no such pool is built yet."},
    {Id::kSessionLifetime,
     "SANDBOX_SESSION_LIFETIME",
     kDuration,
     "30m",
     "",
     "",
     {kSecond, kTwelveHours},
     Section::kSessions,
     kPublic,
     kDocker,
     "Longest life of a session."},
    {Id::kSessionIdle,
     "SANDBOX_SESSION_IDLE",
     kDuration,
     "5m",
     "",
     "",
     {kSecond, kTwelveHours},
     Section::kSessions,
     kPublic,
     kDocker,
     "Idle time after which a session is suspended; 0 for never."},
    {Id::kSessionDiskMb,
     "SANDBOX_SESSION_DISK_MB",
     kMegabytes,
     "1024",
     "",
     "",
     {0, 1'048'576},
     Section::kSessions,
     kPublic,
     kDocker,
     "What the files of a session may take after a call, in MiB; 0 for no bound."},
}};

constexpr bool InOrderOfId() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].id) != i) {
      return false;
    }
  }
  return true;
}
static_assert(InOrderOfId(), "each setting stands at the place of its Id");

}  // namespace

std::span<const Setting, kSettingCount> Settings() { return kTable; }

const Setting& SettingOf(Id id) { return kTable[static_cast<std::size_t>(id)]; }

std::string_view DefaultText(const Setting& setting) {
  if (!setting.fallback_note.empty()) {
    return setting.fallback_note;
  }
  return setting.fallback.empty() ? "none" : setting.fallback;
}

const Setting* FindSetting(std::string_view name) {
  const auto* found = std::ranges::find(kTable, name, &Setting::name);
  return found == kTable.end() ? nullptr : found;
}

std::string_view Name(Type type) {
  switch (type) {
    case kInt: return "int";
    case kMegabytes: return "MiB";
    case kFloat: return "float";
    case kBool: return "bool";
    case kDuration: return "duration";
    case kAddress: return "address";
    case kChoice: return "choice";
    case kString: return "string";
    case kPath: return "path";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

std::string_view Title(Section section) {
  switch (section) {
    case Section::kProcess: return "The process";
    case Section::kCallers: return "Callers";
    case Section::kProvider: return "Provider";
    case Section::kDocker: return "The docker provider";
    case Section::kEnvelope: return "Envelope of one run";
    case Section::kAdmission: return "Admission";
    case Section::kSessions: return "Sessions (checked even while off)";
  }
  return "unknown";  // unreachable, as above
}

std::string_view Name(ReadBy readers) {
  switch (readers) {
    case kDaemon: return "daemon";
    case kWasmAndDocker: return "wasm, docker";
    case kDocker: return "docker";
    case kNotYetBuilt: return "no provider of this build";
  }
  return "unknown";  // unreachable, as above
}

}  // namespace plimsoll::settings
