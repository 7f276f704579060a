#include "daemon/build_provider.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "daemon/build_docker.h"
#include "daemon/version.h"
#include "os/executable.h"
#include "providers/disabled/provider.h"
#include "providers/wasm/provider.h"
#include "providers/wasm/worker_program.h"

namespace plimsoll::daemon {
namespace {

using Built = base::Result<std::unique_ptr<provider::Provider>>;

base::Result<std::string> WasmWorker(const ProviderSettings& settings) {
  const auto self = os::OwnExecutable();
  if (!self) {
    return self.error();
  }
  return wasm::FindWorker(*self, settings.libexec);
}

Built BuildWasm(const ProviderSettings& settings, const base::Clock& clock, base::Random& random, base::LogSink& log) {
  auto worker = WasmWorker(settings);
  if (!worker) {
    return worker.error();
  }
  auto made = wasm::Provider::Create({.worker_program = std::move(*worker),
                                      .memory_mb = settings.envelope.memory_mb,
                                      .max_concurrent = static_cast<std::uint32_t>(settings.max_concurrent),
                                      .cores = 0,
                                      .daemon_version = std::string(Version())},
                                     clock, random, log);
  if (!made) {
    return made.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*made));
}

}  // namespace

std::vector<std::string_view> IncludedProviders() { return {"wasm", kDocker}; }

BuildProvider BuilderOf(const base::Clock& clock, base::Random& random, base::LogSink& log) {
  return [&clock, &random, &log](const ProviderSettings& settings) -> Built {
    if (settings.name == kDisabled) {
      return std::unique_ptr<provider::Provider>(std::make_unique<disabled::Provider>());
    }
    if (settings.name == kDocker) {
      return BuildDocker(settings, clock, random, log);
    }
    PLIMSOLL_CHECK(settings.name == "wasm");  // MakePlan lets through what IncludedProviders lists
    return BuildWasm(settings, clock, random, log);
  };
}

BuildProvider FinderOf() {
  return [](const ProviderSettings& settings) -> Built {
    base::Result<std::string> helper = std::string();
    if (settings.name == "wasm") {
      helper = WasmWorker(settings);
    } else if (settings.name == kDocker) {
      helper = DockerAgent(settings);
    }
    if (!helper) {
      return helper.error();
    }
    return std::unique_ptr<provider::Provider>();
  };
}

}  // namespace plimsoll::daemon
