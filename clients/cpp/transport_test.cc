// The client over real sockets: where a call can end, and what is then said of it.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "clients/cpp/fake_daemon_for_test.h"
#include "http/server.h"
#include "http/testing_certificate.h"
#include "lying_daemon/lying_daemon.h"

namespace plimsoll::client {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing_lies::LyingDaemon;
using testing_lies::Saying;

// Kept: the daemon reads it while it answers.
const json& Lie(const char* text) {
  static std::vector<std::unique_ptr<json>> kept;
  return *kept.emplace_back(std::make_unique<json>(json::parse(text)));
}

ClientOptions At(const std::string& url, milliseconds timeout = milliseconds(10'000)) {
  return {.base_url = url, .request_timeout = timeout};
}
ClientOptions At(const LyingDaemon& daemon, milliseconds timeout = milliseconds(10'000)) {
  return At("http://127.0.0.1:" + std::to_string(daemon.port()), timeout);
}

Error RunAndFail(const ClientOptions& options, std::stop_token cancel = {}) {
  RunOptions run;
  run.cancel = std::move(cancel);
  auto result = Client::Create(options).value().RunJavaScript("1", run);
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

// A call canceled after `delay`: its error, and how long it took to come back after the cancellation.
std::pair<Error, milliseconds> RunAndCancel(const ClientOptions& options, milliseconds delay) {
  std::stop_source source;
  std::chrono::steady_clock::time_point canceled;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(delay);
    canceled = std::chrono::steady_clock::now();
    source.request_stop();
  });
  Error error = RunAndFail(options, source.get_token());
  const auto returned = std::chrono::steady_clock::now();
  canceler.join();
  return {std::move(error), std::chrono::duration_cast<milliseconds>(returned - canceled)};
}

TEST(Transport, C21_IsRefusedWhenCanceledBeforeItSends) {
  std::stop_source source;
  source.request_stop();
  const Error error = RunAndFail(At("http://127.0.0.1:1"), source.get_token());
  EXPECT_EQ(error.error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(error.not_dispatched, NotDispatched::kRequest);
}

TEST(Transport, C21_IsUnmarkedAndQuickWhenCanceledWhileItWaits) {
  LyingDaemon daemon(Lie("{}"), Lie(R"({"end":"silence"})"));
  const auto [error, took] = RunAndCancel(At(daemon), milliseconds(150));
  EXPECT_EQ(error.error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(error.code, Code::kCanceled);
  EXPECT_EQ(error.not_dispatched, std::nullopt);
  EXPECT_LT(took, milliseconds(1000));  // 100 ms, and room for a machine that is busy
}

// The answer to an OpenSession, a byte every 2 ms: longer than a test waits before it cancels.
const json& SlowOpen() {
  return Lie(R"({"json":{"sessionId":"00112233445566778899aabbccddeeff","sandbox":"docker","isolation":"kernel",
      "session":"5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720"},"trickle_ms":2})");
}

TEST(Transport, LetsAnOpenRunToItsAnswerAndClosesWhatACanceledOneHasOpened) {
  const json& nothing = Lie("{}");
  LyingDaemon daemon(std::vector<Saying>{{nothing, SlowOpen()}, {nothing, nothing}});
  std::stop_source source;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(milliseconds(100));
    source.request_stop();
  });
  const Client client = Client::Create(At(daemon)).value();
  const auto session = client.OpenSession({}, {.cancel = source.get_token()});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(session.error().not_dispatched, std::nullopt);
  EXPECT_EQ(daemon.Called(), (std::vector<std::string>{"OpenSession", "CloseSession"}));
}

TEST(Transport, LetsACloseRunToItsAnswer) {
  const json& nothing = Lie("{}");
  const json& open = Lie(R"({"json":{"sessionId":"00112233445566778899aabbccddeeff","sandbox":"docker",
      "session":"5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720"}})");
  const json& close = Lie(R"({"json":{"ended":"SESSION_END_CLOSED",
      "session":"5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720"},"trickle_ms":2})");
  LyingDaemon daemon(std::vector<Saying>{{nothing, open}, {nothing, close}});
  auto session = Client::Create(At(daemon)).value().OpenSession();
  std::stop_source source;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(milliseconds(100));
    source.request_stop();
  });
  const auto summary = session->Close({.cancel = source.get_token()});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_TRUE(source.stop_requested());
}

TEST(Transport, R23_StopsASessionWhoseCallWasCanceledOnTheWay) {
  const json& nothing = Lie("{}");
  const json& open = Lie(R"({"json":{"sessionId":"00112233445566778899aabbccddeeff","sandbox":"docker",
      "session":"5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720"}})");
  const json& silence = Lie(R"({"end":"silence"})");
  std::optional<Session> session;
  LyingDaemon daemon(std::vector<Saying>{{nothing, open}, {nothing, silence}});
  session = Client::Create(At(daemon)).value().OpenSession().value();
  std::stop_source source;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(milliseconds(100));
    source.request_stop();
  });
  RunOptions options;
  options.cancel = source.get_token();
  const auto result = session->RunJavaScript("1", options);
  EXPECT_EQ(result.error().error_class, ErrorClass::kRequestCanceled);
  EXPECT_EQ(result.error().not_dispatched, std::nullopt);
  EXPECT_TRUE(session->stopped());
  EXPECT_EQ(session->RunJavaScript("2").error().error_class, ErrorClass::kSessionStopped);
}

TEST(Transport, C24_IsRefusedWhenNobodyListensToAnOpen) {
  const auto session = Client::Create(At("http://127.0.0.1:1")).value().OpenSession();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().error_class, ErrorClass::kTransport);
  EXPECT_EQ(session.error().not_dispatched, NotDispatched::kEnvironment);
}

TEST(Transport, C22_FollowsNoRedirect) {
  for (const char* lie : {R"({"status":301,"text":"","headers":{"Location":"/"}})",
                          R"({"status":307,"text":"","headers":{"Location":"/"}})",
                          R"({"status":308,"text":"","headers":{"Location":"/"}})"}) {
    LyingDaemon daemon(Lie("{}"), Lie(lie));
    const Error error = RunAndFail(At(daemon));
    EXPECT_EQ(error.code, Code::kUnknown);
    EXPECT_FALSE(daemon.WasCalledAgain());
  }
}

TEST(Transport, C23_ReadsNoMoreThan32MiBAndNoLongerThanItsDeadline) {
  LyingDaemon large(Lie("{}"), Lie(R"({"filler_bytes":34603008})"));
  EXPECT_EQ(RunAndFail(At(large)).error_class, ErrorClass::kResponseTooLarge);
  LyingDaemon slow(Lie(R"({"sandbox":"wasm"})"), Lie(R"({"trickle_ms":200})"));
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(RunAndFail(At(slow, milliseconds(400))).error_class, ErrorClass::kRequestTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - started, milliseconds(1400));
}

TEST(Transport, C24_IsRefusedWhenNobodyListens) {
  const Error error = RunAndFail(At("http://127.0.0.1:1"));
  EXPECT_EQ(error.error_class, ErrorClass::kTransport);
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_EQ(error.not_dispatched, NotDispatched::kEnvironment);
}

TEST(Transport, C24_IsUnmarkedWhenTheConnectionEndsAfterTheRequest) {
  LyingDaemon daemon(Lie("{}"), Lie(R"({"end":"close"})"));
  const Error error = RunAndFail(At(daemon));
  EXPECT_EQ(error.error_class, ErrorClass::kTransport);
  EXPECT_EQ(error.not_dispatched, std::nullopt);
}

// Answers every Run honestly.
class HonestHandler final : public http::Handler {
 public:
  std::variant<http::Response, http::ReadBody> OnHead(const http::RequestHead&) override {
    return http::ReadBody{.max_body = 1 << 20, .hold = {}};
  }
  void OnRequest(std::shared_ptr<http::Exchange> exchange) override {
    http::Response response{.status = 200, .headers = {}, .body = HonestRun(exchange->body()).dump(), .trailers = {}};
    response.headers.Add("content-type", "application/json");
    response.headers.Add("plimsoll-request-id", exchange->head().headers.First("plimsoll-request-id").value_or(""));
    exchange->Send(std::move(response));
  }
  http::Response OnBodyTooLarge(const http::RequestHead&) override { return {}; }
  void OnPlumbing(const http::RequestHead*, http::Response&) override {}
};

TEST(Transport, C24_IsRefusedWhenTheCertificateIsNotTrusted) {
  const http::TestCertificate certificate("localhost");
  HonestHandler handler;
  http::ServerOptions options;
  options.tls = certificate.pair();
  const auto server = http::Server::Bind(std::move(options), handler).value();
  server->Serve();
  const std::string port = std::to_string(server->port());

  const Error untrusted = RunAndFail(At("https://localhost:" + port));
  EXPECT_EQ(untrusted.error_class, ErrorClass::kTransport);
  EXPECT_EQ(untrusted.not_dispatched, NotDispatched::kEnvironment);

  ClientOptions trusting = At("https://localhost:" + port);
  trusting.ca_file = certificate.certificate_file();
  const auto result = Client::Create(trusting).value().RunJavaScript("1");
  EXPECT_TRUE(result) << result.error().message;

  trusting.base_url = "https://127.0.0.1:" + port;
  EXPECT_EQ(RunAndFail(trusting).not_dispatched, NotDispatched::kEnvironment);  // a certificate for another name
}

TEST(Transport, NamesAFileOfAuthoritiesThatCannotBeRead) {
  ClientOptions options = At("https://localhost:1");
  options.ca_file = "/nonexistent.pem";
  const auto client = Client::Create(options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().error_class, ErrorClass::kInvalidOption);
}

TEST(Transport, C25_ReportsARefusalSentBeforeTheBodyWasRead) {
  const json refusal = {
      {"status", 401}, {"end", "answer_before_body"}, {"json", ErrorWithDetail("unauthenticated", "\x08\x02")}};
  const json honest = json::object();
  LyingDaemon daemon(honest, refusal);
  Project project{.files = {{"big.txt", std::string(4'000'000, 'x')}}, .steps = {"true"}};
  const auto result = Client::Create(At(daemon)).value().RunProject(std::move(project));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kUnauthenticated) << result.error().message;
  EXPECT_EQ(result.error().not_dispatched, NotDispatched::kPermission);
}

}  // namespace
}  // namespace plimsoll::client
