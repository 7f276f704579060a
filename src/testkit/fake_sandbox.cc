#include "testkit/fake_sandbox.h"

#include <utility>

namespace plimsoll::testkit {
namespace {

// What a test said comes next, or success.
base::Status Next(std::deque<base::Status>& told) {
  if (told.empty()) {
    return base::Ok();
  }
  base::Status next = std::move(told.front());
  told.pop_front();
  return next;
}

}  // namespace

void FakeSandbox::Note(const char* word) {
  auto state = state_.Lock();
  state->asked += state->asked.empty() ? "" : " ";
  state->asked += word;
}

provider::KeptCall FakeSandbox::NextAnswer(State& state, const std::string& code) const {
  if (!state.answers.empty()) {
    provider::KeptCall next = std::move(state.answers.front());
    state.answers.pop_front();
    return next;
  }
  run::JavaScriptResult result;
  result.stdout_bytes = code;
  run::Report report;
  report.provider = provider_;
  report.tier = facts_.tier;
  report.environment = facts_.environment;
  report.software_identity = facts_.software_identity;
  report.instance = facts_.instance;
  report.duration = std::chrono::milliseconds(1);
  report.result = std::move(result);
  return {std::move(report)};
}

void FakeSandbox::Run(provider::Order order, provider::KeptCallDone done) {
  Note("run");
  const bool is_snippet = order.request.kind() == run::Kind::kJavaScript;
  const std::string code = is_snippet ? order.request.javascript().code : "";
  {
    auto state = state_.Lock();
    if (state->gone || !state->holding) {
      provider::KeptCall answer = state->gone
                                      ? provider::KeptCall{base::Fault{base::FaultKind::kUnavailable, "it is removed"}}
                                      : NextAnswer(*state, code);
      state.lock().unlock();
      done(std::move(answer));
      return;
    }
  }
  // Made outside the lock, since it may run at once; what it ends is entered afterwards.
  auto on_stop = std::make_unique<std::stop_callback<std::function<void()>>>(
      order.stop, [this] { EndHeld(provider::KeptCall{base::Fault{base::FaultKind::kCanceled, "the caller left"}}); });
  {
    auto state = state_.Lock();
    state->held.emplace(Held{code, std::move(done), std::move(on_stop)});
    changed_.notify_all();
  }
  if (order.stop.stop_requested()) {
    EndHeld(provider::KeptCall{base::Fault{base::FaultKind::kCanceled, "the caller left"}});
  }
}

void FakeSandbox::EndHeld(std::optional<provider::KeptCall> answer) {
  std::optional<Held> held;
  {
    auto state = state_.Lock();
    held = std::exchange(state->held, std::nullopt);
    if (held && !answer) {
      answer = NextAnswer(*state, held->code);
    }
  }
  if (held) {
    held->done(*std::move(answer));
  }
}

void FakeSandbox::Release() {
  state_.Lock()->holding = false;
  EndHeld(std::nullopt);
}

bool FakeSandbox::AwaitHeld(base::SteadyTime deadline) {
  auto state = state_.Lock();
  return changed_.wait_until(state.lock(), deadline, [&] { return state->held.has_value(); });
}

void FakeSandbox::Suspend(base::SteadyTime /*deadline*/, base::UniqueFunction<void(base::Status)> done) {
  Note("suspend");
  base::Status status = Next(state_.Lock()->suspends);
  done(std::move(status));
}

void FakeSandbox::Remove(base::UniqueFunction<void(base::Status)> done) {
  Note("remove");
  base::Status status = Next(state_.Lock()->removals);
  if (!status) {
    return done(std::move(status));
  }
  EndHeld(provider::KeptCall{base::Fault{base::FaultKind::kInternal, "removed under its call"}});
  {
    auto state = state_.Lock();
    state->gone = true;
    if (state->holding_removal) {
      state->removal = std::move(done);
      return;
    }
  }
  done(base::Ok());
}

void FakeSandbox::ReleaseRemoval() {
  base::UniqueFunction<void(base::Status)> done;
  {
    auto state = state_.Lock();
    state->holding_removal = false;
    done = std::exchange(state->removal, {});
  }
  if (done) {
    done(base::Ok());
  }
}

}  // namespace plimsoll::testkit
