#include "providers/docker/engine/names.h"

#include <algorithm>

#include "base/hex.h"
#include "base/path_text.h"

namespace plimsoll::docker {
namespace {

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool AllOf(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return IsAlphanumeric(c) || others.find(c) != std::string_view::npos; });
}

}  // namespace

bool IsContainerId(std::string_view text) { return base::IsLowerHex(text, 64); }

bool IsContainerName(std::string_view text) {
  return text.size() >= 2 && text.size() <= 128 && IsAlphanumeric(text.front()) && AllOf(text, "_.-");
}

bool IsImageReference(std::string_view text) {
  return !text.empty() && text.size() <= 512 && text.front() != '-' && AllOf(text, "._:/@-") &&
         !base::HasOddSegment(text);
}

bool IsLabelName(std::string_view text) { return !text.empty() && text.size() <= 256 && AllOf(text, "._/-"); }

bool IsSha256Id(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.starts_with(kPrefix) && IsContainerId(text.substr(kPrefix.size()));
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsAlphanumeric(c) || c == '.' || c == '_' || c == '~' || c == '-') {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.append({'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]});
  }
  return encoded;
}

}  // namespace plimsoll::docker
