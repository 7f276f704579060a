#include "testkit/fake_provider.h"

#include <utility>

namespace plimsoll::testkit {

run::Report SnippetReport(const isolation::Profile& profile, isolation::StatedTier tier, std::string stdout_bytes) {
  run::JavaScriptResult result;
  result.stdout_bytes = std::move(stdout_bytes);
  run::Report report;
  report.provider = profile.provider;
  report.tier = tier;
  if (profile.javascript) {
    report.environment = profile.javascript->identity;
    report.software_identity = profile.javascript->software_identity;
  }
  report.duration = std::chrono::milliseconds(1);
  report.result = std::move(result);
  return report;
}

isolation::Profile SnippetProfile() {
  isolation::Environment javascript;
  javascript.identity = "fake:sha256:" + std::string(64, '0');
  javascript.default_timeout = std::chrono::milliseconds(5'000);
  javascript.max_timeout = std::chrono::milliseconds(30'000);
  isolation::Profile profile;
  profile.provider = "fake";
  profile.javascript = std::move(javascript);
  return profile;
}

isolation::Profile SessionProfile() {
  isolation::Profile profile = SnippetProfile();
  profile.session = profile.javascript;
  profile.session->identity = "fake:sha256:" + std::string(64, '1');
  profile.session->software_identity = "oci-manifest:fake";
  profile.session->languages = {"javascript"};
  return profile;
}

FakeProvider::~FakeProvider() {
  auto held = std::exchange(state_.Lock()->held, {});
  for (auto& [number, run] : held) {
    run.on_stop.reset();
    run.done(base::Fault{base::FaultKind::kInternal, "the fake provider is gone"});
  }
}

isolation::StatedTier FakeProvider::Tier() const { return state_.Lock()->tier; }

base::Status FakeProvider::Preflight(base::SteadyTime /*deadline*/) { return state_.Lock()->preflight; }

base::Status FakeProvider::SmokeTest(base::SteadyTime /*deadline*/) { return state_.Lock()->smoke_test; }

base::Result<std::size_t> FakeProvider::ReapOrphans(base::SteadyTime /*deadline*/) {
  return std::exchange(state_.Lock()->orphans, std::size_t{0});
}

void FakeProvider::Run(provider::Order order, provider::RunDone done) {
  const bool is_snippet = order.request.kind() == run::Kind::kJavaScript;
  const std::string code = is_snippet ? order.request.javascript().code : "";
  std::uint64_t number = 0;
  {
    auto state = state_.Lock();
    state->principals.push_back(order.principal);
    if (state->deleting_late && order.slots != nullptr) {
      state->undeleted.push_back(std::move(*order.slots));
    }
    if (!state->holding) {
      auto answer = NextAnswer(*state, code);
      state.lock().unlock();
      done(std::move(answer));
      return;
    }
    number = state->next++;
  }
  // Made outside the lock, since it may run at once; the run is entered afterwards and looks at the token itself.
  auto on_stop =
      std::make_unique<std::stop_callback<std::function<void()>>>(order.stop, [this, number] { Cancel(number); });
  {
    auto state = state_.Lock();
    state->held.emplace(number, Held{number, code, std::move(done), std::move(on_stop)});
    changed_.notify_all();
  }
  if (order.stop.stop_requested()) {
    Cancel(number);
  }
}

void FakeProvider::Open(provider::OpenOrder order, provider::OpenDone done) {
  {
    auto state = state_.Lock();
    if (!state->opens.empty()) {
      base::Error answer = std::move(state->opens.front());
      state->opens.pop_front();
      state.lock().unlock();
      return done(std::move(answer));
    }
    if (state->holding_opens) {
      state->held_opens.emplace_back(std::move(order), std::move(done));
      return;
    }
  }
  Make(std::move(order), std::move(done), [](FakeSandbox&) {});
}

void FakeProvider::Make(provider::OpenOrder order, provider::OpenDone done,
                        const std::function<void(FakeSandbox&)>& tell) {
  if (!profile_.session) {
    return provider::Provider::Open(std::move(order), std::move(done));
  }
  provider::SandboxFacts facts{Tier(), profile_.session->identity, profile_.session->software_identity, ""};
  auto sandbox = std::make_shared<FakeSandbox>(profile_.provider, std::move(facts), std::move(order));
  tell(*sandbox);
  state_.Lock()->sandboxes.push_back(sandbox);
  done(std::shared_ptr<provider::Sandbox>(std::move(sandbox)));
}

bool FakeProvider::ReleaseOpenThen(const std::function<void(FakeSandbox&)>& tell) {
  auto state = state_.Lock();
  if (state->held_opens.empty()) {
    return false;
  }
  auto [order, done] = std::move(state->held_opens.front());
  state->held_opens.pop_front();
  state.lock().unlock();
  Make(std::move(order), std::move(done), tell);
  return true;
}

base::Status FakeProvider::Drain(base::SteadyTime deadline) {
  auto state = state_.Lock();
  if (!changed_.wait_until(state.lock(), deadline, [&] { return state->held.empty() && state->undeleted.empty(); })) {
    return base::Fault{base::FaultKind::kDeadline, "runs are left"};
  }
  return base::Ok();
}

bool FakeProvider::ReleaseOne() {
  auto state = state_.Lock();
  if (state->held.empty()) {
    return false;
  }
  auto run = std::move(state->held.extract(state->held.begin()).mapped());
  auto answer = NextAnswer(*state, run.code);
  state.lock().unlock();
  changed_.notify_all();
  run.on_stop.reset();
  run.done(std::move(answer));
  return true;
}

void FakeProvider::Release() {
  state_.Lock()->holding = false;
  while (ReleaseOne()) {
  }
}

void FakeProvider::EndDeletes() {
  std::vector<base::Cleanup> gone;  // run when the lock is given up
  gone.swap(state_.Lock()->undeleted);
  changed_.notify_all();
}

bool FakeProvider::AwaitHeld(std::size_t count, base::SteadyTime deadline) {
  auto state = state_.Lock();
  return changed_.wait_until(state.lock(), deadline, [&] { return state->held.size() >= count; });
}

base::Result<run::Report> FakeProvider::NextAnswer(State& state, const std::string& code) {
  if (state.answers.empty()) {
    return SnippetReport(profile_, state.tier, code);
  }
  auto answer = std::move(state.answers.front());
  state.answers.pop_front();
  return answer;
}

// The caller of a held run has left. Runs on the thread that asked for the stop.
void FakeProvider::Cancel(std::uint64_t number) {
  auto state = state_.Lock();
  const auto found = state->held.find(number);
  if (found == state->held.end()) {
    return;
  }
  auto run = std::move(state->held.extract(found).mapped());
  state.lock().unlock();
  changed_.notify_all();
  run.done(base::Fault{base::FaultKind::kCanceled, "the caller left"});
}

}  // namespace plimsoll::testkit
