// Any text where a preflight reads one of this host, of an engine or of an operator: the rules say yes or no to it, and
// what they make of it is within their forms.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "providers/docker/host_group.h"
#include "providers/docker/preflight/guest_uid.h"
#include "providers/docker/preflight/image_reference.h"
#include "providers/docker/preflight/platform_name.h"
#include "providers/docker/preflight/seccomp_profile.h"
#include "providers/docker/preflight/wording.h"

namespace {

using namespace plimsoll::docker;  // NOLINT(google-build-using-namespace): one file, one function

void CheckReferences(std::string_view text) {
  const bool named = CheckImageReference("S", text).has_value();
  const std::string inside = "/" + std::string(text) + "/";
  PLIMSOLL_CHECK(!named || (text.size() <= 512 && inside.find("/../") == std::string::npos));
  PLIMSOLL_CHECK(!CheckPinned("S", text).has_value() || text.size() > 72);
}

void CheckPlatform(std::string_view text) {
  if (const auto name = ParsePlatformName(text)) {
    PLIMSOLL_CHECK(ParsePlatformName(*name) == name);
  }
}

void CheckGroups(std::string_view text) {
  for (const char* controller : {"pids", "cpu", ""}) {
    if (const auto folder = GroupFolderOf(text, controller)) {
      PLIMSOLL_CHECK(folder->path.starts_with("/sys/fs/cgroup"));
      PLIMSOLL_CHECK((folder->path + "/").find("/../") == std::string::npos);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: the fuzzer's type
  CheckReferences(text);
  CheckPlatform(text);
  CheckGroups(text);
  // A line more can only add numbers.
  const std::string more = "x:x:61000:61000\n" + std::string(text);
  PLIMSOLL_CHECK(PasswdHolds(more, 61000) && GroupHolds(more, 61000));
  PLIMSOLL_CHECK(!PasswdHolds(text, 61001) || PasswdHolds(more, 61001));
  PLIMSOLL_CHECK(!IsJsonObject(text) || text.find('{') != std::string_view::npos);
  PLIMSOLL_CHECK(Shown(text).size() <= 83);
  return 0;
}
