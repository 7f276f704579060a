#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll::callers {

// One caller of the registry file. `id` and `token_sha256` are as stored: trimmed, the hash in lower case.
struct Entry {
  std::string id;
  std::string token_sha256;
  std::vector<std::string> scopes;
  std::int64_t paid_seconds_per_day = 0;  // 0: no limit of its own
  friend bool operator==(const Entry&, const Entry&) = default;
};

// Bounds on what one file may ask this process to hold. They are ours: far above any registry kept by hand.
inline constexpr std::size_t kMaxRegistryBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kMaxEntries = 65'536;
inline constexpr std::size_t kMaxIdBytes = 256;
inline constexpr std::size_t kMaxScopes = 64;
inline constexpr std::size_t kMaxScopeBytes = 128;

// Parses a registry by the rules of daemon.md 6 (CAL-1). An empty list is a valid registry here; the daemon refuses it.
// Fault kInternal with the rule broken and the number of the client, counted from 1; never a hash, never content.
base::Result<std::vector<Entry>> ParseRegistry(std::string_view text);

}  // namespace plimsoll::callers
