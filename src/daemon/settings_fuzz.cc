// Any environment: the plan is made, errors name known settings, a plan without errors keeps the promises of its
// values.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "daemon/plan.h"
#include "daemon/settings_words.h"

namespace {

using plimsoll::daemon::Environment;

// Lines of `NAME=value`. Path settings are left out: a fuzzer must not choose which files are read.
Environment EnvironmentIn(std::string_view text) {
  Environment environment;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view name = line.substr(0, line.find('='));
    const auto* setting = plimsoll::daemon::FindSetting(name);
    if (setting == nullptr || setting->type != plimsoll::daemon::Type::kPath) {
      environment.emplace_back(name, line.substr(std::min(line.size(), name.size() + 1)));
    }
  }
  return environment;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Environment environment = EnvironmentIn({reinterpret_cast<const char*>(data), size});
  const auto plan = plimsoll::daemon::MakePlan({environment, {"wasm", "docker", "e2b"}, nullptr});
  if (!plan.errors.empty()) {
    PLIMSOLL_CHECK(!plan.errors.front().setting.empty());
    return 0;
  }
  PLIMSOLL_CHECK(plan.quotas.max_concurrent >= 1 && plan.quotas.max_concurrent <= 1024);
  PLIMSOLL_CHECK(plan.quotas.per_caller_concurrent >= 0 &&
                 plan.quotas.per_caller_concurrent <= plan.quotas.max_concurrent);
  PLIMSOLL_CHECK(plan.quotas.rate_burst >= 0);
  const bool guarded = !plan.gate.open() || plan.posture.insecure_set ||
                       (plan.posture.facts.name == "disabled" && plimsoll::daemon::IsLoopback(plan.posture.rpc));
  PLIMSOLL_CHECK(guarded);
  PLIMSOLL_CHECK(!plan.hardened || !plan.gate.open());
  return 0;
}
