#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/docker/provider.h"
#include "providers/docker/testing/recording_launcher.h"
#include "providers/docker/testing/stub_preflight.h"
#include "run/request.h"
#include "run/result.h"
#include "testkit/capture_log.h"

// What tests of a provider over a real engine share. The engine is PLIMSOLL_TEST_DOCKER_HOST, the images
// PLIMSOLL_TEST_SNIPPET_IMAGE and PLIMSOLL_TEST_PROJECT_IMAGE; a test without an engine fails, and is never skipped.
namespace plimsoll::docker {

// The settings of the tests: real engine, real images, the agent of this build. `runtime`: `runc` or `runsc`.
Settings LiveSettings(const std::string& runtime);

// A provider on the real engine, its images looked up and taken as proven without a battery, so that a test that breaks
// a run says so by itself.
class LiveProvider {
 public:
  // `around` may put another engine around the real one.
  using Around = std::function<std::shared_ptr<Engine>(std::shared_ptr<Engine>)>;
  explicit LiveProvider(const Settings& settings, const Around& around = {});
  // Fails the test when a container of this provider is left.
  ~LiveProvider();

  // False when the engine is missing; the test has failed then.
  bool ok() const { return provider_ != nullptr; }
  Provider& provider() { return *provider_; }
  const testkit::CaptureLog& log() const { return log_; }
  testkit::CaptureLog& log() { return log_; }
  Engine& engine() { return *state_->engine; }
  const std::shared_ptr<const State>& state() const { return state_; }
  StubPreflight& preflight() { return *preflight_; }

  // Runs a request to its end.
  base::Result<run::Report> Run(const run::Request& request, std::stop_token stop = {});
  // A snippet or project that must give a result; else the test fails and it is empty.
  run::JavaScriptResult Snippet(std::string code, std::chrono::milliseconds timeout = {});
  run::ProjectResult Project(run::Project project, std::chrono::milliseconds timeout = {});

  // Waits until so many members of a role wait in the pool.
  bool AwaitPool(Role role, std::size_t count, std::chrono::seconds longest = std::chrono::seconds(30));
  // Waits until no container of this provider is there; the names of those that are left.
  std::vector<std::string> LeftAfter(std::chrono::seconds longest);
  // Names of the containers that this provider has made and that are there now.
  std::vector<std::string> Containers();

 private:
  os::SystemClock clock_;
  os::SystemRandom random_;
  testkit::CaptureLog log_;
  std::shared_ptr<RecordingLauncher::Names> names_ = std::make_shared<RecordingLauncher::Names>();
  std::shared_ptr<const State> state_;
  StubPreflight* preflight_ = nullptr;  // the provider's
  std::unique_ptr<Provider> provider_;
};

run::Request SnippetRequest(std::string code, std::chrono::milliseconds timeout = {}, std::string floor = {});
run::Request ProjectRequest(run::Project project, std::chrono::milliseconds timeout = {});

}  // namespace plimsoll::docker
