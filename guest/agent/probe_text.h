#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::guest {

// At most `limit` bytes of a file; what is longer is cut. Empty optional when it cannot be opened or read.
std::optional<std::string> ReadFile(const std::string& path, std::size_t limit);

// `text` cut at every run of blanks and tabs.
std::vector<std::string> Words(std::string_view text);

std::vector<std::string_view> Lines(std::string_view text);

// A field of /proc/self/mounts with its `\040` and the like turned back into bytes.
std::string UnescapeMount(std::string_view field);

}  // namespace plimsoll::guest
