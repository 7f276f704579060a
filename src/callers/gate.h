#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll::callers {

inline constexpr std::string_view kScopeRun = "code:run";

// Who an accepted request comes from.
struct Caller {
  std::string principal;    // the registry's id, `static`, or `anon` in open mode: for limits and logs
  bool identified = false;  // false in open mode: no identity that a grant could name
};

// Who may call: the registry file, one shared token, or anyone (open mode). Immutable; may be shared by threads.
class Gate {
 public:
  // daemon.md 6. `text` is the file's content. Fault kInternal naming the rule broken, without any hash.
  static base::Result<Gate> FromRegistry(std::string_view text);
  // At least 32 characters of 0x21 to 0x7E, else Fault kInternal that does not repeat the token.
  static base::Result<Gate> FromSharedToken(std::string_view token);
  static Gate Open();

  bool open() const;

  // `authorization`: the header's value, absent when it is missing or repeated. In open mode everyone passes.
  // Refuses kUnauthenticated (no or malformed bearer, unknown token).
  base::Result<Caller> Authenticate(std::optional<std::string_view> authorization) const;

  // Refuses kPermissionDenied when the caller's scopes do not hold `scope` (`*` holds all). Open mode holds all.
  base::Status Authorize(const Caller& caller, std::string_view scope) const;

 private:
  struct State;
  explicit Gate(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;  // shared by copies of this value; never written after construction
};

}  // namespace plimsoll::callers
