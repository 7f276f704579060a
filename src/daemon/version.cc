#include "daemon/version.h"

#include "records/record.h"
#include "run/request.h"

namespace plimsoll::daemon {

std::string_view Version() { return PLIMSOLL_VERSION; }
std::string_view Commit() { return PLIMSOLL_COMMIT; }

std::string VersionLine() {
  std::string protocols;
  for (const std::uint32_t protocol : run::kServedProtocols) {
    protocols += (protocols.empty() ? "" : ",") + std::to_string(protocol);
  }
  return "plimsolld " + std::string(Version()) + " protocol " + protocols + " record " +
         std::to_string(records::kRecordVersion) + " commit " + std::string(Commit()) + "\n";
}

}  // namespace plimsoll::daemon
