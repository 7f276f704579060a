#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// An engine that is a list of containers in memory, with errors on demand. What it has no state for it refuses.
class MemoryEngine : public Engine {
 public:
  struct Container {
    std::string name;
    std::map<std::string, std::string> labels;
    std::optional<EngineError> removal = {};  // answered instead of removing it
  };

  // The id made up for it.
  std::string Add(Container container);
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
  Answer<base::Done> Remove(std::string_view id, const http::Bounds& bounds) override;
  Answer<std::vector<ContainerListed>> ListByLabel(std::string_view label, const http::Bounds& bounds) override;
  Answer<std::vector<ContainerListed>> ListByName(std::string_view name, const http::Bounds& bounds) override;

 private:
  struct Held {
    std::string id;
    Container container;
  };
  std::vector<Held> containers_;
  std::vector<std::string> removals_;
  std::optional<EngineError> failing_listing_;
  int made_ = 0;
};

}  // namespace plimsoll::docker
