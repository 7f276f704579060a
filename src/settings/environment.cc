#include "settings/environment.h"

#include <algorithm>
#include <set>

#include "settings/table.h"

namespace plimsoll::settings {

std::optional<std::string_view> ValueIn(const Environment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment, name, &Environment::value_type::first);
  return found == environment.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::vector<std::string> UnknownNames(const Environment& environment) {
  std::set<std::string> names;
  for (const auto& [name, value] : environment) {
    if ((name.starts_with("PLIMSOLL_") || name.starts_with("SANDBOX_")) && FindSetting(name) == nullptr) {
      names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace plimsoll::settings
