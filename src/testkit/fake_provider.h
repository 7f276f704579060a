#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/cleanup.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "provider/provider.h"
#include "run/result.h"
#include "testkit/fake_sandbox.h"

namespace plimsoll::testkit {

// A report of a snippet that printed `stdout_bytes` and exited with 0, from a provider of this name and tier.
run::Report SnippetReport(const isolation::Profile& profile, isolation::StatedTier tier, std::string stdout_bytes);

// SnippetProfile with an environment for sessions, of software `oci-manifest:fake`, that states JavaScript.
isolation::Profile SessionProfile();

// The offer of a provider named `fake` that runs snippets, with the identities and limits of a real one.
isolation::Profile SnippetProfile();

// A provider that does what a test tells it. By default it is of tier `process`, offers SnippetProfile, and answers
// every run at once, on the caller's thread, with the code it was given as the output. Thread-safe.
class FakeProvider final : public provider::Provider {
 public:
  explicit FakeProvider(isolation::Profile profile = SnippetProfile()) : profile_(std::move(profile)) {}
  // Answers the runs that are held with a Fault.
  ~FakeProvider() override;

  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override;
  base::Status Preflight(base::SteadyTime deadline) override;
  base::Status SmokeTest(base::SteadyTime deadline) override;
  std::shared_ptr<const isolation::ProbeReport> Probes() const override { return state_.Lock()->probes; }
  base::Result<std::size_t> ReapOrphans(base::SteadyTime deadline) override;
  void Run(provider::Order order, provider::RunDone done) override;
  // Makes a FakeSandbox at once where the profile has an environment for sessions.
  void Open(provider::OpenOrder order, provider::OpenDone done) override;
  // Waits until no run is held and no sandbox is left.
  base::Status Drain(base::SteadyTime deadline) override;

  void SetTier(isolation::StatedTier tier) { state_.Lock()->tier = tier; }
  void SetPreflight(base::Status status) { state_.Lock()->preflight = std::move(status); }
  void SetSmokeTest(base::Status status) { state_.Lock()->smoke_test = std::move(status); }
  void SetProbes(isolation::ProbeReport report) {
    state_.Lock()->probes = std::make_shared<const isolation::ProbeReport>(std::move(report));
  }
  // What the next reaping answers; it finds nothing otherwise.
  void SetOrphans(base::Result<std::size_t> orphans) { state_.Lock()->orphans = std::move(orphans); }
  // What the next runs are answered with, one each; then the default again.
  void AnswerNext(base::Result<run::Report> answer) { state_.Lock()->answers.push_back(std::move(answer)); }

  // From now on runs are held, as a slow guest would be, until they are released or their caller leaves (Fault
  // kCanceled).
  void Hold() { state_.Lock()->holding = true; }
  // Answers the run held longest, as AnswerNext and the default say. False when none is held.
  bool ReleaseOne();
  // Answers every held run and holds no more.
  void Release();
  // From now on a run's sandbox outlives its answer, as one that is deleted afterwards does, until EndDeletes.
  void DeleteLate() { state_.Lock()->deleting_late = true; }
  // Every sandbox left is gone.
  void EndDeletes();

  // What the next opens are answered with, one each, in place of a sandbox.
  void AnswerNextOpen(base::Error answer) { state_.Lock()->opens.push_back(std::move(answer)); }
  // From now on an open is held until ReleaseOpen, which makes its sandbox.
  void HoldOpens() { state_.Lock()->holding_opens = true; }
  bool ReleaseOpen() {
    return ReleaseOpenThen([](FakeSandbox&) {});
  }
  // The same; `tell` tells the sandbox what to do before anybody calls it. False when no open is held.
  bool ReleaseOpenThen(const std::function<void(FakeSandbox&)>& tell);
  // The sandboxes made so far, in order.
  std::vector<std::shared_ptr<FakeSandbox>> Sandboxes() { return state_.Lock()->sandboxes; }

  // Waits until so many runs are held. False when `deadline` comes first.
  bool AwaitHeld(std::size_t count, base::SteadyTime deadline);

  // The principals of all runs so far, in order.
  std::vector<std::string> Principals() { return state_.Lock()->principals; }

 private:
  struct Held {
    std::uint64_t number;
    std::string code;
    provider::RunDone done;
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_stop;
  };
  struct State {
    isolation::StatedTier tier = isolation::Tier::kProcess;
    base::Status preflight = base::Ok();
    base::Status smoke_test = base::Ok();
    std::shared_ptr<const isolation::ProbeReport> probes;
    base::Result<std::size_t> orphans = std::size_t{0};
    std::deque<base::Result<run::Report>> answers;
    bool holding = false;
    bool deleting_late = false;
    std::vector<base::Cleanup> undeleted;
    std::map<std::uint64_t, Held> held;
    std::uint64_t next = 1;
    std::vector<std::string> principals;
    std::deque<base::Error> opens;
    bool holding_opens = false;
    std::deque<std::pair<provider::OpenOrder, provider::OpenDone>> held_opens;
    std::vector<std::shared_ptr<FakeSandbox>> sandboxes;
  };
  void Make(provider::OpenOrder order, provider::OpenDone done, const std::function<void(FakeSandbox&)>& tell);
  base::Result<run::Report> NextAnswer(State& state, const std::string& code);
  void Cancel(std::uint64_t number);

  const isolation::Profile profile_;
  mutable base::Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace plimsoll::testkit
