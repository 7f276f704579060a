#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "provider/sandbox.h"
#include "run/session_end.h"

namespace plimsoll::testkit {

// A kept sandbox that does what a test tells it. By default every call is answered at once with the code it was given
// as its output, and a suspend and a removal succeed at once. Thread-safe.
class FakeSandbox final : public provider::Sandbox {
 public:
  // `provider` is stated in every report.
  FakeSandbox(std::string provider, provider::SandboxFacts facts, provider::OpenOrder order)
      : provider_(std::move(provider)), facts_(std::move(facts)), order_(std::move(order)) {}

  const provider::SandboxFacts& Facts() const override { return facts_; }
  void Run(provider::Order order, provider::KeptCallDone done) override;
  void Suspend(base::SteadyTime deadline, base::UniqueFunction<void(base::Status)> done) override;
  // Ends the call that is held, as a container does that is removed under its call.
  void Remove(base::UniqueFunction<void(base::Status)> done) override;

  // What the next calls are answered with, one each; then the default again.
  void AnswerNext(provider::KeptCall answer) { state_.Lock()->answers.push_back(std::move(answer)); }
  // From now on a call is held, as one whose code runs, until it is released, its caller leaves or the sandbox goes.
  void Hold() { state_.Lock()->holding = true; }
  // Answers the call that is held and holds no more.
  void Release();
  // Waits until a call is held. False when `deadline` comes first.
  bool AwaitHeld(base::SteadyTime deadline);
  // What the next suspends and removals come to, one each.
  void SuspendNext(base::Status status) { state_.Lock()->suspends.push_back(std::move(status)); }
  void RemoveNext(base::Status status) { state_.Lock()->removals.push_back(std::move(status)); }
  // From now on a removal is not done until it is released.
  void HoldRemoval() { state_.Lock()->holding_removal = true; }
  void ReleaseRemoval();
  // The sandbox ends by itself between two calls.
  void EndByItself(run::SessionEnded how) { order_.ended(std::move(how)); }

  // What it was asked so far, one word each: `run`, `suspend`, `remove`.
  std::string Asked() { return state_.Lock()->asked; }
  bool gone() { return state_.Lock()->gone; }

 private:
  struct Held {
    std::string code;
    provider::KeptCallDone done;
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_stop;
  };
  struct State {
    std::deque<provider::KeptCall> answers;
    std::deque<base::Status> suspends;
    std::deque<base::Status> removals;
    bool holding = false;
    bool holding_removal = false;
    bool gone = false;
    std::string asked;
    std::optional<Held> held;
    base::UniqueFunction<void(base::Status)> removal;
  };
  void Note(const char* word);
  provider::KeptCall NextAnswer(State& state, const std::string& code) const;
  void EndHeld(std::optional<provider::KeptCall> answer);

  const std::string provider_;
  const provider::SandboxFacts facts_;
  provider::OpenOrder order_;
  base::Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace plimsoll::testkit
