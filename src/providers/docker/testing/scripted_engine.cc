#include "providers/docker/testing/scripted_engine.h"

#include <thread>

namespace plimsoll::docker {
namespace {

EngineError Unscripted() {
  return {.kind = EngineError::Kind::kRefused, .sent = http::Sent::kMaybe, .status = 501, .detail = "unscripted"};
}

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

Answer<EngineVersion> ScriptedEngine::Negotiate(const http::Bounds& /*bounds*/) {
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

Answer<EngineInfo> ScriptedEngine::Info(const http::Bounds& /*bounds*/) {
  auto script = script_->Lock();
  if (script->error) {
    return *script->error;
  }
  return script->info;
}

Answer<EngineImage> ScriptedEngine::InspectImage(std::string_view reference, std::string_view platform,
                                                 const http::Bounds& /*bounds*/) {
  auto script = script_->Lock();
  script->platforms.emplace_back(platform);
  if (script->error) {
    return *script->error;
  }
  const auto image = script->images.find(std::string(reference));
  if (image == script->images.end()) {
    return EngineError{
        .kind = EngineError::Kind::kNotFound, .sent = http::Sent::kMaybe, .status = 404, .detail = "no such image"};
  }
  return image->second;
}

Answer<ContainerState> ScriptedEngine::Inspect(std::string_view id, const http::Bounds& /*bounds*/) {
  auto script = script_->Lock();
  const auto container = script->containers.find(std::string(id));
  if (container == script->containers.end()) {
    return EngineError{
        .kind = EngineError::Kind::kNotFound, .sent = http::Sent::kMaybe, .status = 404, .detail = "no such container"};
  }
  return container->second;
}

Answer<std::string> ScriptedEngine::Create(std::string_view, std::string_view, std::string, const http::Bounds&) {
  return Unscripted();
}
Answer<Attached> ScriptedEngine::Attach(std::string_view, const http::Bounds&) { return Unscripted(); }
Answer<base::Done> ScriptedEngine::Start(std::string_view, const http::Bounds&) { return Unscripted(); }
Answer<base::Done> ScriptedEngine::Remove(std::string_view, const http::Bounds&) { return Unscripted(); }
Answer<std::vector<ContainerListed>> ScriptedEngine::ListByLabel(std::string_view, const http::Bounds&) {
  return Unscripted();
}
Answer<std::vector<ContainerListed>> ScriptedEngine::ListByName(std::string_view, const http::Bounds&) {
  return Unscripted();
}

}  // namespace plimsoll::docker
