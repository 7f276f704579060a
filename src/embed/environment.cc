#include <unistd.h>

#include <string_view>
#include <vector>

#include "embed/build.h"
#include "settings/environment.h"
#include "settings/reader.h"

namespace plimsoll::embed {
namespace {

using settings::Id;

settings::Environment OwnEnvironment() {
  settings::Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

}  // namespace

base::Result<Options> OptionsFromEnvironment() {
  const settings::Environment environment = OwnEnvironment();
  std::vector<settings::StartError> errors;
  settings::SettingsReader reader(environment, errors);
  Options options;
  options.provider = reader.Choice(Id::kProvider).value_or("");
  options.minimum_isolation = reader.Choice(Id::kMinIsolation).value_or("");
  options.memory_mb = static_cast<std::uint32_t>(reader.Int(Id::kMemoryMb).value_or(0));
  options.max_concurrent = static_cast<int>(reader.Int(Id::kMaxConcurrent).value_or(options.max_concurrent));
  options.libexec = reader.Text(Id::kLibexec).value_or("");
  if (!errors.empty()) {
    return base::Fault{base::FaultKind::kUnavailable, errors.front().setting + ": " + errors.front().message};
  }
  return options;
}

}  // namespace plimsoll::embed
