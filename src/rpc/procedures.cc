#include "rpc/procedures.h"

#include "callers/gate.h"

namespace plimsoll::rpc {
namespace {

constexpr std::string_view kServicePrefix = "/plimsoll.v1.SandboxService/";
constexpr std::string_view kExtensionPrefix = "/plimsoll.x1.";

constexpr struct {
  std::string_view name;
  Procedure procedure;
} kProcedures[] = {
    {"Run", Procedure::kRun},
    {"Describe", Procedure::kDescribe},
    {"OpenSession", Procedure::kOpenSession},
    {"SessionRun", Procedure::kSessionRun},
    {"CloseSession", Procedure::kCloseSession},
};

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

Place PlaceOf(std::string_view target) {
  const std::string_view path = PathOf(target);
  if (path.starts_with(kServicePrefix) || path.starts_with(kExtensionPrefix)) {
    return Place::kService;
  }
  if (path == "/healthz") {
    return Place::kHealth;
  }
  return path == "/readyz" ? Place::kReady : Place::kOutside;
}

std::optional<Procedure> ProcedureAt(std::string_view target) {
  std::string_view path = PathOf(target);
  if (!path.starts_with(kServicePrefix)) {
    return std::nullopt;
  }
  path.remove_prefix(kServicePrefix.size());
  for (const auto& row : kProcedures) {
    if (row.name == path) {
      return row.procedure;
    }
  }
  return std::nullopt;
}

std::string_view ScopeOf(Procedure procedure) {
  switch (procedure) {
    case Procedure::kRun:
    case Procedure::kDescribe:
    case Procedure::kOpenSession:
    case Procedure::kSessionRun:
    case Procedure::kCloseSession: return callers::kScopeRun;
  }
  return {};  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::rpc
