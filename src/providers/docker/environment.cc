#include "providers/docker/environment.h"

#include <algorithm>

namespace plimsoll::docker {
namespace {

constexpr std::string_view kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::size_t kHostNameDigits = 12;  // docker's default host name is the short id

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

void Put(std::vector<std::string>& environment, std::string_view entry) {
  const auto same =
      std::ranges::find_if(environment, [&](const std::string& other) { return NameOf(other) == NameOf(entry); });
  if (same != environment.end()) {
    *same = entry;
  } else {
    environment.emplace_back(entry);
  }
}

}  // namespace

std::vector<std::string> GuestEnvironment(std::string_view container_id, const std::vector<std::string>& image,
                                          const std::vector<std::string>& own) {
  std::vector<std::string> environment = {std::string(kPath),
                                          "HOSTNAME=" + std::string(container_id.substr(0, kHostNameDigits))};
  for (const auto* layer : {&image, &own}) {
    for (const std::string& entry : *layer) {
      Put(environment, entry);
    }
  }
  return environment;
}

}  // namespace plimsoll::docker
