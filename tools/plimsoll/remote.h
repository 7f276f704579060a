#pragma once

#include <string>
#include <variant>

#include "plimsoll/client.h"
#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// How to reach a daemon.
struct Daemon {
  std::string url = {};
  std::string token = {};
  std::string ca_file = {};
  bool insecure_http = false;
};

// Runs over the wire; the answer is checked by the client library.
Outcome RunOnDaemon(const Daemon& daemon, const RunRequest& request);

// What the daemon says of itself, or why it is not known.
std::variant<client::Info, NothingRan> DescribeDaemon(const Daemon& daemon);

// What the daemon tried before it served, checked by the client library; or why it is not known.
std::variant<client::Probes, NothingRan> ProbesOfDaemon(const Daemon& daemon);

}  // namespace plimsoll::tool
