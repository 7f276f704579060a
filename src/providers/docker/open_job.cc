#include "providers/docker/open_job.h"

#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include "isolation/tier.h"

namespace plimsoll::docker {
namespace {

using OnStop = std::stop_callback<std::function<void()>>;

constexpr std::chrono::seconds kOpenLimit{60};

base::Refusal CallerLeft() { return {base::Rule::kCanceled, "the caller left while the sandbox was opened"}; }

}  // namespace

OpenJob::OpenJob(const KeptShop& shop, provider::OpenOrder order, provider::OpenDone done, base::Cleanup kept)
    : shop_(shop), order_(std::move(order)), done_(std::move(done)), hold_(Hold{.kept = std::move(kept)}) {}

void OpenJob::Work(std::shared_ptr<Strand> strand) {
  std::stop_source stop;
  const OnStop on_caller(order_.stop, [&stop] { stop.request_stop(); });
  const OnStop on_shutdown(shop_.shutdown, [&stop] { stop.request_stop(); });
  auto container = Make({.deadline = shop_.shop.clock.Steady() + kOpenLimit, .stop = stop.get_token()});
  if (!container) {
    hold_.Release();
    return done_(std::move(container).error());
  }
  done_(std::shared_ptr<provider::Sandbox>(
      std::make_shared<KeptSandbox>(KeptSandbox::Parts{.container = std::move(*container),
                                                       .hold = std::move(hold_),
                                                       .strand = std::move(strand),
                                                       .ended = std::move(order_.ended),
                                                       .launcher = shop_.shop.launcher,
                                                       .removers = shop_.removers,
                                                       .shutdown = shop_.shutdown})));
}

// The floor is held against the state that the sandbox is made on (DOC-8).
base::Result<std::shared_ptr<const State>> OpenJob::Ready(const http::Bounds& bounds) {
  auto state = shop_.shop.preflight.Check(bounds.deadline);
  if (!state) {
    return state;
  }
  if (auto refusal = isolation::RefuseBelow(order_.floor, (*state)->tier)) {
    return std::move(*refusal);
  }
  if (!(*state)->images.contains(Role::kProject)) {
    return base::Refusal{base::Rule::kUnsupported, "no image for projects is configured, which sessions need"};
  }
  if (bounds.stop.stop_requested()) {
    return CallerLeft();
  }
  shop_.shop.pool.SetGround(*state);
  return state;
}

base::Result<std::unique_ptr<Sandbox>> OpenJob::Launch(std::shared_ptr<const State> state, const http::Bounds& bounds) {
  std::unique_ptr<Sandbox> remains;
  auto made = shop_.shop.launcher.Launch(
      std::move(state), Role::kProject,
      {.ends = order_.ends, .host_socket = {}, .purpose = Purpose::kSession, .remains = &remains}, bounds);
  if (hold_.place) {
    hold_.place->Made();
  }
  if (!made && remains != nullptr) {
    return Without(std::move(remains), made.error());
  }
  return made;
}

// The error of an open that made something: a refusal once it is gone again.
base::Error OpenJob::Without(std::unique_ptr<Sandbox> made, const base::Error& error) {
  const std::array<base::LogField, 2> fields = {
      {{"container", std::string_view(made->name())}, {"detail", base::TextOf(error)}}};
  shop_.shop.log.Write(base::Severity::kWarn, "docker: a sandbox to be kept could not be made", fields);
  if (!shop_.shop.launcher.Remove(std::move(made))) {
    return base::Fault{base::FaultKind::kUnavailable, "a sandbox could not be made, and what was made not be removed"};
  }
  if (order_.stop.stop_requested()) {
    return CallerLeft();
  }
  return base::Refusal{base::Rule::kUnavailable, "a sandbox could not be made ready for a session"};
}

base::Result<std::unique_ptr<KeptContainer>> OpenJob::Make(const http::Bounds& bounds) {
  auto entered = shop_.shop.enter(bounds);
  if (!entered) {
    return std::move(entered).error();
  }
  hold_.entered = std::move(*entered);
  auto state = Ready(bounds);
  if (!state) {
    return std::move(state).error();
  }
  auto place = shop_.shop.pool.TakeRoom(bounds);
  if (!place) {
    return std::move(place).error();
  }
  hold_.place = std::move(*place);
  auto made = Launch(std::move(*state), bounds);
  if (!made) {
    return std::move(made).error();
  }
  auto container = std::make_unique<KeptContainer>(KeptContainer::Tools{.launcher = shop_.shop.launcher,
                                                                        .clock = shop_.shop.clock,
                                                                        .log = shop_.shop.log,
                                                                        .disk_budget = shop_.disk_budget},
                                                   std::move(*made));
  auto accepted = container->Accept(bounds);
  if (accepted && bounds.stop.stop_requested()) {
    accepted = CallerLeft();
  }
  if (!accepted) {
    return Without(container->TakeSandbox(), accepted.error());
  }
  // It is no run: while it waits for calls, members of the pool may be made.
  hold_.place->Answered();
  return container;
}

}  // namespace plimsoll::docker
