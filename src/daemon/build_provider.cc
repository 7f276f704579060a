#include "daemon/build_provider.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
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
                                      .cores = 0},
                                     clock, random, log);
  if (!made) {
    return made.error();
  }
  return std::unique_ptr<provider::Provider>(std::move(*made));
}

}  // namespace

std::vector<std::string_view> IncludedProviders() { return {"wasm"}; }

BuildProvider BuilderOf(const base::Clock& clock, base::Random& random, base::LogSink& log) {
  return [&clock, &random, &log](const ProviderSettings& settings) -> Built {
    if (settings.name == kDisabled) {
      return std::unique_ptr<provider::Provider>(std::make_unique<disabled::Provider>());
    }
    PLIMSOLL_CHECK(settings.name == "wasm");  // MakePlan lets through what IncludedProviders lists
    return BuildWasm(settings, clock, random, log);
  };
}

BuildProvider FinderOf() {
  return [](const ProviderSettings& settings) -> Built {
    if (settings.name == "wasm") {
      if (const auto worker = WasmWorker(settings); !worker) {
        return worker.error();
      }
    }
    return std::unique_ptr<provider::Provider>();
  };
}

}  // namespace plimsoll::daemon
