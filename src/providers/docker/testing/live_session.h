#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "provider/sandbox.h"
#include "providers/docker/testing/live_provider.h"

namespace plimsoll::docker {

// A kept sandbox of a provider on the real engine, as a session would use it. Every wait has a limit that only a broken
// test reaches, and then the process ends: what waits for the answer would be gone.
class LiveSession {
 public:
  explicit LiveSession(LiveProvider& live, std::chrono::seconds life = std::chrono::seconds(600));
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  // Removes the sandbox.
  ~LiveSession();

  // False when it could not be opened; the test has failed then.
  bool ok() const { return sandbox_ != nullptr; }
  provider::Sandbox& sandbox() { return *sandbox_; }
  // The one container that this session has, by name and by id.
  const std::string& name() const { return name_; }
  std::string id();

  provider::KeptCall Call(const run::Request& request, std::stop_token stop = {});
  // Calls that must give a result and end nothing; else the test fails and it is empty.
  run::JavaScriptResult Snippet(std::string code, std::chrono::milliseconds timeout = {});
  run::ProjectResult Project(run::Project project, std::chrono::milliseconds timeout = {});
  // The standard output of one step that must exit with 0.
  std::string Shell(std::string step);

  base::Status Suspend();
  base::Status Remove();
  // Lets go of the sandbox without removing it.
  void Drop() { sandbox_.reset(); }

  // The end that was told between two calls, if one comes in time.
  std::optional<run::SessionEnded> AwaitEnd(std::chrono::seconds longest);
  // How often an end was told between two calls.
  int ends_told() { return ends_->desk.Lock()->told; }

 private:
  struct Ends {
    struct Desk {
      std::optional<run::SessionEnded> end;
      int told = 0;
    };
    base::Guarded<Desk> desk;
    std::condition_variable changed;
  };

  LiveProvider& live_;
  std::shared_ptr<Ends> ends_ = std::make_shared<Ends>();  // shared with the callback, whichever lives longer
  std::shared_ptr<provider::Sandbox> sandbox_;
  std::string name_;
};

// What the engine answers to a POST that the provider has no use for; the status, 0 without an answer.
int PostToEngine(const std::string& target, const std::string& body);

}  // namespace plimsoll::docker
