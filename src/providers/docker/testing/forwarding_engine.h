#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// An engine that asks another one, so that a test can change one of its answers.
class ForwardingEngine : public Engine {
 public:
  explicit ForwardingEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Answer<EngineVersion> Negotiate(const http::Bounds& bounds) override { return engine_->Negotiate(bounds); }
  Answer<EngineInfo> Info(const http::Bounds& bounds) override { return engine_->Info(bounds); }
  Answer<EngineImage> InspectImage(std::string_view reference, std::string_view platform,
                                   const http::Bounds& bounds) override {
    return engine_->InspectImage(reference, platform, bounds);
  }
  Answer<std::string> Create(std::string_view name, std::string_view platform, std::string body,
                             const http::Bounds& bounds) override {
    return engine_->Create(name, platform, std::move(body), bounds);
  }
  Answer<Attached> Attach(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Attach(id, bounds);
  }
  Answer<base::Done> Start(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Start(id, bounds);
  }
  Answer<ContainerState> Inspect(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Inspect(id, bounds);
  }
  Answer<ContainerRecord> Examine(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Examine(id, bounds);
  }
  Answer<base::Done> Pause(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Pause(id, bounds);
  }
  Answer<base::Done> Unpause(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Unpause(id, bounds);
  }
  Answer<base::Done> Remove(std::string_view id, const http::Bounds& bounds) override {
    return engine_->Remove(id, bounds);
  }
  Answer<std::vector<ContainerListed>> ListByLabel(std::string_view label, const http::Bounds& bounds) override {
    return engine_->ListByLabel(label, bounds);
  }
  Answer<std::vector<ContainerListed>> ListByName(std::string_view name, const http::Bounds& bounds) override {
    return engine_->ListByName(name, bounds);
  }
  Answer<std::vector<ContainerListed>> ListById(std::string_view id, const http::Bounds& bounds) override {
    return engine_->ListById(id, bounds);
  }

 private:
  const std::shared_ptr<Engine> engine_;  // shared with the test, which uses it beside this one
};

}  // namespace plimsoll::docker
