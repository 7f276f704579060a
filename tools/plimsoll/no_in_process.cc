// Stands in for in_process.cc where the embedding library is not built.
#include "tools/plimsoll/in_process.h"

namespace plimsoll::tool {
namespace {

NothingRan Missing() {
  return {.reason = "unsupported", .message = "this build has no sandbox of its own: name a daemon with --url"};
}

}  // namespace

Outcome RunInProcess(const RunRequest&) { return Missing(); }
std::variant<client::Info, NothingRan> DescribeInProcess() { return Missing(); }

}  // namespace plimsoll::tool
