#include "rpc/service_for_test.h"

#include <initializer_list>

#include "base/check.h"
#include "base/sha256.h"

namespace plimsoll::rpc::test {

callers::Gate TokenGate() { return callers::Gate::FromSharedToken(kTestToken).value(); }

callers::Gate RegistryGate(std::string_view scopes) {
  return callers::Gate::FromRegistry("{\"clients\":[{\"id\":\"limited\",\"token_sha256\":\"" +
                                     base::Sha256Hex(kTestToken) + "\",\"scopes\":" + std::string(scopes) + "}]}")
      .value();
}

run::Report SnippetReport(std::string out) {
  run::Report report;
  report.provider = "wasm";
  report.tier = isolation::Tier::kProcess;
  report.environment = "quickjs-wasm:sha256:" + std::string(64, 'a');
  report.duration = std::chrono::milliseconds(3);
  run::JavaScriptResult result;
  result.stdout_bytes = std::move(out);
  report.result = std::move(result);
  return report;
}

isolation::ProbeReport SomeProbes() {
  using isolation::Probe;
  return {
      .provider = "wasm",
      .tier = isolation::Tier::kProcess,
      .environment = "quickjs-wasm:sha256:" + std::string(64, 'a'),
      .policy = "",
      .daemon_version = "0.2.0",
      .runtime_version = "quickjs-ng 0.17.0",
      .started_unix_ms = 1'700'000'000'000,
      .ended_unix_ms = 1'700'000'000'060,
      .probes = {{"snippet/memory", Probe::Outcome::kSkip, "filled the memory", "no memory here", 0},
                 {"snippet/run", Probe::Outcome::kPass, "ran a snippet", "it printed the word", 1'700'000'000'010}}};
}

ScriptedProvider::ScriptedProvider() {
  profile.provider = "wasm";
  profile.javascript = isolation::Environment{.identity = "quickjs-wasm:sha256:" + std::string(64, 'a'),
                                              .software_identity = {},
                                              .default_timeout = std::chrono::seconds(5),
                                              .max_timeout = std::chrono::seconds(30),
                                              .languages = {"javascript"}};
  profile.resources.memory_mb = 256;
  answer = [](const provider::Order&) -> base::Result<run::Report> { return SnippetReport("42\n"); };
}

void ScriptedProvider::Run(provider::Order order, provider::RunDone done) {
  ran.push_back(order.request.as_sent());
  if (hold) {
    return hold(std::move(order), std::move(done));
  }
  done(answer(order));
}

void ScriptedProvider::Open(provider::OpenOrder order, provider::OpenDone done) {
  if (!profile.session) {
    return provider::Provider::Open(std::move(order), std::move(done));
  }
  sandboxes.push_back(std::make_shared<testkit::FakeSandbox>(
      profile.provider, provider::SandboxFacts{tier, profile.session->identity, profile.session->software_identity, ""},
      std::move(order)));
  done(std::shared_ptr<provider::Sandbox>(sandboxes.back()));
}

Fixture::Fixture(callers::Gate gate, admission::Quotas quotas, int decode_slots, const sessions::Options& kept)
    : dispatcher({.operator_floor = isolation::Floor::Absent(), .quotas = quotas}, provider, clock, random, log),
      sessions(kept, isolation::Floor::Absent(), provider, dispatcher, random, log),
      service({.gate = std::move(gate),
               .decode_slots = decode_slots,
               .readiness =
                   [this](base::UniqueFunction<void(bool)> asked) { readiness_asked.push_back(std::move(asked)); }},
              dispatcher, sessions, log) {}

std::shared_ptr<FakeExchange> Fixture::Begin(http::RequestHead head, std::string body, http::Response* refused) {
  auto decided = service.OnHead(head);
  if (auto* answer = std::get_if<http::Response>(&decided)) {
    PLIMSOLL_CHECK(refused != nullptr);
    *refused = std::move(*answer);
    return nullptr;
  }
  auto& read = std::get<http::ReadBody>(decided);
  if (body.size() > read.max_body) {
    PLIMSOLL_CHECK(refused != nullptr);
    *refused = service.OnBodyTooLarge(head);
    return nullptr;
  }
  auto exchange = std::make_shared<FakeExchange>(std::move(head), std::move(body), std::move(read.hold));
  service.OnRequest(exchange);
  return exchange;
}

http::Response Fixture::Ask(http::RequestHead head, std::string body) {
  http::Response refused;
  const auto exchange = Begin(std::move(head), std::move(body), &refused);
  if (exchange == nullptr) {
    return refused;
  }
  auto answer = exchange->Answer();
  PLIMSOLL_CHECK(answer.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  return answer.get();
}

http::RequestHead Head(std::string_view procedure, std::string_view content_type) {
  http::RequestHead head;
  head.method = "POST";
  head.target = procedure.starts_with('/') ? std::string(procedure)
                                           : std::string("/plimsoll.v1.SandboxService/").append(procedure);
  head.version = http::Version::kHttp2;
  head.headers.Add("authorization", std::string("Bearer ").append(kTestToken));
  head.headers.Add("content-type", content_type);
  head.headers.Add("plimsoll-request-id", kRequestId);
  return head;
}

http::RequestHead With(http::RequestHead head,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> more) {
  for (const auto& [name, value] : more) {
    head.headers.Add(name, value);
  }
  return head;
}

http::RequestHead Without(http::RequestHead head, std::string_view name) {
  http::Headers kept;
  for (const http::Header& field : head.headers) {
    if (field.name != name) {
      kept.Add(field.name, field.value);
    }
  }
  head.headers = std::move(kept);
  return head;
}

}  // namespace plimsoll::rpc::test
