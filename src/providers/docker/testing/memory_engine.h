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

// What an engine in memory says of itself; a test may change it while the engine is in use.
struct EngineScript {
  EngineVersion version;
  EngineInfo info;
  std::map<std::string, EngineImage> images;  // by reference; any other is kNotFound
  std::optional<EngineError> error;           // what these questions give instead
  std::chrono::milliseconds delay{0};         // of each Negotiate
  int negotiations = 0;
  std::vector<std::string> platforms;  // asked for, in order
};
// An engine of version 20.10 with runc and runsc, classic store, every controller, and the images `snippet`, `project`.
EngineScript GoodEngine();

// An engine that is a script, which it shares with its test, and a list of containers, with errors on demand. What it
// has no state for it refuses; tests that need more override it. What an engine does on the wire is SocketEngine's. The
// script's questions may be asked from any thread, those about containers from one at a time.
class MemoryEngine : public Engine {
 public:
  using Script = base::Guarded<EngineScript>;
  explicit MemoryEngine(std::shared_ptr<Script> script = std::make_shared<Script>(GoodEngine()))
      : script_(std::move(script)) {}

  struct Container {
    std::string name;
    std::map<std::string, std::string> labels = {};
    std::optional<ContainerState> state = {};  // without one nobody knows what became of it
    std::optional<EngineError> removal = {};   // answered instead of removing it
  };

  // The id made up for it.
  std::string Add(Container container);
  void SetState(std::string_view id, std::optional<ContainerState> state);
  void Drop(std::string_view id) { containers_.erase(Find(id)); }
  void FailListings(EngineError error) { failing_listing_ = std::move(error); }

  std::vector<std::string> Names() const;                          // in the order of adding
  std::vector<std::string> Removals() const { return removals_; }  // what Remove was called with, by name

  Answer<EngineVersion> Negotiate(const http::Bounds& bounds) override;
  Answer<EngineInfo> Info(const http::Bounds& bounds) override;
  Answer<EngineImage> InspectImage(std::string_view reference, std::string_view platform,
                                   const http::Bounds& bounds) override;
  Answer<std::string> Create(std::string_view name, std::string_view platform, std::string body,
                             const http::Bounds& bounds) override;
  Answer<Attached> Attach(std::string_view id, const http::Bounds& bounds) override;
  Answer<base::Done> Start(std::string_view id, const http::Bounds& bounds) override;
  Answer<ContainerState> Inspect(std::string_view id, const http::Bounds& bounds) override;
  Answer<ContainerRecord> Examine(std::string_view id, const http::Bounds& bounds) override;
  Answer<base::Done> Pause(std::string_view id, const http::Bounds& bounds) override;
  Answer<base::Done> Unpause(std::string_view id, const http::Bounds& bounds) override;
  Answer<base::Done> Remove(std::string_view id, const http::Bounds& bounds) override;
  Answer<std::vector<ContainerListed>> ListByLabel(std::string_view label, const http::Bounds& bounds) override;
  Answer<std::vector<ContainerListed>> ListByName(std::string_view name, const http::Bounds& bounds) override;
  Answer<std::vector<ContainerListed>> ListById(std::string_view id, const http::Bounds& bounds) override;

 private:
  struct Held {
    std::string id;
    Container container;
  };
  std::vector<Held>::iterator Find(std::string_view id);  // or its name
  template <typename Wanted>
  Answer<std::vector<ContainerListed>> List(Wanted wanted) const;

  const std::shared_ptr<Script> script_;
  std::vector<Held> containers_;
  std::vector<std::string> removals_;
  std::optional<EngineError> failing_listing_;
  int made_ = 0;
};

}  // namespace plimsoll::docker
