#include "frames/agent_paths.h"

#include "base/path_text.h"
#include "base/utf8.h"
#include "frames/agent.h"

namespace plimsoll::frames::agent {

bool IsPathBelow(std::string_view path) {
  return path.size() <= kMaxPath && path.find('\\') == std::string_view::npos && base::IsUtf8(path) &&
         !base::HasControlCharacter(path) && !base::HasOddSegment(path);
}

}  // namespace plimsoll::frames::agent
