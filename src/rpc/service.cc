#include "rpc/service.h"

#include <utility>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/extensions.h"
#include "rpc/service_read.h"
#include "rpc/translate.h"

namespace plimsoll::rpc {
namespace {

using base::Refusal;
using base::Rule;

http::Response FailHead(const Reply& reply, const HeadRefusal& refusal) {
  return refusal.form == HeadRefusal::Form::kHttp ? FailAsHttp(reply, refusal.failure) : Fail(reply, refusal.failure);
}

// A refusal of steps 3 to 6 is our own, so it has a detail beside the header mark.
http::Response FailEarly(const Reply& reply, const base::Error& error) {
  return Fail(reply, FailureOf(error, Stage::kBeforeProcedure));
}

http::Response NoSuchPath(const Reply& reply) {
  Failure failure = Plumbing(Code::kUnimplemented, "no such path");
  failure.http_status = 404;
  return FailAsHttp(reply, failure);
}

http::Response ProbeNotReadOnly(const Reply& reply) {
  Failure failure = Plumbing(Code::kInvalidArgument, "a probe is read with GET or HEAD");
  failure.http_status = 405;
  failure.headers.Add("allow", "GET, HEAD");
  return FailAsHttp(reply, failure);
}

// The answer of a probe: fixed words, since anyone may read it.
http::Response ProbeAnswer(const Reply& reply, std::string_view method, int status, std::string_view word) {
  return PlainAnswer(reply, status, method == "HEAD" ? std::string() : std::string(word).append("\n"));
}

}  // namespace

Service::Service(Options options, dispatch::Dispatcher& dispatcher, sessions::Sessions& sessions, base::LogSink& log)
    : options_(std::move(options)),
      dispatcher_(dispatcher),
      sessions_(sessions),
      slots_(options_.decode_slots),
      refused_credentials_(dispatcher.clock(), log),
      deadlines_(dispatcher.clock()) {}

// The order is the protocol's (wire.md 7, "any request"). Nothing here reads a byte of the body.
std::variant<http::Response, http::ReadBody> Service::OnHead(const http::RequestHead& head) {
  const Reply reply = ReplyFor(head);  // 1: the request ID is on every answer
  const Place place = PlaceOf(head.target);
  if (place == Place::kOutside) {  // 2
    return NoSuchPath(reply);
  }
  if (place != Place::kService) {
    return OnProbe(reply, head, place);
  }
  base::Result<callers::Caller> caller = Admit(head);  // 3 and 4
  if (!caller) {
    return RefuseCredentials(reply, caller.error());
  }
  const std::uint64_t limit = BodyLimit(head);
  if (head.declared_length.value_or(0) > limit) {  // 5
    return FailEarly(reply, BodyTooLarge(head));
  }
  std::optional<base::Cleanup> slot = slots_.Take(caller->principal);  // 6
  if (!slot) {
    return FailEarly(reply, Refusal{Rule::kAtCapacity, "too many requests are being read at once"});
  }
  const auto asked = ReadHead(head);  // 7
  if (const auto* refusal = std::get_if<HeadRefusal>(&asked)) {
    return FailHead(reply, *refusal);
  }
  return http::ReadBody{limit, std::move(*slot)};
}

void Service::OnRequest(std::shared_ptr<http::Exchange> exchange) {
  const http::RequestHead& head = exchange->head();
  if (PlaceOf(head.target) == Place::kReady) {
    return AnswerReady(std::move(exchange));
  }
  // A head says the same twice; what OnHead found is not carried over, so it is read again. It passes unless the caller
  // registry changed in between.
  const Reply reply = ReplyFor(head);
  base::Result<callers::Caller> caller = Admit(head);
  if (!caller) {
    return exchange->Send(RefuseCredentials(reply, caller.error()));
  }
  auto asked = ReadHead(head);
  if (const auto* refusal = std::get_if<HeadRefusal>(&asked)) {
    return exchange->Send(FailHead(reply, *refusal));
  }
  Call(Receive(std::move(exchange), std::get<Asked>(asked), std::move(caller).value()));
}

http::Response Service::OnBodyTooLarge(const http::RequestHead& head) {
  return FailBody(ReplyFor(head), BodyTooLarge(head));
}

void Service::OnPlumbing(const http::RequestHead* head, http::Response& response) {
  CompleteServerAnswer(head, response);
}

std::variant<http::Response, http::ReadBody> Service::OnProbe(const Reply& reply, const http::RequestHead& head,
                                                              Place place) {
  if (head.method != "GET" && head.method != "HEAD") {
    return ProbeNotReadOnly(reply);
  }
  if (place == Place::kHealth) {
    return ProbeAnswer(reply, head.method, 200, "ok");
  }
  return http::ReadBody{};  // readiness is not known at once; there is no body to read
}

void Service::AnswerReady(std::shared_ptr<http::Exchange> exchange) {
  options_.readiness([exchange = std::move(exchange)](bool ready) {
    const http::RequestHead& head = exchange->head();
    exchange->Send(ProbeAnswer(ReplyFor(head), head.method, ready ? 200 : 503, ready ? "ready" : "not ready"));
  });
}

base::Result<callers::Caller> Service::Admit(const http::RequestHead& head) const {
  base::Result<callers::Caller> caller = options_.gate.Authenticate(head.headers.Only("authorization"));
  if (!caller || options_.gate.open()) {
    return caller;
  }
  // RPC-3: a procedure without an entry is closed, so that a new one stays closed until it has a scope.
  const std::optional<Procedure> procedure = ProcedureAt(head.target);
  if (!procedure) {
    return Refusal{Rule::kPermissionDenied, "the procedure is not open to any caller"};
  }
  if (base::Status may_call = options_.gate.Authorize(*caller, ScopeOf(*procedure)); !may_call) {
    return std::move(may_call).error();
  }
  return caller;
}

http::Response Service::RefuseCredentials(const Reply& reply, const base::Error& error) {
  Failure failure = FailureOf(error, Stage::kBeforeProcedure);
  if (failure.code == Code::kUnauthenticated) {
    refused_credentials_.Count();
    failure.headers.Add("www-authenticate", "Bearer");
  }
  return Fail(reply, failure);
}

Service::Incoming Service::Receive(std::shared_ptr<http::Exchange> exchange, Asked asked,
                                   callers::Caller caller) const {
  const base::Clock& clock = dispatcher_.clock();
  const dispatch::Received received{clock.Wall(), clock.Steady()};
  std::optional<base::SteadyTime> deadline;
  if (asked.timeout) {
    deadline = received.steady + *asked.timeout;
  }
  Reply reply = ReplyFor(exchange->head());
  return {std::move(exchange), std::move(reply), asked, std::move(caller), received, deadline};
}

void Service::Call(Incoming incoming) {
  switch (incoming.asked.procedure) {
    case Procedure::kRun: return Run(std::move(incoming));
    case Procedure::kDescribe: return Describe(incoming);
    case Procedure::kOpenSession: return OpenSession(std::move(incoming));
    case Procedure::kSessionRun: return SessionRun(std::move(incoming));
    case Procedure::kCloseSession: return CloseSession(incoming);
    case Procedure::kCapabilities: return Capabilities(incoming);
    case Procedure::kProbeReport: return ProbeReport(incoming);
  }
}

void Service::Refuse(const Incoming& incoming, const base::Error& error) {
  if (const auto* refusal = std::get_if<Refusal>(&error)) {
    dispatcher_.CountRefusal(*refusal);
  }
  incoming.exchange->Send(Fail(incoming.reply, FailureOf(error, Stage::kProcedure)));
}

void Service::Run(Incoming incoming) {
  std::optional<v1::RunRequest> message = Read<v1::RunRequest>(incoming);
  if (!message) {
    return;
  }
  auto request = run::Request::Validate(DraftOf(std::move(*message)), run::Request::Cells::kRefused);
  if (!request) {
    return Refuse(incoming, request.error());
  }
  auto answer = std::make_shared<AnswerInFlight>(incoming.exchange, incoming.reply);
  dispatcher_.Run({.request = std::move(request).value(),
                   .principal = std::move(incoming.caller.principal),
                   .identified = incoming.caller.identified,
                   .received = incoming.received,
                   .exchange_deadline = incoming.deadline,
                   .client_gone = answer->stop()},
                  [answer](base::Result<dispatch::Answer> ended) {
                    answer->End([&](const Reply& reply) {
                      return ended ? Succeed(reply, ResponseOf(std::move(*ended)))
                                   : Fail(reply, FailureOf(ended.error(), Stage::kProcedure));
                    });
                  });
  Watch(*answer, incoming, AnswerInFlight::AtDeadline::kAnswer);
}

void Service::Watch(AnswerInFlight& answer, const Incoming& incoming, AnswerInFlight::AtDeadline at) {
  if (incoming.deadline) {
    answer.WatchDeadline(deadlines_, *incoming.deadline, at);
  }
}

bool Service::RefusePassedDeadline(const Incoming& incoming) {
  if (!incoming.deadline || *incoming.deadline > dispatcher_.clock().Steady()) {
    return false;
  }
  Refuse(incoming, Refusal{Rule::kDeadlinePassed, "the caller's deadline passed before the answer was made"});
  return true;
}

void Service::Describe(const Incoming& incoming) {
  const std::optional<v1::DescribeRequest> message = Read<v1::DescribeRequest>(incoming);
  if (message && !RefusePassedDeadline(incoming)) {
    const auto& provider = dispatcher_.provider();
    incoming.exchange->Send(Succeed(
        incoming.reply, DescriptionOf(provider.Offer(), provider.Tier(), sessions_.options(), message->protocol())));
  }
}

void Service::Capabilities(const Incoming& incoming) {
  if (Read<x1::CapabilitiesRequest>(incoming) && !RefusePassedDeadline(incoming)) {
    incoming.exchange->Send(Succeed(incoming.reply, CapabilitiesOf(dispatcher_.provider())));
  }
}

void Service::ProbeReport(const Incoming& incoming) {
  const std::optional<x1::ProbeReportRequest> message = Read<x1::ProbeReportRequest>(incoming);
  if (!message || RefusePassedDeadline(incoming)) {
    return;
  }
  const auto report = ProbeReportOf(dispatcher_.provider(), *message);
  if (!report) {
    return Refuse(incoming, report.error());
  }
  incoming.exchange->Send(Succeed(incoming.reply, *report));
}

}  // namespace plimsoll::rpc
