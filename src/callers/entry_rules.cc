#include "callers/entry_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "base/hex.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace plimsoll::callers {
namespace {

constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

// The length of a character of well-formed UTF-8 by its first byte.
std::size_t CharacterLength(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xe0) {
    return 2;
  }
  return lead < 0xf0 ? 3 : 4;
}

// Calls `visit` for each code point of well-formed UTF-8; stops and returns false once `visit` does.
template <typename Visit>
bool EveryCodePoint(std::string_view text, Visit visit) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = CharacterLength(lead);
    std::uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    }
    if (!visit(point)) {
      return false;
    }
    i += length;
  }
  return true;
}

bool IsControl(std::uint32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

// White space by the Unicode property, controls apart.
bool IsSpace(std::uint32_t point) {
  constexpr std::uint32_t kSpaces[] = {0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
  return (point >= 0x2000 && point <= 0x200a) || std::ranges::find(kSpaces, point) != std::end(kSpaces);
}

std::string IdFault(std::string_view id) {
  if (id.empty()) {
    return "has an empty id";
  }
  if (id == "*") {
    return "has the id *, which means every caller";
  }
  if (id.size() > kMaxIdBytes) {
    return "has an id of " + std::to_string(id.size()) + " bytes, limit " + std::to_string(kMaxIdBytes);
  }
  if (!base::IsUtf8(id) || !HasNoControl(id)) {
    return "has an id with a control character or invalid UTF-8";
  }
  return {};
}

std::string ScopesFault(const std::vector<std::string>& scopes) {
  std::set<std::string_view> seen;
  for (const std::string& scope : scopes) {
    if (scope.empty() || scope.size() > kMaxScopeBytes) {
      return "has a scope of " + std::to_string(scope.size()) + " bytes, limit 1 to " + std::to_string(kMaxScopeBytes);
    }
    const bool plain = base::IsUtf8(scope) &&
                       EveryCodePoint(scope, [](std::uint32_t point) { return !IsControl(point) && !IsSpace(point); });
    if (!plain) {
      return "has a scope with white space, a control character or invalid UTF-8";
    }
    if (!seen.insert(scope).second) {
      return "repeats a scope";
    }
  }
  return {};
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kAsciiSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kAsciiSpace) - first + 1);
}

bool HasNoControl(std::string_view text) {
  return EveryCodePoint(text, [](std::uint32_t point) { return !IsControl(point); });
}

std::string NormalizeEntry(Entry& entry) {
  entry.id = std::string(Trimmed(entry.id));
  entry.token_sha256 = std::string(Trimmed(entry.token_sha256));
  std::ranges::transform(entry.token_sha256, entry.token_sha256.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (std::string fault = IdFault(entry.id); !fault.empty()) {
    return fault;
  }
  if (!base::IsLowerHex(entry.token_sha256, 2 * base::Sha256::kSize)) {
    return "has a token_sha256 that is not 64 hex digits";
  }
  return ScopesFault(entry.scopes);
}

}  // namespace plimsoll::callers
