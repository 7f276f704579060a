#include "providers/docker/kept_sandbox.h"

#include <utility>

namespace plimsoll::docker {
namespace {

using provider::KeptCall;
using run::SessionEnded;

provider::SandboxFacts FactsOf(const Sandbox& sandbox) {
  const State& state = *sandbox.state();
  const VerifiedImage& image = state.images.at(sandbox.role());
  return {
      .tier = state.tier, .environment = image.identity, .software_identity = image.software_identity, .instance = {}};
}

}  // namespace

KeptSandbox::KeptSandbox(Parts parts)
    : facts_(FactsOf(parts.container->sandbox())),
      strand_(std::move(parts.strand)),
      launcher_(parts.launcher),
      removers_(parts.removers),
      on_shutdown_(std::move(parts.shutdown), [this] { interrupt_.request_stop(); }),
      container_(std::move(parts.container)),
      hold_(std::move(parts.hold)),
      ended_(std::move(parts.ended)) {}

KeptSandbox::~KeptSandbox() {
  if (container_ == nullptr) {
    return;
  }
  removers_.Submit([&launcher = launcher_, sandbox = container_->TakeSandbox(), hold = std::move(hold_)]() mutable {
    launcher.Remove(std::move(sandbox));
    hold.Release();
  });
}

// --- calls

void KeptSandbox::Run(provider::Order order, provider::KeptCallDone done) {
  ++desk_.Lock()->waiting;
  strand_->Post([self = shared_from_this(), order = std::move(order), done = std::move(done)]() mutable {
    self->Serve(order, done);
  });
}

// Of a call whose turn has come: what is to be said without the sandbox.
std::optional<KeptCall> KeptSandbox::AnswerWithoutACall() {
  auto desk = desk_.Lock();
  --desk->waiting;
  if (const std::optional<SessionEnded>& ended = desk->ended) {
    desk->told = true;
    return KeptCall{.outcome = base::Refusal{base::Rule::kUnavailable, "the session has ended: " + ended->detail},
                    .ended = ended};
  }
  if (desk->removing || container_ == nullptr) {
    return KeptCall{.outcome = base::Fault{base::FaultKind::kCanceled, "the sandbox is being removed"}};
  }
  return std::nullopt;
}

void KeptSandbox::Serve(const provider::Order& order, provider::KeptCallDone& done) {
  if (auto answer = AnswerWithoutACall()) {
    return done(std::move(*answer));
  }
  KeptCall answer = container_->Call(order, interrupt_.get_token());
  if (interrupt_.stop_requested() && base::RefusalIn(answer.outcome) != nullptr) {
    answer.outcome = base::Fault{base::FaultKind::kCanceled, "the sandbox was removed before the call began"};
  }
  const bool is_over = answer.ended.has_value();
  if (is_over) {
    auto desk = desk_.Lock();
    desk->ended = answer.ended;
    desk->told = true;
  }
  done(std::move(answer));
  if (!is_over) {
    SweepUp();
  }
}

// An end is told once: by the call that waits, or else here.
void KeptSandbox::SweepUp() {
  auto end = container_->SweepUp(interrupt_.get_token());
  if (!end) {
    return;
  }
  {
    auto desk = desk_.Lock();
    desk->ended = end;
    if (desk->waiting > 0 || desk->removing || std::exchange(desk->told, true)) {
      return;
    }
  }
  if (auto tell = std::exchange(ended_, {})) {
    tell(std::move(*end));
  }
}

// --- suspending and removing

void KeptSandbox::Suspend(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)> done) {
  strand_->Post(
      [self = shared_from_this(), deadline, done = std::move(done)]() mutable { self->Freeze(deadline, done); });
}

void KeptSandbox::Freeze(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)>& done) {
  {
    auto desk = desk_.Lock();
    if (desk->ended || desk->removing || container_ == nullptr) {
      return done(base::Fault{base::FaultKind::kUnavailable, "the sandbox has ended"});
    }
  }
  auto frozen = container_->Suspend({.deadline = deadline, .stop = interrupt_.get_token()});
  if (!frozen) {
    auto desk = desk_.Lock();
    desk->ended =
        SessionEnded{.reason = run::SessionEnd::kBoundaryFailed, .detail = "the sandbox could not be suspended"};
    desk->told = true;  // by this answer
  }
  done(std::move(frozen));
}

void KeptSandbox::Remove(base::UniqueFunction<void(base::Status)> done) {
  desk_.Lock()->removing = true;
  interrupt_.request_stop();
  strand_->Post([self = shared_from_this(), done = std::move(done)]() mutable { done(self->TakeDown()); });
}

base::Status KeptSandbox::TakeDown() {
  if (container_ == nullptr) {
    return base::Ok();
  }
  if (!container_->Remove()) {
    return base::Fault{base::FaultKind::kUnavailable, "a container could not be removed"};
  }
  container_.reset();
  ended_ = {};
  hold_.Release();
  return base::Ok();
}

}  // namespace plimsoll::docker
