#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace plimsoll::rpc {

enum class Procedure {
  kRun,
  kDescribe,
  kOpenSession,
  kSessionRun,
  kCloseSession,
  kCapabilities,
  kProbeReport,
};
inline constexpr std::size_t kProcedureCount = static_cast<std::size_t>(Procedure::kProbeReport) + 1;

// What the path of a request names. A path outside both services' prefixes names nothing.
enum class Place { kOutside, kService, kHealth, kReady };

// `target` is a request's target as sent; a query is not looked at.
Place PlaceOf(std::string_view target);

// The procedure at a path, or nothing for one that is not served, a retired name too (RPC-3).
std::optional<Procedure> ProcedureAt(std::string_view target);

// The path of a procedure: `/plimsoll.v1.SandboxService/Run`.
std::string_view PathOf(Procedure procedure);

// Whether a procedure's messages may hold keys and fields it does not know. Those of plimsoll.x1 never may (wire.md
// 12).
enum class Messages { kLenient, kStrict };
Messages MessagesOf(Procedure procedure);

// The scope a caller needs. Complete: a procedure without a scope does not compile.
std::string_view ScopeOf(Procedure procedure);

}  // namespace plimsoll::rpc
