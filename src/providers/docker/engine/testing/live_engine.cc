#include "providers/docker/engine/testing/live_engine.h"

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/hex.h"
#include "os/system_random.h"

namespace plimsoll::docker {

namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing in a test sets one
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::unique_ptr<Engine> LiveEngine() {
  constexpr std::string_view kPrefix = "unix://";
  const std::string host = Variable("PLIMSOLL_TEST_DOCKER_HOST");
  if (!host.starts_with(kPrefix)) {
    ADD_FAILURE() << "set PLIMSOLL_TEST_DOCKER_HOST to unix:// and the socket of a running engine (make docker-up)";
    return nullptr;
  }
  auto engine = Engine::Create(host.substr(kPrefix.size()));
  if (!engine) {
    ADD_FAILURE() << base::TextOf(engine.error());
    return nullptr;
  }
  const auto version = (*engine)->Negotiate(Within(std::chrono::seconds(10)));
  if (const auto* error = std::get_if<EngineError>(&version)) {
    ADD_FAILURE() << "no engine answers at " << host << ": " << error->detail;
    return nullptr;
  }
  return std::move(*engine);
}

std::string TestImage() {
  std::string image = Variable("PLIMSOLL_TEST_IMAGE");
  return image.empty() ? "plimsoll/sandbox:latest" : image;
}

http::Bounds Within(std::chrono::milliseconds time) { return {.deadline = std::chrono::steady_clock::now() + time}; }

std::string FreshName() {
  std::array<std::byte, 8> bytes{};
  os::SystemRandom().Fill(bytes);
  return "t-engine-" + base::HexOf(bytes);
}

Removed::~Removed() { static_cast<void>(engine_.Remove(name_, Within(std::chrono::seconds(10)))); }

}  // namespace plimsoll::docker
