#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ledger.h"
#include "callers/gate.h"
#include "daemon/hardened.h"
#include "daemon/log_sink.h"
#include "daemon/settings_words.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "provider/provider.h"
#include "providers/docker/settings.h"
#include "sessions/options.h"

namespace plimsoll::daemon {

// Something the operator should know that does not stop the start: one WARN line. `message` is a constant.
struct Notice {
  std::string_view message;
  std::string setting;
  std::string detail;
};

// What a provider is built from.
struct ProviderSettings {
  std::string_view name;
  isolation::Resources envelope;
  std::string libexec;  // empty: beside the program
  int max_concurrent = 1;
  docker::Settings docker = {};  // of the provider docker alone; the agent's program is left to the builder
};

// Builds the provider of that name from settings alone: no network, no sandbox. May be empty, for plans that are not
// served.
using BuildProvider = std::function<base::Result<std::unique_ptr<provider::Provider>>(const ProviderSettings&)>;

struct PlanInputs {
  const Environment& environment;
  std::vector<std::string_view> included;  // the providers of this build
  BuildProvider build;
};

struct TlsFiles {
  std::string certificate;
  std::string key;
};

// All that is settled before anything could start a sandbox: daemon.md 3, steps 3 to 15. Valid to serve from only while
// `errors` is empty; with errors the rest is as good as could be made out, for `check`.
struct Plan {
  std::vector<StartError> errors;  // in the order of the steps
  std::vector<Notice> notices;
  std::vector<RuleReport> rules;        // whether or not hardened mode is on
  std::map<Id, std::string> effective;  // values in force that differ from variable and default

  Posture posture;
  bool hardened = false;
  isolation::Floor minimum = isolation::Floor::Absent();         // SANDBOX_MIN_ISOLATION
  std::string minimum_name;                                      // its text, for messages
  isolation::Floor operator_floor = isolation::Floor::Absent();  // with kernel added in hardened mode
  ProviderSettings provider_settings;
  admission::Quotas quotas;
  sessions::Options sessions;
  callers::Gate gate = callers::Gate::Open();
  std::optional<TlsFiles> tls;
  std::unique_ptr<provider::Provider> provider;

  // What a step finds out about a setting. A `message` of Warn is a constant; no text holds a secret.
  void Fail(Id setting, std::string message);
  void Warn(std::string_view message, Id setting, std::string detail);
};

// Takes every step, whatever failed before it, so that one pass finds every error. Reads files, starts nothing, binds
// nothing.
Plan MakePlan(const PlanInputs& inputs);

// Step 2 needs the format before there is a plan. A wrong value gives kJson; MakePlan gives the notice.
LogFormat LogFormatIn(const Environment& environment);

}  // namespace plimsoll::daemon
