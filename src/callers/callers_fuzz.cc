// Any bytes as a registry: refused, or entries that keep every rule; and as a header: never admitted without the token.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hex.h"
#include "callers/entry_rules.h"
#include "callers/gate.h"
#include "callers/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = plimsoll::callers::ParseRegistry(text);
  if (entries) {
    std::set<std::string_view> ids;
    for (const plimsoll::callers::Entry& entry : *entries) {
      PLIMSOLL_CHECK(!entry.id.empty() && entry.id != "*" && plimsoll::callers::HasNoControl(entry.id));
      PLIMSOLL_CHECK(plimsoll::base::IsLowerHex(entry.token_sha256, 64));
      PLIMSOLL_CHECK(entry.paid_seconds_per_day >= 0);
      PLIMSOLL_CHECK(ids.insert(entry.id).second);
    }
  }
  const auto gate = plimsoll::callers::Gate::FromRegistry(text);
  PLIMSOLL_CHECK(gate.has_value() == (entries && !entries->empty()));
  PLIMSOLL_CHECK(!plimsoll::callers::Gate::FromSharedToken("0123456789abcdef0123456789abcdef")->Authenticate(text));
  return 0;
}
