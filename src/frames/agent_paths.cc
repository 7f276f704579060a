#include "frames/agent_paths.h"

#include "base/utf8.h"
#include "frames/agent.h"

namespace plimsoll::frames::agent {
namespace {

bool IsSegment(std::string_view segment) { return !segment.empty() && segment != "." && segment != ".."; }

bool HoldsControlCharacter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 is U+0080 to U+009F: C2 80 to C2 9F.
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || c1) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsPathBelow(std::string_view path) {
  if (path.empty() || path.size() > kMaxPath || path.find('\\') != std::string_view::npos || !base::IsUtf8(path) ||
      HoldsControlCharacter(path)) {
    return false;
  }
  while (true) {
    const std::size_t slash = path.find('/');
    if (!IsSegment(path.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(slash + 1);
  }
}

}  // namespace plimsoll::frames::agent
