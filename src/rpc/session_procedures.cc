// The procedures of sessions, in the order of wire.md 7: what needs a session comes after its envelope was checked.
#include <utility>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/service.h"
#include "rpc/service_read.h"
#include "rpc/translate.h"

namespace plimsoll::rpc {
namespace {

using AtDeadline = AnswerInFlight::AtDeadline;

http::Response AnswerOf(const Reply& reply, sessions::Called&& called) {
  if (called.concluded.answer) {
    return Succeed(reply, ResponseOf(std::move(*called.concluded.answer), called.ended));
  }
  Failure failure = FailureOf(called.concluded.answer.error(), Stage::kProcedure);
  if (called.ended) {
    failure.session_ended = std::move(called.ended);
  }
  failure.unanswered = std::move(called.concluded.unanswered);
  return Fail(reply, failure);
}

// An answer of another procedure: its message, or its error.
template <typename T>
http::Response AnswerOf(const Reply& reply, base::Result<T>&& result) {
  return result ? Succeed(reply, ResponseOf(std::move(*result)))
                : Fail(reply, FailureOf(result.error(), Stage::kProcedure));
}

}  // namespace

// The message and its envelope, which is checked before anything else of it; or answers.
template <typename Message>
std::optional<Service::Enveloped<Message>> Service::ReadEnveloped(const Incoming& incoming) {
  std::optional<Message> message = Read<Message>(incoming);
  if (!message) {
    return std::nullopt;
  }
  const auto envelope =
      run::ValidateEnvelope(message->protocol(), message->minimum_isolation(), RuleOf(message->software_rule()));
  if (!envelope) {
    Refuse(incoming, envelope.error());
    return std::nullopt;
  }
  return Enveloped<Message>{std::move(*message), *envelope};
}

void Service::OpenSession(Incoming incoming) {
  auto read = ReadEnveloped<v1::OpenSessionRequest>(incoming);
  if (!read) {
    return;
  }
  auto answer = std::make_shared<AnswerInFlight>(incoming.exchange, incoming.reply);
  sessions_.Open({.asked = SessionOpenOf(std::move(read->message)),
                  .floor = read->envelope.floor,
                  .principal = std::move(incoming.caller.principal),
                  .patience = {incoming.deadline, answer->stop()}},
                 [answer](base::Result<sessions::Opened> opened) {
                   answer->End([&](const Reply& reply) { return AnswerOf(reply, std::move(opened)); });
                 });
  Watch(*answer, incoming, AtDeadline::kStop);
}

void Service::SessionRun(Incoming incoming) {
  auto read = ReadEnveloped<v1::SessionRunRequest>(incoming);
  if (!read) {
    return;
  }
  auto session = sessions_.Find(read->message.session_id(), incoming.caller.principal);
  if (!session) {
    return Refuse(incoming, session.error());
  }
  auto request = run::Request::Validate(DraftOf(std::move(read->message)), run::Request::Cells::kAllowed);
  if (!request) {
    return Refuse(incoming, request.error());
  }
  auto answer = std::make_shared<AnswerInFlight>(incoming.exchange, incoming.reply);
  sessions_.Run(std::move(*session),
                {.request = std::move(*request),
                 .principal = std::move(incoming.caller.principal),
                 .identified = incoming.caller.identified,
                 .received = incoming.received,
                 .exchange_deadline = incoming.deadline,
                 .client_gone = answer->stop()},
                [answer](sessions::Called called) {
                  answer->End([&](const Reply& reply) { return AnswerOf(reply, std::move(called)); });
                });
  Watch(*answer, incoming, AtDeadline::kStop);
}

void Service::CloseSession(const Incoming& incoming) {
  const std::optional<v1::CloseSessionRequest> message = Read<v1::CloseSessionRequest>(incoming);
  if (!message) {
    return;
  }
  if (const auto envelope = run::ValidateEnvelope(message->protocol(), {}, {}); !envelope) {
    return Refuse(incoming, envelope.error());
  }
  auto session = sessions_.Find(message->session_id(), incoming.caller.principal);
  if (!session) {
    return Refuse(incoming, session.error());
  }
  auto answer = std::make_shared<AnswerInFlight>(incoming.exchange, incoming.reply);
  sessions_.Close(std::move(*session), {incoming.deadline, answer->stop()},
                  [answer](base::Result<sessions::Closed> closed) {
                    answer->End([&](const Reply& reply) { return AnswerOf(reply, std::move(closed)); });
                  });
  Watch(*answer, incoming, AtDeadline::kStop);
}

}  // namespace plimsoll::rpc
