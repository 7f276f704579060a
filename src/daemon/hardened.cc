#include "daemon/hardened.h"

#include <algorithm>

namespace plimsoll::daemon {
namespace {

RuleState MetIf(bool met) { return met ? RuleState::kMet : RuleState::kViolated; }

std::string NameOf(Id id) { return std::string(SettingOf(id).name); }

bool IsPositive(const Posture& posture, Id id) {
  return std::ranges::find(posture.positive, id) != posture.positive.end();
}

RuleReport IsolationRule(const Posture& posture) {
  const auto kernel = isolation::Floor::At(isolation::Tier::kKernel);
  const bool hopeless = !kernel.MetBy(posture.facts.best);
  return {.id = "H1",
          .setting = NameOf(Id::kProvider),
          .state = posture.proved ? MetIf(kernel.MetBy(posture.proved))
                   : hopeless     ? RuleState::kViolated
                                  : RuleState::kNotProved,
          .found = std::string(posture.facts.name) + ", tier " +
                   (posture.proved ? std::string(isolation::Name(posture.proved))
                    : hopeless     ? std::string(isolation::Name(posture.facts.best)) + " at best"
                                   : "not proved"),
          .wanted = "proved tier kernel or vm",
          .why = "hostile code would meet the host's own kernel",
          .fix = "choose a provider whose tier is kernel or vm"};
}

RuleReport CallersRule(const Posture& posture) {
  return {.id = "H2",
          .setting = NameOf(Id::kClientsFile),
          .state = MetIf(posture.auth == Auth::kClientsFile),
          .found = std::string(Name(posture.auth)),
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
  return {.id = "H12",
          .setting = NameOf(Id::kRatePerMin),
          .state = MetIf(posture.rate_per_minute > 0 && posture.rate_burst <= posture.rate_per_minute),
          .found = "rate " + std::to_string(posture.rate_per_minute) + ", burst " + std::to_string(posture.rate_burst),
          .wanted = "rate above 0 and burst at most the rate",
          .why = "one caller can start more at once than a minute allows",
          .fix = "set SANDBOX_RATE_PER_MIN and lower SANDBOX_RATE_BURST"};
}

RuleReport SlotsRule(const Posture& posture) {
  const int slots = posture.per_caller_concurrent;
  return {.id = "H13",
          .setting = NameOf(Id::kPerKeyConcurrent),
          .state = MetIf(slots > 0 && slots < posture.max_concurrent),
          .found = std::to_string(slots) + " of " + std::to_string(posture.max_concurrent),
          .wanted = "above 0 and below the runs at once",
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

RuleReport KeyFileRule(const Posture& posture) {
  return {.id = "H17",
          .setting = NameOf(Id::kTlsKey),
          .state = MetIf(posture.key_file != KeyFile::kReadableByOthers),
          .found = posture.key_file == KeyFile::kReadableByOthers ? "readable by group or others"
                   : posture.key_file == KeyFile::kNone           ? "no key"
                                                                  : "its owner's alone",
          .wanted = "readable by its owner alone",
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
      text += (text.empty() ? "" : "; ") + std::string(rule.id) + " " + rule.setting + ": " + rule.found + ", wanted " +
              std::string(rule.wanted);
    }
  }
  return text;
}

}  // namespace plimsoll::daemon
