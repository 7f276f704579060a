#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "http/answer.h"
#include "http/body.h"
#include "http/handler.h"
#include "http/http1_parser.h"
#include "http/limits.h"
#include "http/outbox.h"
#include "http/protocol.h"

namespace plimsoll::http {

// HTTP/1.1 (and 1.0) on one connection: one request at a time, in order. A pipelined request waits until the answer
// before it has been sent.
class Http1Protocol final : public Protocol {
 public:
  // `handler` and `limits` must outlive it. `outbox` is the connection's.
  Http1Protocol(Handler& handler, const Limits& limits, std::shared_ptr<Outbox> outbox, base::SteadyTime now);
  ~Http1Protocol() override;

  void Receive(std::string_view bytes, base::SteadyTime now) override;
  void ReceiveEnd(base::SteadyTime now) override;
  void Advance(base::SteadyTime now) override;
  void Expire(base::SteadyTime now) override;
  void Drain(base::SteadyTime now) override;
  void Write(std::string& out, base::SteadyTime now) override;
  base::SteadyTime deadline() const override { return deadline_; }
  Appetite appetite() const override;
  State state() const override;

 private:
  enum class Phase {
    kHead,     // a request's head is read or awaited
    kBody,     // its body is read
    kHandler,  // the handler has it
    kAnswer,   // the answer is on its way out
    kLinger,   // the answer is sent, the rest of a refused request is read and dropped
    kEnded,
  };

  void Read(base::SteadyTime now);
  void BeginRequest(base::SteadyTime now);
  void ReadHead(base::SteadyTime now);
  void ReadBody(base::SteadyTime now);
  void Drop(base::SteadyTime now);
  void Accept(http::ReadBody accepted, base::SteadyTime now);
  void Refuse(Response response, base::SteadyTime now);
  void RefusePlainly(int status, std::string_view text, base::SteadyTime now);
  void Dispatch(base::SteadyTime now);
  void Answer(Response response, ConnectionAfter after, base::SteadyTime now);
  void AnswerSent(base::SteadyTime now);
  void End();

  Handler& handler_;
  const Limits& limits_;
  const std::shared_ptr<Outbox> outbox_;
  Http1Parser parser_;
  std::string in_;  // received and not yet parsed

  Phase phase_ = Phase::kHead;
  std::uint64_t request_ = 0;  // number of the request in progress
  base::SteadyTime started_;   // of the request in progress
  base::SteadyTime deadline_;
  std::optional<RequestHead> head_;  // once complete, until the handler has it
  std::string method_;
  ConnectionAfter after_ = ConnectionAfter::kKeep;
  BodyBuffer body_;
  base::Cleanup hold_;
  std::optional<std::stop_source> gone_;

  std::deque<std::string> out_;
  bool reading_ended_ = false;  // the peer sends nothing more
  bool draining_ = false;
  bool body_unread_ = false;  // the answer in progress did not wait for the body
};

}  // namespace plimsoll::http
