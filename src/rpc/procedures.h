#pragma once

#include <optional>
#include <string_view>

namespace plimsoll::rpc {

enum class Procedure { kRun, kDescribe, kOpenSession, kSessionRun, kCloseSession };

// What the path of a request names. A path outside both services' prefixes names nothing.
enum class Place { kOutside, kService, kHealth, kReady };

// `target` is a request's target as sent; a query is not looked at.
Place PlaceOf(std::string_view target);

// The procedure at a path, or nothing for one that is not served: retired names and those of plimsoll.x1 too (RPC-3).
std::optional<Procedure> ProcedureAt(std::string_view target);

// The scope a caller needs. Complete: a procedure without a scope does not compile.
std::string_view ScopeOf(Procedure procedure);

}  // namespace plimsoll::rpc
