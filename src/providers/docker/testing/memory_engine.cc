#include "providers/docker/testing/memory_engine.h"

#include <algorithm>
#include <thread>

#include "base/sha256.h"

namespace plimsoll::docker {

namespace {

EngineError NotBuilt() {
  return {.kind = EngineError::Kind::kRefused, .sent = http::Sent::kMaybe, .status = 501, .detail = "not built"};
}

EngineError NotFound() { return {.kind = EngineError::Kind::kNotFound, .sent = http::Sent::kMaybe, .status = 404}; }

EngineImage Image(char digit) {
  EngineImage image;
  image.id = "sha256:" + std::string(64, digit);
  image.environment = {"PATH=/usr/local/bin:/bin", "LANG=C"};
  image.os = "linux";
  image.architecture = "amd64";
  return image;
}

}  // namespace

EngineScript GoodEngine() {
  EngineScript script;
  script.version.engine = "20.10.24";
  script.version.api = "1.41";
  script.version.os = "linux";
  script.version.architecture = "amd64";
  script.version.components = {{"runc", "1.1.5"}};
  script.info.runtimes = {{"runc", "runc"}, {"runsc", "/usr/local/bin/runsc"}};
  script.info.default_runtime = "runc";
  script.info.memory_limit = script.info.swap_limit = script.info.pids_limit = script.info.cpu_quota = true;
  script.images = {{"snippet", Image('a')}, {"project", Image('b')}};
  return script;
}

std::string MemoryEngine::Add(Container container) {
  std::string id = base::Sha256Hex(std::to_string(++made_));
  containers_.push_back({.id = id, .container = std::move(container)});
  return id;
}

void MemoryEngine::SetState(std::string_view id, std::optional<ContainerState> state) {
  Find(id)->container.state = std::move(state);
}

std::vector<std::string> MemoryEngine::Names() const {
  std::vector<std::string> names;
  for (const Held& held : containers_) {
    names.push_back(held.container.name);
  }
  return names;
}

std::vector<MemoryEngine::Held>::iterator MemoryEngine::Find(std::string_view id) {
  return std::ranges::find_if(containers_,
                              [&](const Held& held) { return held.id == id || held.container.name == id; });
}

template <typename Wanted>
Answer<std::vector<ContainerListed>> MemoryEngine::List(Wanted wanted) const {
  if (failing_listing_) {
    return *failing_listing_;
  }
  std::vector<ContainerListed> listed;
  for (const auto& [id, container] : containers_) {
    if (wanted(container)) {
      listed.push_back({.id = id, .names = {container.name}, .labels = container.labels});
    }
  }
  return listed;
}

Answer<EngineVersion> MemoryEngine::Negotiate(const http::Bounds& /*bounds*/) {
  std::chrono::milliseconds delay;
  {
    auto script = script_->Lock();
    ++script->negotiations;
    delay = script->delay;
  }
  std::this_thread::sleep_for(delay);
  auto script = script_->Lock();
  if (script->error) {
    return *script->error;
  }
  return script->version;
}

Answer<EngineInfo> MemoryEngine::Info(const http::Bounds& /*bounds*/) {
  auto script = script_->Lock();
  if (script->error) {
    return *script->error;
  }
  return script->info;
}

Answer<EngineImage> MemoryEngine::InspectImage(std::string_view reference, std::string_view platform,
                                               const http::Bounds& /*bounds*/) {
  auto script = script_->Lock();
  script->platforms.emplace_back(platform);
  if (script->error) {
    return *script->error;
  }
  const auto image = script->images.find(std::string(reference));
  if (image == script->images.end()) {
    return NotFound();
  }
  return image->second;
}

Answer<std::string> MemoryEngine::Create(std::string_view /*name*/, std::string_view /*platform*/, std::string /*body*/,
                                         const http::Bounds& /*bounds*/) {
  return NotBuilt();
}
Answer<Attached> MemoryEngine::Attach(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<base::Done> MemoryEngine::Start(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }

Answer<ContainerState> MemoryEngine::Inspect(std::string_view id, const http::Bounds& /*bounds*/) {
  const auto found = Find(id);
  if (found == containers_.end() || !found->container.state) {
    return NotFound();
  }
  return *found->container.state;
}

Answer<ContainerRecord> MemoryEngine::Examine(std::string_view /*id*/, const http::Bounds& /*bounds*/) {
  return NotBuilt();
}
Answer<base::Done> MemoryEngine::Pause(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }
Answer<base::Done> MemoryEngine::Unpause(std::string_view /*id*/, const http::Bounds& /*bounds*/) { return NotBuilt(); }

Answer<base::Done> MemoryEngine::Remove(std::string_view id, const http::Bounds& /*bounds*/) {
  const auto found = Find(id);
  if (found == containers_.end()) {
    return NotFound();
  }
  removals_.push_back(found->container.name);
  if (found->container.removal) {
    return *found->container.removal;
  }
  containers_.erase(found);
  return base::Done{};
}

Answer<std::vector<ContainerListed>> MemoryEngine::ListByLabel(std::string_view label, const http::Bounds& /*bounds*/) {
  return List([&](const Container& one) { return one.labels.contains(std::string(label)); });
}

Answer<std::vector<ContainerListed>> MemoryEngine::ListById(std::string_view /*id*/, const http::Bounds& /*bounds*/) {
  return NotBuilt();
}

Answer<std::vector<ContainerListed>> MemoryEngine::ListByName(std::string_view name, const http::Bounds& /*bounds*/) {
  return List([&](const Container& one) { return one.name == name; });
}

}  // namespace plimsoll::docker
