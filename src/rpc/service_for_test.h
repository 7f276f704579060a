#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "callers/gate.h"
#include "dispatch/dispatcher.h"
#include "http/handler.h"
#include "rpc/service.h"
#include "sessions/sessions.h"
#include "testkit/capture_log.h"
#include "testkit/fake_random.h"
#include "testkit/fake_sandbox.h"

// A service around a provider that a test scripts, driven without sockets.
namespace plimsoll::rpc::test {

inline constexpr std::string_view kTestToken = "0123456789abcdef0123456789abcdef";
inline constexpr std::string_view kRequestId = "00112233445566778899aabbccddeeff";

// A fixed calendar, and real time for deadlines.
class TestClock final : public base::Clock {
 public:
  base::WallTime Wall() const override { return base::WallTime(std::chrono::seconds(1'700'000'000)); }
  base::SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }
};

// Runs nothing: answers with what the test put in. Beside what testkit's fake does, it keeps the drafts that reached
// it, hands its orders to the test, and lets it change the offer.
class ScriptedProvider final : public provider::Provider {
 public:
  ScriptedProvider();

  const isolation::Profile& Offer() const override { return profile; }
  isolation::StatedTier Tier() const override { return tier; }
  base::Status Preflight(base::SteadyTime) override { return base::Ok(); }
  base::Status SmokeTest(base::SteadyTime) override { return base::Ok(); }
  base::Status Drain(base::SteadyTime) override { return base::Ok(); }
  void Run(provider::Order order, provider::RunDone done) override;
  // Makes a sandbox that the test tells what to do, where the profile has an environment for sessions.
  void Open(provider::OpenOrder order, provider::OpenDone done) override;
  std::shared_ptr<const isolation::ProbeReport> Probes() const override { return probes; }

  isolation::Profile profile;  // a wasm-like one
  std::shared_ptr<const isolation::ProbeReport> probes;
  isolation::StatedTier tier = isolation::Tier::kProcess;
  std::function<base::Result<run::Report>(const provider::Order&)> answer;
  // When set, a run is not ended by Run; the test ends it.
  std::function<void(provider::Order, provider::RunDone)> hold;
  std::vector<run::Draft> ran;
  std::vector<std::shared_ptr<testkit::FakeSandbox>> sandboxes;
};

// The report of a snippet that printed `out`.
run::Report SnippetReport(std::string out);

// Two probes, not in the order of their ids.
isolation::ProbeReport SomeProbes();

// One exchange, its answer kept.
class FakeExchange final : public http::Exchange {
 public:
  FakeExchange(http::RequestHead head, std::string body, base::Cleanup hold)
      : head_(std::move(head)), body_(std::move(body)), hold_(std::move(hold)) {}

  const http::RequestHead& head() const override { return head_; }
  std::string& body() override { return body_; }
  std::stop_token client_gone() const override { return gone_.get_token(); }
  base::Cleanup& hold() override { return hold_; }
  void Send(http::Response response) override {
    ++sent_;
    answer_.set_value(std::move(response));
  }

  void LeaveClient() { gone_.request_stop(); }
  std::future<http::Response> Answer() { return answer_.get_future(); }
  int sent() const { return sent_; }

 private:
  http::RequestHead head_;
  std::string body_;
  base::Cleanup hold_;
  std::stop_source gone_;
  std::promise<http::Response> answer_;
  int sent_ = 0;
};

// One shared token, kTestToken.
callers::Gate TokenGate();
// A registry of one caller, `limited`, whose token is kTestToken and who has these scopes, a JSON array.
callers::Gate RegistryGate(std::string_view scopes);

// A service with its surroundings. The members may be changed before a request.
struct Fixture {
  explicit Fixture(callers::Gate gate = TokenGate(), admission::Quotas quotas = {}, int decode_slots = 16,
                   const sessions::Options& kept = {});

  // What a server does with one request: the answer, waited for.
  http::Response Ask(http::RequestHead head, std::string body);
  // The same up to OnRequest. Null with `refused` set when the head was refused.
  std::shared_ptr<FakeExchange> Begin(http::RequestHead head, std::string body, http::Response* refused = nullptr);

  TestClock clock;
  testkit::FakeRandom random;
  testkit::CaptureLog log;
  ScriptedProvider provider;
  dispatch::Dispatcher dispatcher;
  sessions::Sessions sessions;
  std::vector<base::UniqueFunction<void(bool)>> readiness_asked;
  Service service;
};

// A head for a procedure of plimsoll.v1 by its name, or for any by its path, with the token and a request ID.
http::RequestHead Head(std::string_view procedure, std::string_view content_type);
// The same with more fields.
http::RequestHead With(http::RequestHead head,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> more);
// Without one field.
http::RequestHead Without(http::RequestHead head, std::string_view name);

}  // namespace plimsoll::rpc::test
