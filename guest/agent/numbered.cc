#include "guest/agent/numbered.h"

#include <dirent.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace plimsoll::guest {

std::optional<std::vector<int>> NumbersIn(const char* folder) {
  const auto close = [](DIR* listed) { static_cast<void>(::closedir(listed)); };
  const std::unique_ptr<DIR, decltype(close)> listed(::opendir(folder), close);
  if (listed == nullptr) {
    return std::nullopt;
  }
  std::vector<int> numbers;
  errno = 0;
  while (const dirent* entry = ::readdir(listed.get())) {
    const std::string_view name(entry->d_name);
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) {
      numbers.push_back(number);
    }
  }
  // A list that ended early is none: who reads it may conclude that nobody is there.
  return errno == 0 ? std::optional(std::move(numbers)) : std::nullopt;
}

}  // namespace plimsoll::guest
