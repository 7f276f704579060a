#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// What an engine of a test answers; it may be changed while the engine is in use.
struct EngineScript {
  EngineVersion version;
  EngineInfo info;
  std::map<std::string, EngineImage> images;  // by reference; any other is kNotFound
  std::map<std::string, ContainerState> containers;
  std::optional<EngineError> error;    // what every call gives instead
  std::chrono::milliseconds delay{0};  // of each Negotiate
  int negotiations = 0;
  std::vector<std::string> platforms;  // asked for, in order
};
// An engine of version 20.10 with runc and runsc, classic store, every controller, and the images `snippet`, `project`.
EngineScript GoodEngine();

// Answers as its script says; shares the script with the test. Thread-safe.
class ScriptedEngine final : public Engine {
 public:
  explicit ScriptedEngine(std::shared_ptr<base::Guarded<EngineScript>> script) : script_(std::move(script)) {}

  Answer<EngineVersion> Negotiate(const http::Bounds& bounds) override;
  Answer<EngineInfo> Info(const http::Bounds& bounds) override;
  Answer<EngineImage> InspectImage(std::string_view reference, std::string_view platform,
                                   const http::Bounds& bounds) override;
  Answer<std::string> Create(std::string_view, std::string_view, std::string, const http::Bounds&) override;
  Answer<Attached> Attach(std::string_view, const http::Bounds&) override;
  Answer<base::Done> Start(std::string_view, const http::Bounds&) override;
  Answer<ContainerState> Inspect(std::string_view id, const http::Bounds& bounds) override;
  Answer<base::Done> Remove(std::string_view, const http::Bounds&) override;
  Answer<std::vector<ContainerListed>> ListByLabel(std::string_view, const http::Bounds&) override;
  Answer<std::vector<ContainerListed>> ListByName(std::string_view, const http::Bounds&) override;

 private:
  std::shared_ptr<base::Guarded<EngineScript>> script_;
};

}  // namespace plimsoll::docker
