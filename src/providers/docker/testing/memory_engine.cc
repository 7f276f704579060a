#include "providers/docker/testing/memory_engine.h"

#include <algorithm>

#include "base/sha256.h"

namespace plimsoll::docker {

namespace {

EngineError NotBuilt() {
  return {.kind = EngineError::Kind::kRefused, .sent = http::Sent::kMaybe, .status = 501, .detail = "not built"};
}

}  // namespace

std::string MemoryEngine::Add(Container container) {
  std::string id = base::Sha256Hex(std::to_string(++made_));
  containers_.push_back({.id = id, .container = std::move(container)});
  return id;
}

std::vector<std::string> MemoryEngine::Names() const {
  std::vector<std::string> names;
  for (const Held& held : containers_) {
    names.push_back(held.container.name);
  }
  return names;
}

Answer<EngineVersion> MemoryEngine::Negotiate(const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<EngineInfo> MemoryEngine::Info(const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<EngineImage> MemoryEngine::InspectImage(std::string_view /*reference*/, std::string_view /*platform*/,
                                               const http::Bounds& /*bounds*/) {
  return NotBuilt();
}
Answer<std::string> MemoryEngine::Create(std::string_view /*name*/, std::string_view /*platform*/, std::string /*body*/,
                                         const http::Bounds& /*bounds*/) {
  return NotBuilt();
}
Answer<Attached> MemoryEngine::Attach(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<base::Done> MemoryEngine::Start(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<ContainerState> MemoryEngine::Inspect(std::string_view /*id*/, const http::Bounds& /*bounds*/) {
  return NotBuilt();
}

Answer<base::Done> MemoryEngine::Remove(std::string_view id, const http::Bounds& /*bounds*/) {
  const auto found = std::find_if(containers_.begin(), containers_.end(),
                                  [&](const Held& held) { return held.id == id || held.container.name == id; });
  if (found == containers_.end()) {
    return EngineError{.kind = EngineError::Kind::kNotFound, .sent = http::Sent::kMaybe, .status = 404};
  }
  removals_.push_back(found->container.name);
  if (found->container.removal) {
    return *found->container.removal;
  }
  containers_.erase(found);
  return base::Done{};
}

Answer<std::vector<ContainerListed>> MemoryEngine::ListByLabel(std::string_view label, const http::Bounds& /*bounds*/) {
  if (failing_listing_) {
    return *failing_listing_;
  }
  std::vector<ContainerListed> listed;
  for (const Held& held : containers_) {
    if (held.container.labels.contains(std::string(label))) {
      listed.push_back({.id = held.id, .names = {held.container.name}, .labels = held.container.labels});
    }
  }
  return listed;
}

Answer<std::vector<ContainerListed>> MemoryEngine::ListByName(std::string_view name, const http::Bounds& /*bounds*/) {
  if (failing_listing_) {
    return *failing_listing_;
  }
  std::vector<ContainerListed> listed;
  for (const Held& held : containers_) {
    if (held.container.name == name) {
      listed.push_back({.id = held.id, .names = {held.container.name}, .labels = held.container.labels});
    }
  }
  return listed;
}

}  // namespace plimsoll::docker
