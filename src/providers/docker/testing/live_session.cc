#include "providers/docker/testing/live_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <utility>

#include "providers/docker/engine/connections.h"
#include "providers/docker/engine/testing/live_engine.h"

namespace plimsoll::docker {
namespace {

using std::chrono::seconds;

constexpr seconds kLongest{180};

// The value of a promise that must be kept.
template <typename Value>
Value Await(std::promise<Value>& promise) {
  auto future = promise.get_future();
  if (future.wait_for(kLongest) != std::future_status::ready) {
    ADD_FAILURE() << "a kept sandbox gave no answer";
    std::abort();  // its callback would outlive what it refers to
  }
  return future.get();
}

}  // namespace

LiveSession::LiveSession(LiveProvider& live, seconds life) : live_(live) {
  const auto before = live_.Containers();
  std::promise<base::Result<std::shared_ptr<provider::Sandbox>>> promise;
  live_.provider().Open(
      {.principal = "test",
       .ends = std::chrono::time_point_cast<base::WallTime::duration>(std::chrono::system_clock::now()) + life,
       .ended =
           [ends = ends_](run::SessionEnded end) {
             auto desk = ends->desk.Lock();
             desk->end = std::move(end);
             ++desk->told;
             ends->changed.notify_all();
           }},
      [&promise](auto opened) { promise.set_value(std::move(opened)); });
  auto opened = Await(promise);
  if (!opened) {
    ADD_FAILURE() << base::TextOf(opened.error());
    for (const auto& record : live_.log().Records()) {
      ADD_FAILURE() << record.text;
    }
    return;
  }
  sandbox_ = std::move(*opened);
  for (const std::string& name : live_.Containers()) {
    if (std::ranges::find(before, name) == before.end()) {
      name_ = name;
    }
  }
}

LiveSession::~LiveSession() {
  if (ok()) {
    static_cast<void>(Remove());
  }
}

std::string LiveSession::id() {
  auto listed = live_.engine().ListByName(name_, Within(seconds(10)));
  const auto* containers = std::get_if<std::vector<ContainerListed>>(&listed);
  return containers == nullptr || containers->empty() ? "" : containers->front().id;
}

provider::KeptCall LiveSession::Call(const run::Request& request, std::stop_token stop) {
  std::promise<provider::KeptCall> promise;
  sandbox_->Run({.request = request, .principal = "test", .stop = std::move(stop)},
                [&promise](provider::KeptCall call) { promise.set_value(std::move(call)); });
  return Await(promise);
}

namespace {

template <typename Wanted>
Wanted ResultOf(provider::KeptCall call) {
  if (!call.outcome) {
    ADD_FAILURE() << base::TextOf(call.outcome.error());
    return {};
  }
  if (call.ended) {
    ADD_FAILURE() << run::Name(call.ended->reason) << ": " << call.ended->detail;
  }
  return std::get<Wanted>(std::move(call.outcome->result));
}

}  // namespace

run::JavaScriptResult LiveSession::Snippet(std::string code, std::chrono::milliseconds timeout) {
  return ResultOf<run::JavaScriptResult>(Call(SnippetRequest(std::move(code), timeout)));
}

run::ProjectResult LiveSession::Project(run::Project project, std::chrono::milliseconds timeout) {
  return ResultOf<run::ProjectResult>(Call(ProjectRequest(std::move(project), timeout)));
}

std::string LiveSession::Shell(std::string step) {
  run::Project project;
  project.steps = {std::move(step)};
  auto result = Project(std::move(project));
  if (result.steps.size() != 1 || result.steps.front().exit_code != 0) {
    ADD_FAILURE() << result.outcome_detail << (result.steps.empty() ? "" : result.steps.front().stderr_bytes);
    return {};
  }
  return std::move(result.steps.front().stdout_bytes);
}

base::Status LiveSession::Suspend() {
  std::promise<base::Status> promise;
  sandbox_->Suspend(std::chrono::steady_clock::now() + seconds(90),
                    [&promise](base::Status status) { promise.set_value(std::move(status)); });
  return Await(promise);
}

base::Status LiveSession::Remove() {
  std::promise<base::Status> promise;
  sandbox_->Remove([&promise](base::Status status) { promise.set_value(std::move(status)); });
  return Await(promise);
}

std::optional<run::SessionEnded> LiveSession::AwaitEnd(seconds longest) {
  auto desk = ends_->desk.Lock();
  ends_->changed.wait_for(desk.lock(), longest, [&] { return desk->end.has_value(); });
  return desk->end;
}

int PostToEngine(const std::string& target, const std::string& body) {
  const char* host = std::getenv("PLIMSOLL_TEST_DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe): as everywhere in tests
  auto connections = Connections::Create(std::string(host == nullptr ? "unix:///none" : host).substr(7), 1 << 20);
  if (!connections) {
    return 0;
  }
  http::ClientRequest request{.method = "POST", .target = target, .headers = {}, .body = body};
  request.headers.Add("content-type", "application/json");
  const auto outcome = (*connections)->Call(request, Within(seconds(30)));
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response != nullptr && response->status >= 300) {
    ADD_FAILURE() << target << ": " << response->body;
  }
  return response == nullptr ? 0 : response->status;
}

}  // namespace plimsoll::docker
