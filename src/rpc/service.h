#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/deadlines.h"
#include "base/log.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "callers/gate.h"
#include "dispatch/dispatcher.h"
#include "http/handler.h"
#include "rpc/answer.h"
#include "rpc/answer_in_flight.h"
#include "rpc/decode_slots.h"
#include "rpc/head.h"
#include "rpc/refused_credentials.h"
#include "sessions/sessions.h"

namespace plimsoll::rpc {

struct Options {
  callers::Gate gate;
  // Requests read or decoded at once: twice the run slots in force (wire.md 3). One caller may hold half.
  int decode_slots = 16;
  // Must be set. Asks whether runs can be served now; answers once, on any thread. Called from several threads at a
  // time.
  base::UniqueFunction<void(base::UniqueFunction<void(bool)>)> readiness;
};

// The RPC listener: the sandbox service over Connect, gRPC and gRPC-Web, and the two probes. Translates and orders the
// checks of a request; decides nothing that the dispatcher decides.
class Service final : public http::Handler {
 public:
  // The references must outlive this. Destroy it after the server is gone and every run has ended.
  Service(Options options, dispatch::Dispatcher& dispatcher, sessions::Sessions& sessions, base::LogSink& log);

  std::variant<http::Response, http::ReadBody> OnHead(const http::RequestHead& head) override;
  void OnRequest(std::shared_ptr<http::Exchange> exchange) override;
  http::Response OnBodyTooLarge(const http::RequestHead& head) override;
  void OnPlumbing(const http::RequestHead* head, http::Response& response) override;

  // Refused credentials since the start, for the metrics page.
  std::uint64_t refused_credentials() const { return refused_credentials_.total(); }

 private:
  // A request whose head passed every check.
  struct Incoming {
    std::shared_ptr<http::Exchange> exchange;
    Reply reply;
    Asked asked;
    callers::Caller caller;
    dispatch::Received received;
    std::optional<base::SteadyTime> deadline;
  };

  std::variant<http::Response, http::ReadBody> OnProbe(const Reply& reply, const http::RequestHead& head, Place place);
  void AnswerReady(std::shared_ptr<http::Exchange> exchange);
  base::Result<callers::Caller> Admit(const http::RequestHead& head) const;
  http::Response RefuseCredentials(const Reply& reply, const base::Error& error);
  Incoming Receive(std::shared_ptr<http::Exchange> exchange, Asked asked, callers::Caller caller) const;
  void Call(Incoming incoming);

  template <typename Message>
  std::optional<Message> Read(const Incoming& incoming) const;
  template <typename Message>
  struct Enveloped {
    Message message;
    run::Envelope envelope;
  };
  template <typename Message>
  std::optional<Enveloped<Message>> ReadEnveloped(const Incoming& incoming);
  void Refuse(const Incoming& incoming, const base::Error& error);
  void Watch(AnswerInFlight& answer, const Incoming& incoming, AnswerInFlight::AtDeadline at);
  bool RefusePassedDeadline(const Incoming& incoming);

  void Run(Incoming incoming);
  void Describe(const Incoming& incoming);
  void OpenSession(Incoming incoming);
  void SessionRun(Incoming incoming);
  void CloseSession(const Incoming& incoming);
  void Capabilities(const Incoming& incoming);
  void ProbeReport(const Incoming& incoming);

  Options options_;
  dispatch::Dispatcher& dispatcher_;
  sessions::Sessions& sessions_;
  DecodeSlots slots_;
  RefusedCredentials refused_credentials_;
  base::Deadlines deadlines_;
};

}  // namespace plimsoll::rpc
