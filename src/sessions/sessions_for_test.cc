#include "sessions/sessions_for_test.h"

#include <thread>
#include <utility>

namespace plimsoll::sessions::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

Fixture::Fixture(Options options, admission::Quotas quotas, isolation::Profile profile)
    : provider(std::move(profile)),
      dispatcher({isolation::Floor::Absent(), quotas}, provider, clock, random, log),
      sessions(options, isolation::Floor::Absent(), provider, dispatcher, random, log) {
  provider.SetTier(isolation::Tier::kContainer);
}

// The order of a daemon that stops.
Fixture::~Fixture() {
  for (const auto& sandbox : provider.Sandboxes()) {
    sandbox->ReleaseRemoval();
  }
  PLIMSOLL_CHECK(sessions.Drain(Soon()));
  sessions.Stop();
  PLIMSOLL_CHECK(dispatcher.totals().in_flight == 0);
}

admission::Quotas Ample() {
  return {.max_concurrent = 100, .per_caller_concurrent = 0, .rate_per_minute = 0, .rate_burst = 0};
}

Options Lasting(admission::SessionCaps caps) { return {.caps = caps, .lifetime = 1h, .idle = 30min}; }

Awaited<base::Result<Opened>> Fixture::Open(const Asking& asking) {
  auto promise = std::make_shared<std::promise<base::Result<Opened>>>();
  Awaited<base::Result<Opened>> answer(promise->get_future());
  sessions.Open({.asked = asking.open,
                 .floor = asking.floor,
                 .principal = asking.principal,
                 .patience = {asking.deadline, asking.gone}},
                [promise](base::Result<Opened> opened) { promise->set_value(std::move(opened)); });
  return answer;
}

Awaited<Called> Fixture::Call(const std::string& id, const std::string& code, const Calls& calls) {
  auto promise = std::make_shared<std::promise<Called>>();
  Awaited<Called> answer(promise->get_future());
  auto session = sessions.Find(id, calls.principal);
  if (!session) {
    promise->set_value({{std::move(session).error()}});
    return answer;
  }
  run::Draft draft{.protocol = 5,
                   .minimum_isolation = calls.floor,
                   .trace_id = {},
                   .timeout_ms = 0,
                   .software_rule = calls.rule,
                   .payload = run::JavaScript{code, ""}};
  sessions.Run(*session,
               {.request = run::Request::Validate(std::move(draft), run::Request::Cells::kAllowed).value(),
                .principal = calls.principal,
                .received = {clock.Wall(), clock.Steady()},
                .exchange_deadline = calls.deadline,
                .client_gone = calls.gone},
               [promise](Called called) { promise->set_value(std::move(called)); });
  return answer;
}

Awaited<base::Result<Closed>> Fixture::Close(const std::string& id, const Calls& calls) {
  auto promise = std::make_shared<std::promise<base::Result<Closed>>>();
  Awaited<base::Result<Closed>> answer(promise->get_future());
  auto session = sessions.Find(id, calls.principal);
  if (!session) {
    promise->set_value(std::move(session).error());
    return answer;
  }
  sessions.Close(*session, {calls.deadline, calls.gone},
                 [promise](base::Result<Closed> closed) { promise->set_value(std::move(closed)); });
  return answer;
}

base::SteadyTime Soon(std::chrono::milliseconds by) { return std::chrono::steady_clock::now() + by; }

bool Eventually(const std::function<bool()>& is_so) {
  const auto deadline = Soon();
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

std::optional<base::Rule> RuleOf(const Called& called) { return RuleOf(called.concluded.answer); }

std::optional<run::SessionEnd> EndOf(const Called& called) {
  return called.ended ? std::optional(called.ended->reason) : std::nullopt;
}

std::string PrintedBy(const Called& called) {
  return std::get<run::JavaScriptResult>(called.concluded.answer.value().report.result).stdout_bytes;
}

const records::Record& RecordOf(const Called& called) {
  return called.concluded.answer ? called.concluded.answer->record : called.concluded.unanswered.value();
}

}  // namespace plimsoll::sessions::test
