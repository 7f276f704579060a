#include "providers/docker/preflight/image_reference.h"

#include <cstddef>

#include "base/hex.h"
#include "providers/docker/engine/names.h"
#include "providers/docker/preflight/wording.h"

namespace plimsoll::docker {
namespace {

constexpr std::size_t kMost = 512;
constexpr std::string_view kDigest = "@sha256:";
constexpr std::size_t kDigits = 64;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

base::Status CheckImageReference(std::string_view setting, std::string_view reference) {
  if (reference.empty()) {
    return NotProven(setting, "names no image; set it to one, such as node:22-alpine");
  }
  if (IsBlank(reference.front()) || IsBlank(reference.back())) {
    return NotProven(setting, "has white space around the image's name; remove it");
  }
  if (reference.front() == '-') {
    return NotProven(setting, "begins with -, as no image's name does; correct it");
  }
  if (reference.size() > kMost) {
    return NotProven(setting,
                     "an image's name of " + std::to_string(reference.size()) + " bytes, limit 512; correct it");
  }
  if (!IsImageReference(reference)) {
    return NotProven(setting, "is no image's name: letters, digits and ._:/@- without an empty, . or .. segment");
  }
  return base::Ok();
}

base::Status CheckPinned(std::string_view setting, std::string_view reference) {
  const std::size_t at = reference.rfind(kDigest);
  if (at == std::string_view::npos || at == 0 || !base::IsLowerHex(reference.substr(at + kDigest.size()), kDigits)) {
    return NotProven(setting,
                     "is not pinned: with SANDBOX_REQUIRE_PINNED_IMAGES it must end in @sha256: and 64 hex digits");
  }
  return base::Ok();
}

}  // namespace plimsoll::docker
