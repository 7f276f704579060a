#include "daemon/plan.h"

#include <algorithm>
#include <utility>

#include "daemon/docker_settings.h"
#include "daemon/limits.h"
#include "daemon/plan_callers.h"

namespace plimsoll::daemon {
namespace {

constexpr int kDefaultRunPool = 4;

// The steps of one pass over the settings. Each reads its own settings and leaves what it settled in the plan.
class Steps {
 public:
  Steps(const PlanInputs& inputs, Plan& plan) : inputs_(inputs), plan_(plan), read_(inputs.environment, plan.errors) {}

  void WarnOfUnknownVariables() {
    const bool strict = read_.Bool(Id::kStrictConfig);
    for (const std::string& name : UnknownNames(inputs_.environment)) {
      if (strict) {
        plan_.errors.push_back({name, "no such setting, and PLIMSOLL_STRICT_CONFIG=1"});
      } else {
        plan_.notices.push_back({"unknown setting, ignored", name, ""});
      }
    }
    if (std::vector<StartError> ignored; !SettingsReader(inputs_.environment, ignored).Choice(Id::kLogFormat)) {
      plan_.Warn("unknown log format, json is used", Id::kLogFormat, "");
    }
  }

  void ChooseProvider() {
    const std::string name = read_.Choice(Id::kProvider).value_or(std::string(kDisabled));
    Facts() = FactsOf(name);
    if (name != kDisabled && std::ranges::find(inputs_.included, name) == inputs_.included.end()) {
      plan_.Fail(Id::kProvider, "this build does not include " + name + "; it has: " + Included());
    }
    plan_.posture.images_pinned = read_.Bool(Id::kRequirePinnedImages);
    ReadEnvelope();
    if (read_.IsSet(Id::kGuestUid) && Facts().guests == Guests::kNoUser) {
      plan_.Fail(Id::kGuestUid, "the provider " + name + " has no guest user to choose");
    }
    const auto guest_uid = read_.Int(Id::kGuestUid);
    plan_.provider_settings = {Facts().name, envelope_, read_.Text(Id::kLibexec).value_or("")};
    if (Facts().name == kDocker) {
      ReadDocker(guest_uid);
    }
  }

  void ReadDocker(std::optional<std::int64_t> guest_uid) {
    docker::Settings& docker = plan_.provider_settings.docker;
    docker = DockerSettingsIn(read_, envelope_);
    docker.require_pinned_images = plan_.posture.images_pinned;
    docker.guest_uid = static_cast<std::uint32_t>(guest_uid.value_or(docker.guest_uid));
    plan_.effective[Id::kGuestUid] = std::to_string(docker.guest_uid);
    plan_.posture.seccomp_off = docker.seccomp == docker::kNoSeccomp;
    if (read_.Text(Id::kDockerModuleImage)) {
      plan_.Fail(Id::kDockerModuleImage, "modules are not built yet; leave it unset");
    }
  }

  void RefuseGuardAddress() {
    const bool given = read_.ListenAddress(Id::kGuardAddr).has_value();
    if (given) {
      plan_.Fail(Id::kGuardAddr, "the provider " + std::string(Facts().name) + " has no guard URL");
    }
  }

  void CheckPaidAllowance() {
    if (Positive(Id::kPaidSecondsPerDay) && Facts().billing == Billing::kFree) {
      plan_.Fail(Id::kPaidSecondsPerDay, "the provider " + std::string(Facts().name) + " is not billed by the second");
    }
  }

  void ReadMinimum() {
    if (const auto tier = read_.Choice(Id::kMinIsolation)) {
      plan_.minimum_name = *tier;
      plan_.minimum = isolation::Floor::Parse(*tier).value();  // a choice of the table is a floor
    }
  }

  void ReadSessionsAndPools() {
    const auto count = [&](Id id) { return static_cast<int>(read_.Int(id).value_or(0)); };
    const auto in_ms = [](std::chrono::nanoseconds time) {
      return std::chrono::floor<std::chrono::milliseconds>(time);
    };
    admission::SessionCaps& caps = plan_.sessions.caps;
    caps = {count(Id::kMaxSessions), count(Id::kMaxSessionsPerCaller), count(Id::kMaxSessionsPerOwner)};
    plan_.posture.max_sessions = caps.max;
    plan_.posture.max_sessions_per_caller = caps.per_caller;
    pool_ = read_.Int(Id::kSessionPool).value_or(0);
    const auto disk_mb = read_.Int(Id::kSessionDiskMb);
    plan_.sessions.lifetime = in_ms(read_.Duration(Id::kSessionLifetime).value_or(std::chrono::minutes(30)));
    idle_ = read_.Duration(Id::kSessionIdle);
    plan_.sessions.idle = in_ms(idle_.value_or(std::chrono::minutes(5)));
    run_pool_ = read_.Int(Id::kRunPool);
    docker::Settings& docker = plan_.provider_settings.docker;
    docker.sessions = caps.max > 0 ? docker::Settings::Sessions::kOn : docker::Settings::Sessions::kOff;
    docker.session_disk_mb = static_cast<std::uint32_t>(disk_mb.value_or(docker.session_disk_mb));
    if (pool_ > caps.max) {
      plan_.Fail(Id::kSessionPool, std::to_string(pool_) + " is above SANDBOX_MAX_SESSIONS, " +
                                       (caps.max == 0 ? "which is off" : std::to_string(caps.max)));
    }
  }

  void SettleLimits() {
    const int asked = static_cast<int>(read_.Int(Id::kMaxConcurrent).value_or(8));
    const auto total = read_.Int(Id::kTotalMemoryMb).value_or(0);
    NotePositive(Id::kTotalMemoryMb, total > 0);
    const auto effective =
        EffectiveMax({asked, total, static_cast<std::int64_t>(envelope_.memory_mb), pool_, Facts().runs_at});
    if (!effective) {
      plan_.Fail(Id::kTotalMemoryMb, std::string(base::TextOf(effective.error())));
    }
    const int max = effective ? *effective : asked;
    if (max < asked) {
      plan_.Warn("fewer runs at once, to fit the memory budget", Id::kMaxConcurrent,
                 std::to_string(asked) + " asked, " + std::to_string(max) + " in force");
      plan_.effective[Id::kMaxConcurrent] = std::to_string(max);
    }
    plan_.quotas = {max, PerCallerSlots(max), static_cast<int>(read_.Int(Id::kRatePerMin).value_or(30)), 0};
    plan_.quotas.rate_burst = Burst(plan_.quotas.rate_per_minute);
    plan_.provider_settings.max_concurrent = max;
    if (Facts().pools == Pools::kRunsAndSessions) {
      SettleRunPool(max, total);
    }
  }

  void CheckSessionSupport() {
    const std::string name(Facts().name);
    const bool on = plan_.sessions.caps.max > 0;
    if (on && Facts().sessions == Sessions::kNever) {
      plan_.Fail(Id::kMaxSessions, "the provider " + name + " keeps no sessions");
    }
    if (pool_ > 0 && Facts().pools == Pools::kNone) {
      plan_.Fail(Id::kSessionPool, "the provider " + name + " has no session pool");
    } else if (pool_ > 0 && pool_ <= plan_.sessions.caps.max) {
      plan_.Fail(Id::kSessionPool, "a session pool is not built yet; leave it unset");
    }
    if (on && Facts().name == kDocker && plan_.sessions.caps.max >= plan_.quotas.max_concurrent) {
      plan_.Warn("sessions can take every run slot: a suspended one keeps its own", Id::kMaxSessions,
                 std::to_string(plan_.sessions.caps.max) + " sessions, " + std::to_string(plan_.quotas.max_concurrent) +
                     " slots");
    }
    if (run_pool_.value_or(0) > 0 && Facts().pools == Pools::kNone) {
      plan_.Fail(Id::kRunPool, "the provider " + name + " has no run pool");
    }
    if (on && Facts().billing == Billing::kBySecond && idle_ && idle_->count() == 0) {
      plan_.Fail(Id::kSessionIdle, "0 never suspends, and the provider " + name + " is billed by the second");
    }
  }

  void RefuseGrants() {
    if (read_.Text(Id::kGrantsFile)) {
      plan_.Fail(Id::kGrantsFile, "the provider " + std::string(Facts().name) + " carries no grants in this build");
    }
  }

  void SettleCallers() { PlanCallers(read_, plan_); }

  void SettleMetricsAddress() {
    plan_.posture.metrics = read_.ListenAddress(Id::kMetricsAddr);
    if (plan_.posture.metrics && !IsLoopback(*plan_.posture.metrics)) {
      plan_.Warn("metrics are served off loopback without authentication", Id::kMetricsAddr,
                 AddressText(*plan_.posture.metrics));
    }
  }

  void ApplyHardenedRules() {
    plan_.posture.max_concurrent = plan_.quotas.max_concurrent;
    plan_.posture.per_caller_concurrent = plan_.quotas.per_caller_concurrent;
    plan_.posture.rate_per_minute = plan_.quotas.rate_per_minute;
    plan_.posture.rate_burst = plan_.quotas.rate_burst;
    plan_.rules = HardenedRules(plan_.posture);
    plan_.operator_floor =
        plan_.hardened ? isolation::Floor::Stronger(plan_.minimum, isolation::Floor::At(isolation::Tier::kKernel))
                       : plan_.minimum;
    if (std::string violations = Violations(plan_.rules); plan_.hardened && !violations.empty()) {
      plan_.Fail(Id::kHardened, std::move(violations));
    }
  }

  // The last thing, though its settings are read first: what cannot start needs no provider object.
  void BuildProviderObject() {
    if (!plan_.errors.empty() || !inputs_.build) {
      return;
    }
    auto built = inputs_.build(plan_.provider_settings);
    if (!built) {
      plan_.Fail(Id::kProvider, std::string(base::TextOf(built.error())));
      return;
    }
    plan_.provider = std::move(*built);
  }

 private:
  ProviderFacts& Facts() { return plan_.posture.facts; }

  std::string Included() const {
    std::string names;
    for (const std::string_view name : inputs_.included) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
  }

  void NotePositive(Id id, bool positive) {
    if (positive) {
      plan_.posture.positive.push_back(id);
    }
  }
  bool Positive(Id id) {
    const bool positive = read_.Int(id).value_or(0) > 0;
    NotePositive(id, positive);
    return positive;
  }

  void ReadEnvelope() {
    envelope_.memory_mb = static_cast<std::uint32_t>(read_.Int(Id::kMemoryMb).value_or(0));
    envelope_.cpus = read_.Float(Id::kCpus).value_or(0);
    envelope_.pids = static_cast<std::uint32_t>(read_.Int(Id::kPids).value_or(0));
    envelope_.disk_mb = static_cast<std::uint32_t>(read_.Int(Id::kDiskMb).value_or(0));
    NotePositive(Id::kMemoryMb, envelope_.memory_mb > 0);
    NotePositive(Id::kCpus, envelope_.cpus > 0);
    NotePositive(Id::kPids, envelope_.pids > 0);
    NotePositive(Id::kDiskMb, envelope_.disk_mb > 0);
    if (envelope_.memory_mb > 0 && envelope_.memory_mb < Facts().least_memory_mb) {
      plan_.Fail(Id::kMemoryMb, std::to_string(envelope_.memory_mb) + " is below " +
                                    std::to_string(Facts().least_memory_mb) + " MiB, the least in which the provider " +
                                    std::string(Facts().name) + " runs anything; 0 is its default");
    }
    ShowEnvelopeInForce();
    for (const Id id : Facts().not_enforced) {
      if (std::ranges::find(plan_.posture.positive, id) != plan_.posture.positive.end()) {
        plan_.Fail(id, "the provider " + std::string(Facts().name) + " cannot enforce it" +
                           (Facts().name == "wasm" ? ": it enforces memory only" : ""));
      }
    }
  }

  // What an unset dimension means is shown, so that nobody takes it for no limit.
  void ShowEnvelopeInForce() {
    const isolation::Resources& unset = Facts().when_unset;
    const auto show = [this](Id id, bool set, const std::string& in_force) {
      if (!set && in_force != "0") {
        plan_.effective[id] = in_force;
      }
    };
    show(Id::kMemoryMb, envelope_.memory_mb > 0, std::to_string(unset.memory_mb));
    show(Id::kCpus, envelope_.cpus > 0, std::to_string(static_cast<int>(unset.cpus)));
    show(Id::kPids, envelope_.pids > 0, std::to_string(unset.pids));
    show(Id::kDiskMb, envelope_.disk_mb > 0, std::to_string(unset.disk_mb));
  }

  // Waiting members are charged while they wait but never lower the runs at once (7.2), so this comes after the clamp.
  void SettleRunPool(int max, std::int64_t total_mb) {
    const auto pool = static_cast<int>(run_pool_.value_or(std::min(kDefaultRunPool, max)));
    docker::Settings& docker = plan_.provider_settings.docker;
    docker.max_concurrent = max;
    docker.run_pool = pool;
    docker.total_memory_mb = static_cast<std::uint32_t>(total_mb);
    plan_.effective[Id::kRunPool] = std::to_string(pool);
  }

  int PerCallerSlots(int max) {
    const int fallback = std::max(1, max / 2);
    const int slots = static_cast<int>(read_.Int(Id::kPerKeyConcurrent).value_or(fallback));
    if (slots > max) {
      plan_.Fail(Id::kPerKeyConcurrent, std::to_string(slots) + " is above the runs at once, " + std::to_string(max));
    }
    plan_.effective[Id::kPerKeyConcurrent] = std::to_string(slots);
    return slots;
  }

  int Burst(int rate) {
    const int burst = static_cast<int>(read_.Int(Id::kRateBurst).value_or(0));
    plan_.effective[Id::kRateBurst] = std::to_string(burst == 0 ? rate : burst);
    return burst == 0 ? rate : burst;
  }

  const PlanInputs& inputs_;
  Plan& plan_;
  SettingsReader read_;
  isolation::Resources envelope_;
  std::int64_t pool_ = 0;
  std::optional<std::int64_t> run_pool_;
  std::optional<std::chrono::nanoseconds> idle_;
};

}  // namespace

void Plan::Fail(Id setting, std::string message) {
  errors.push_back({std::string(SettingOf(setting).name), std::move(message)});
}

void Plan::Warn(std::string_view message, Id setting, std::string detail) {
  notices.push_back({message, std::string(SettingOf(setting).name), std::move(detail)});
}

Plan MakePlan(const PlanInputs& inputs) {
  Plan plan;
  Steps steps(inputs, plan);
  steps.WarnOfUnknownVariables();  // 3: first, so that a misspelt name is seen whatever fails after it
  steps.ChooseProvider();          // 4: everything below depends on which one it is
  steps.RefuseGuardAddress();      // 5
  steps.CheckPaidAllowance();      // 6
  steps.ReadMinimum();             // 7
  steps.ReadSessionsAndPools();    // 8: checked even while off; before 9, which charges the pool
  steps.SettleLimits();            // 9
  steps.CheckSessionSupport();     // 10
  steps.RefuseGrants();            // 11
  steps.SettleCallers();           // 12 and 13
  steps.SettleMetricsAddress();    // 14
  steps.ApplyHardenedRules();      // 15: last, since it judges what all others settled
  steps.BuildProviderObject();
  return plan;
}

LogFormat LogFormatIn(const Environment& environment) {
  std::vector<StartError> ignored;
  return SettingsReader(environment, ignored).Choice(Id::kLogFormat) == "text" ? LogFormat::kText : LogFormat::kJson;
}

}  // namespace plimsoll::daemon
