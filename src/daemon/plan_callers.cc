#include "daemon/plan_callers.h"

#include <string>

#include "callers/registry.h"
#include "daemon/local_file.h"
#include "daemon/tls_check.h"

namespace plimsoll::daemon {
namespace {

constexpr std::size_t kMaxPemBytes = 1024 * 1024;

void TakeGate(Plan& plan, Id id, const base::Result<callers::Gate>& gate) {
  if (!gate) {
    return plan.Fail(id, std::string(base::TextOf(gate.error())));
  }
  plan.gate = *gate;
}

void LoadRegistry(Plan& plan, const std::string& path) {
  const auto file = ReadLocalFile(path, callers::kMaxRegistryBytes);
  if (!file) {
    return plan.Fail(Id::kClientsFile, std::string(base::TextOf(file.error())));
  }
  if (OthersCanWrite(*file)) {
    return plan.Fail(Id::kClientsFile, path + " can be written by group or others");
  }
  TakeGate(plan, Id::kClientsFile, callers::Gate::FromRegistry(file->content));
}

enum class OpenMode { kNotWanted, kWanted };

// Neither a registry nor a token is set.
void SettleOpenMode(Plan& plan, OpenMode mode) {
  if (plan.hardened) {
    return;  // H2 says it, together with every other rule
  }
  const bool wanted = mode == OpenMode::kWanted;
  if (!wanted && !IsLoopback(plan.posture.rpc)) {
    return plan.Fail(Id::kAddr, AddressText(plan.posture.rpc) +
                                    " is off loopback and anyone could call: set PLIMSOLL_CLIENTS_FILE or "
                                    "PLIMSOLL_TOKEN, or PLIMSOLL_INSECURE=1 for development");
  }
  const std::string provider(plan.posture.facts.name);
  if (!wanted && provider != kDisabled) {
    return plan.Fail(Id::kClientsFile, "anyone could run code with " + provider +
                                           ": set it or PLIMSOLL_TOKEN, or PLIMSOLL_INSECURE=1 for development");
  }
  plan.Warn("authentication is off: anyone may call", Id::kClientsFile, "");
}

void SettleGate(SettingsReader& read, Plan& plan) {
  plan.posture.rpc = read.ListenAddress(Id::kAddr).value_or(Address{"127.0.0.1", 8746});
  plan.posture.insecure_set = read.IsSet(Id::kInsecure);
  // Read whatever else is set: a bad value is an error always.
  const auto mode = read.Choice(Id::kInsecure) == "1" ? OpenMode::kWanted : OpenMode::kNotWanted;
  if (const auto path = read.Text(Id::kClientsFile)) {
    plan.posture.auth = Auth::kClientsFile;
    LoadRegistry(plan, *path);
  } else if (const auto token = read.Text(Id::kToken)) {
    plan.posture.auth = Auth::kSharedToken;
    TakeGate(plan, Id::kToken, callers::Gate::FromSharedToken(*token));
  } else {
    SettleOpenMode(plan, mode);
  }
}

// False when the key is unfit, which then has been said.
bool InspectKeyFile(Plan& plan, const std::string& path) {
  const auto file = ReadLocalFile(path, kMaxPemBytes);
  if (!file) {
    plan.Fail(Id::kTlsKey, std::string(base::TextOf(file.error())));
    return false;
  }
  if (OthersCanWrite(*file)) {
    plan.Fail(Id::kTlsKey, path + " can be written by group or others");
    return false;
  }
  plan.posture.key_file = OthersCanRead(*file) ? KeyFile::kReadableByOthers : KeyFile::kOwnerOnly;
  if (OthersCanRead(*file)) {
    plan.Warn("the TLS key can be read by group or others", Id::kTlsKey, path);
  }
  return true;
}

void LoadTlsPair(SettingsReader& read, Plan& plan) {
  const auto certificate = read.Text(Id::kTlsCert);
  const auto key = read.Text(Id::kTlsKey);
  if (certificate.has_value() != key.has_value()) {
    plan.Fail(certificate ? Id::kTlsKey : Id::kTlsCert, "both halves of the pair are needed, or neither");
  }
  if (!certificate || !key) {
    if (plan.posture.auth != Auth::kOpen && !IsLoopback(plan.posture.rpc)) {
      plan.Warn("bearers cross a network in clear", Id::kTlsCert, AddressText(plan.posture.rpc));
    }
    return;
  }
  plan.posture.tls = true;
  plan.tls = TlsFiles{*certificate, *key};
  if (!InspectKeyFile(plan, *key)) {
    return;
  }
  if (const base::Status loaded = CheckTlsPair(*certificate, *key); !loaded) {
    plan.Fail(Id::kTlsCert, std::string(base::TextOf(loaded.error())));
  }
}

}  // namespace

void PlanCallers(SettingsReader& read, Plan& plan) {
  plan.hardened = read.Bool(Id::kHardened);
  SettleGate(read, plan);   // 12
  LoadTlsPair(read, plan);  // 13: after 12, to know whether bearers would cross in clear
}

}  // namespace plimsoll::daemon
