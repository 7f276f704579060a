#include "daemon/hardened.h"

#include <algorithm>

namespace plimsoll::daemon {
namespace {

RuleState MetIf(bool met) { return met ? RuleState::kMet : RuleState::kViolated; }

std::string NameOf(Id id) { return std::string(SettingOf(id).name); }

bool IsPositive(const Posture& posture, Id id) {
  return std::ranges::find(posture.positive, id) != posture.positive.end();
}

std::string TierFound(const Posture& posture, bool hopeless) {
  if (posture.proved) {
    return std::string(isolation::Name(posture.proved));
  }
  return hopeless ? std::string(isolation::Name(posture.facts.best)) + " at best" : "not proved";
}

// Docker's tier is its runtime's, so that is the setting to change.
RuleReport IsolationRule(const Posture& posture) {
  const auto kernel = isolation::Floor::At(isolation::Tier::kKernel);
  const bool hopeless = !kernel.MetBy(posture.facts.best);
  const bool docker = posture.facts.name == kDocker;
  return {.id = "H1",
          .setting = NameOf(docker ? Id::kDockerRuntime : Id::kProvider),
          .state = posture.proved ? MetIf(kernel.MetBy(posture.proved))
                   : hopeless     ? RuleState::kViolated
                                  : RuleState::kNotProved,
          .found = std::string(posture.facts.name) + ", isolation " + TierFound(posture, hopeless),
          .wanted = "proved isolation kernel or vm",
          .why = "hostile code would meet the host's own kernel",
          .fix = docker ? "register gVisor with the engine and set SANDBOX_DOCKER_RUNTIME=runsc"
                        : "choose a provider whose isolation is kernel or vm"};
}

std::string_view AuthFound(Auth auth) {
  switch (auth) {
    case Auth::kClientsFile: return "a registry of callers";
    case Auth::kSharedToken: return "unset, one shared token";
    case Auth::kOpen: return "unset, no authentication";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

RuleReport CallersRule(const Posture& posture) {
  return {.id = "H2",
          .setting = NameOf(Id::kClientsFile),
          .state = MetIf(posture.auth == Auth::kClientsFile),
          .found = std::string(AuthFound(posture.auth)),
          .wanted = "a registry of callers",
          .why = "with one shared identity, limits, grant lists and the audit line name nobody",
          .fix = "set PLIMSOLL_CLIENTS_FILE"};
}

RuleReport InsecureRule(const Posture& posture) {
  return {.id = "H3",
          .setting = NameOf(Id::kInsecure),
          .state = MetIf(!posture.insecure_set),
          .found = posture.insecure_set ? "set" : "unset",
          .wanted = "unset",
          .why = "a development override is still in force",
          .fix = "unset PLIMSOLL_INSECURE"};
}

RuleReport ListenerRule(std::string_view id, Id setting, const std::optional<Address>& address, bool tls) {
  return {.id = id,
          .setting = NameOf(setting),
          .state = MetIf(!address || IsLoopback(*address) || tls),
          .found = (address ? AddressText(*address) : "off") + (tls ? " with TLS" : " without TLS"),
          .wanted = "TLS, or a loopback address",
          .why = "bearers, route names or brokered calls cross a network in clear",
          .fix = "set PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY, or listen on loopback"};
}

RuleReport PinnedImagesRule(const Posture& posture) {
  return {.id = "H7",
          .setting = NameOf(Id::kRequirePinnedImages),
          .state = MetIf(posture.images_pinned),
          .found = posture.images_pinned ? "on" : "off",
          .wanted = "on",
          .why = "a tag could be moved under the daemon",
          .fix = "set SANDBOX_REQUIRE_PINNED_IMAGES=1 and end every image in @sha256: and its digest"};
}

RuleReport SeccompRule(const Posture& posture) {
  return {.id = "H8",
          .setting = NameOf(Id::kDockerSeccomp),
          .state = MetIf(!posture.seccomp_off),
          .found = posture.seccomp_off ? "unconfined" : "a filter",
          .wanted = "a filter",
          .why = "the system-call filter was switched off",
          .fix = "unset SANDBOX_DOCKER_SECCOMP, or give it a profile's file"};
}

// H11, once for each missing setting: the operator sees every variable to set.
void AddEnvelopeRules(const Posture& posture, std::vector<RuleReport>& rules) {
  for (const Id id : posture.facts.hardened_wants) {
    const bool positive = IsPositive(posture, id);
    rules.push_back({.id = "H11",
                     .setting = NameOf(id),
                     .state = MetIf(positive),
                     .found = positive ? "above 0" : "unset or 0",
                     .wanted = "above 0",
                     .why = "capacity is an accident of defaults",
                     .fix = "set " + NameOf(id)});
  }
}

RuleReport RateRule(const Posture& posture) {
  const bool limited = posture.rate_per_minute > 0;
  const std::string burst = std::to_string(posture.rate_burst);
  return {.id = "H12",
          .setting = NameOf(limited && posture.rate_burst > posture.rate_per_minute ? Id::kRateBurst : Id::kRatePerMin),
          .state = MetIf(limited && posture.rate_burst <= posture.rate_per_minute),
          .found = limited ? std::to_string(posture.rate_per_minute) + " starts a minute, burst " + burst
                           : "0, no limit of starts a minute",
          .wanted = "a limit of starts a minute, and a burst of at most that",
          .why = "one caller can start more at once than a minute allows",
          .fix = "set SANDBOX_RATE_PER_MIN above 0 and SANDBOX_RATE_BURST to at most the same"};
}

RuleReport SlotsRule(const Posture& posture) {
  const int slots = posture.per_caller_concurrent;
  return {.id = "H13",
          .setting = NameOf(Id::kPerKeyConcurrent),
          .state = MetIf(slots > 0 && slots < posture.max_concurrent),
          .found = slots == 0 ? "0, no cap of one caller"
                              : std::to_string(slots) + " of " + std::to_string(posture.max_concurrent) + " slots",
          .wanted = "a cap of one caller below all slots",
          .why = "one caller can hold every slot",
          .fix = "lower SANDBOX_PER_KEY_CONCURRENT or raise SANDBOX_MAX_CONCURRENT"};
}

RuleReport SessionsRule(const Posture& posture) {
  return {.id = "H14",
          .setting = NameOf(Id::kMaxSessionsPerCaller),
          .state = MetIf(posture.max_sessions_per_caller > 0),
          .found = std::to_string(posture.max_sessions_per_caller),
          .wanted = "above 0 while sessions are on",
          .why = "suspended sessions hold no slot, so H13 does not bound them",
          .fix = "set SANDBOX_MAX_SESSIONS_PER_CALLER"};
}

std::string_view KeyFound(KeyFile key) {
  switch (key) {
    case KeyFile::kNone: return "unset, no key is in use";
    case KeyFile::kOwnerOnly: return "its owner alone can read it";
    case KeyFile::kReadableByOthers: return "group or others can read it";
  }
  return "unknown";  // unreachable, as above
}

RuleReport KeyFileRule(const Posture& posture) {
  return {.id = "H17",
          .setting = NameOf(Id::kTlsKey),
          .state = MetIf(posture.key_file != KeyFile::kReadableByOthers),
          .found = std::string(KeyFound(posture.key_file)),
          .wanted = "no key that others can read",
          .why = "another local user holds the key",
          .fix = "chmod 0600 the key file"};
}

}  // namespace

std::string_view Name(Auth auth) {
  switch (auth) {
    case Auth::kClientsFile: return "clients_file";
    case Auth::kSharedToken: return "shared_token";
    case Auth::kOpen: return "none";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

std::string_view Name(RuleState state) {
  switch (state) {
    case RuleState::kMet: return "met";
    case RuleState::kViolated: return "violated";
    case RuleState::kNotProved: return "not_proved";
  }
  return "unknown";  // unreachable, as above
}

std::vector<RuleReport> HardenedRules(const Posture& posture) {
  std::vector<RuleReport> rules = {IsolationRule(posture), CallersRule(posture), InsecureRule(posture),
                                   ListenerRule("H4", Id::kAddr, posture.rpc, posture.tls),
                                   ListenerRule("H5", Id::kMetricsAddr, posture.metrics, posture.tls)};
  if (posture.facts.images == Images::kPinnable) {
    rules.push_back(PinnedImagesRule(posture));
  }
  if (posture.facts.name == kDocker) {
    rules.push_back(SeccompRule(posture));
  }
  AddEnvelopeRules(posture, rules);
  rules.push_back(RateRule(posture));
  rules.push_back(SlotsRule(posture));
  if (posture.max_sessions > 0) {
    rules.push_back(SessionsRule(posture));
  }
  rules.push_back(KeyFileRule(posture));
  return rules;
}

std::string Violations(const std::vector<RuleReport>& rules) {
  std::string text;
  for (const RuleReport& rule : rules) {
    if (rule.state == RuleState::kViolated) {
      text += (text.empty() ? "" : "; ") + std::string(rule.id) + " " + rule.setting + ": " + rule.found +
              " (wanted: " + std::string(rule.wanted) + ")";
    }
  }
  return text;
}

}  // namespace plimsoll::daemon
