#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// The engine's JSON answers as typed values. Pure. A text that is not what the API promises, in a member that is read
// here, is malformed as a whole: nothing is used of it. Unknown members are ignored.
struct Malformed {
  std::string why;  // names the member and the rule, and holds nothing of the answer
};
template <typename T>
using Parsed = std::variant<T, Malformed>;

Parsed<EngineVersion> ParseVersion(std::string_view text);
Parsed<EngineInfo> ParseInfo(std::string_view text);
Parsed<EngineImage> ParseImage(std::string_view text);
struct Created {
  std::string id;
};
Parsed<Created> ParseCreated(std::string_view text);
Parsed<ContainerState> ParseContainer(std::string_view text);
Parsed<ContainerRecord> ParseRecord(std::string_view text);
Parsed<std::vector<ContainerListed>> ParseList(std::string_view text);

// The engine's own words of a refused call, at most 1 KiB: `message` of a JSON object, else the text as it is.
std::string ErrorText(std::string_view text);

}  // namespace plimsoll::docker
