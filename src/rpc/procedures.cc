#include "rpc/procedures.h"

#include <algorithm>
#include <array>

#include "callers/gate.h"

namespace plimsoll::rpc {
namespace {

constexpr std::string_view kServicePrefix = "/plimsoll.v1.SandboxService/";
constexpr std::string_view kExtensionPrefix = "/plimsoll.x1.";

struct Row {
  std::string_view path;
  Procedure procedure;
};
// In the order of Procedure.
constexpr std::array<Row, kProcedureCount> kProcedures = {{
    {"/plimsoll.v1.SandboxService/Run", Procedure::kRun},
    {"/plimsoll.v1.SandboxService/Describe", Procedure::kDescribe},
    {"/plimsoll.v1.SandboxService/OpenSession", Procedure::kOpenSession},
    {"/plimsoll.v1.SandboxService/SessionRun", Procedure::kSessionRun},
    {"/plimsoll.v1.SandboxService/CloseSession", Procedure::kCloseSession},
    {"/plimsoll.x1.Info/Capabilities", Procedure::kCapabilities},
    {"/plimsoll.x1.Evidence/ProbeReport", Procedure::kProbeReport},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kProcedures.size(); ++i) {
    if (static_cast<std::size_t>(kProcedures[i].procedure) != i) {
      return false;
    }
  }
  return true;
}
static_assert(InOrder(), "each procedure stands at its own place");

std::string_view WithoutQuery(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

Place PlaceOf(std::string_view target) {
  const std::string_view path = WithoutQuery(target);
  if (path.starts_with(kServicePrefix) || path.starts_with(kExtensionPrefix)) {
    return Place::kService;
  }
  if (path == "/healthz") {
    return Place::kHealth;
  }
  return path == "/readyz" ? Place::kReady : Place::kOutside;
}

std::optional<Procedure> ProcedureAt(std::string_view target) {
  const std::string_view path = WithoutQuery(target);
  const auto* row = std::ranges::find(kProcedures, path, &Row::path);
  return row == kProcedures.end() ? std::nullopt : std::optional(row->procedure);
}

std::string_view PathOf(Procedure procedure) { return kProcedures[static_cast<std::size_t>(procedure)].path; }

Messages MessagesOf(Procedure procedure) {
  return PathOf(procedure).starts_with(kExtensionPrefix) ? Messages::kStrict : Messages::kLenient;
}

std::string_view ScopeOf(Procedure procedure) {
  switch (procedure) {
    case Procedure::kRun:
    case Procedure::kDescribe:
    case Procedure::kOpenSession:
    case Procedure::kSessionRun:
    case Procedure::kCloseSession:
    case Procedure::kCapabilities:
    case Procedure::kProbeReport: return callers::kScopeRun;
  }
  return {};  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::rpc
