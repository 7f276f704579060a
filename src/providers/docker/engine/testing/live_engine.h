#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// The real engine of the tests, from PLIMSOLL_TEST_DOCKER_HOST, negotiated. Fails the test, and is null, when the
// variable is missing or the engine does not answer: a test of a real engine is never skipped.
std::unique_ptr<Engine> LiveEngine();

// The image to make containers from: PLIMSOLL_TEST_IMAGE, or the project image's usual name.
std::string TestImage();

http::Bounds Within(std::chrono::milliseconds time);

// A fresh name with the prefix of this suite's containers.
std::string FreshName();

// Removes the container at the end of a test, whatever became of it.
class Removed {
 public:
  Removed(Engine& engine, std::string name) : engine_(engine), name_(std::move(name)) {}
  ~Removed();
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;

 private:
  Engine& engine_;
  const std::string name_;
};

}  // namespace plimsoll::docker
