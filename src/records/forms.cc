// The texts inside a record that have a form of their own: rule IDs, instances, fingerprints.
#include <algorithm>

#include "base/hex.h"
#include "base/sha256.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

constexpr std::size_t kMaxInstanceKind = 32;
constexpr std::size_t kMaxInstanceName = 127;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsKindChar(char c) { return IsLower(c) || IsDigit(c) || c == '-'; }
bool IsNameChar(char c) {
  return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == ':' || c == '-';
}

}  // namespace

std::string SoftwareRuleId(const run::SoftwareRuleDraft& rule) {
  if (rule.identities.empty()) {
    return {};
  }
  if (rule.identities.size() == 1) {
    return "exact:" + rule.identities.front();
  }
  std::vector<std::string_view> sorted(rule.identities.begin(), rule.identities.end());
  std::ranges::sort(sorted);
  base::Sha256 hash;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) {
      hash.Add(std::string_view("\0", 1));
    }
    hash.Add(sorted[i]);
  }
  return "approved:sha256:" + base::HexOf(hash.Finish());
}

bool IsInstance(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return false;
  }
  const std::string_view kind = text.substr(0, colon);
  const std::string_view name = text.substr(colon + 1);
  return !kind.empty() && kind.size() <= kMaxInstanceKind && IsLower(kind.front()) &&
         std::ranges::all_of(kind, IsKindChar) && !name.empty() && name.size() <= kMaxInstanceName &&
         std::ranges::all_of(name, IsNameChar);
}

std::string Fingerprint(std::string_view session_id) { return base::Sha256Hex(session_id); }

}  // namespace plimsoll::records
