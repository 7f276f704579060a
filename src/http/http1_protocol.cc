#include "http/http1_protocol.h"

#include <utility>
#include <variant>

namespace plimsoll::http {

namespace {

constexpr std::size_t kHeldBack = 32 * 1024;        // pipelined bytes kept while a request is in progress
constexpr std::size_t kBodyCopiedUpTo = 16 * 1024;  // a larger body is sent from where it is
constexpr base::SteadyTime kNever = base::SteadyTime::max();

}  // namespace

Http1Protocol::Http1Protocol(Handler& handler, const Limits& limits, std::shared_ptr<Outbox> outbox,
                             base::SteadyTime now)
    : handler_(handler),
      limits_(limits),
      outbox_(std::move(outbox)),
      parser_(limits.max_header_bytes),
      started_(now),
      deadline_(now + limits.header_time) {}

Http1Protocol::~Http1Protocol() { End(); }

void Http1Protocol::Receive(std::string_view bytes, base::SteadyTime now) {
  if (phase_ == Phase::kEnded) {
    return;
  }
  if (phase_ == Phase::kHead && !parser_.started() && in_.empty() && request_ > 0) {
    BeginRequest(now);
  }
  in_.append(bytes);
  Read(now);
}

void Http1Protocol::ReceiveEnd(base::SteadyTime now) {
  reading_ended_ = true;
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody:
    case Phase::kLinger: End(); break;
    case Phase::kHandler:
    case Phase::kAnswer:
      if (gone_) {
        gone_->request_stop();
      }
      break;
    case Phase::kEnded: break;
  }
  static_cast<void>(now);
}

void Http1Protocol::Advance(base::SteadyTime now) {
  for (Reply& reply : outbox_->Take()) {
    if (phase_ != Phase::kHandler || reply.request != request_) {
      continue;
    }
    if (!reply.response) {
      End();
      return;
    }
    gone_.reset();
    Answer(std::move(*reply.response), after_, now);
  }
  Read(now);
}

void Http1Protocol::Expire(base::SteadyTime now) {
  if (now < deadline_) {
    return;
  }
  switch (phase_) {
    case Phase::kHead:
      if (parser_.started() || !in_.empty()) {
        RefusePlainly(408, "the request's header block did not arrive in time\n", now);
      } else {
        End();
      }
      break;
    case Phase::kBody: RefusePlainly(408, "the request did not arrive in time\n", now); break;
    case Phase::kHandler:
    case Phase::kAnswer:
    case Phase::kLinger: End(); break;
    case Phase::kEnded: break;
  }
}

void Http1Protocol::Drain(base::SteadyTime now) {
  draining_ = true;
  after_ = ConnectionAfter::kClose;
  if (phase_ == Phase::kHead && !parser_.started() && in_.empty()) {
    End();
  }
  static_cast<void>(now);
}

void Http1Protocol::Write(std::string& out, base::SteadyTime now) {
  if (out_.empty() && phase_ == Phase::kAnswer) {
    AnswerSent(now);
    Read(now);
  }
  if (!out_.empty()) {
    out = std::move(out_.front());
    out_.pop_front();
  }
}

Protocol::Appetite Http1Protocol::appetite() const {
  const bool full = reading_ended_ || phase_ == Phase::kEnded || in_.size() >= kHeldBack;
  return full ? Appetite::kFull : Appetite::kHungry;
}

Protocol::State Http1Protocol::state() const {
  if (phase_ == Phase::kEnded) {
    return State::kClosed;
  }
  return phase_ == Phase::kLinger ? State::kSentLast : State::kOpen;
}

// Goes through what was received, as far as the phase allows.
void Http1Protocol::Read(base::SteadyTime now) {
  bool go_on = true;
  while (go_on) {
    const Phase before = phase_;
    const std::size_t size = in_.size();
    switch (phase_) {
      case Phase::kHead: ReadHead(now); break;
      case Phase::kBody: ReadBody(now); break;
      case Phase::kAnswer:
      case Phase::kLinger: Drop(now); break;
      case Phase::kHandler:
      case Phase::kEnded: return;
    }
    go_on = phase_ != before || (in_.size() != size && !in_.empty());
  }
}

void Http1Protocol::BeginRequest(base::SteadyTime now) {
  started_ = now;
  deadline_ = now + limits_.header_time;
}

void Http1Protocol::ReadHead(base::SteadyTime now) {
  if (in_.empty()) {
    if (reading_ended_) {
      End();
    }
    return;
  }
  std::string_view rest = in_;
  const Http1Parser::Step step = parser_.Parse(rest);
  in_.erase(0, in_.size() - rest.size());
  switch (step) {
    case Http1Parser::Step::kMore:
      if (reading_ended_) {
        End();
      }
      return;
    case Http1Parser::Step::kHeadTooLarge:
      RefusePlainly(431, "the request's header block is over the limit\n", now);
      return;
    case Http1Parser::Step::kTooLarge:
    case Http1Parser::Step::kMalformed: RefusePlainly(400, "the request is not well-formed HTTP\n", now); return;
    case Http1Parser::Step::kHead:
    case Http1Parser::Step::kDone: break;
  }
  ++request_;
  head_ = std::move(parser_.head());
  method_ = head_->method;
  const bool keep = !draining_ && parser_.after() == Http1Parser::After::kKeep;
  after_ = keep ? ConnectionAfter::kKeep : ConnectionAfter::kClose;
  auto decision = handler_.OnHead(*head_);
  if (auto* refused = std::get_if<Response>(&decision)) {
    Refuse(std::move(*refused), now);
  } else {
    Accept(std::move(std::get<http::ReadBody>(decision)), now);
  }
}

// Refusals are final at once. The connection survives only when the rest of the request is here already (HTTP-3).
void Http1Protocol::Refuse(Response response, base::SteadyTime now) {
  parser_.SetBody(nullptr);
  std::string_view rest = in_;
  const bool read_to_its_end = parser_.Parse(rest) == Http1Parser::Step::kDone;
  in_.erase(0, in_.size() - rest.size());
  body_unread_ = !read_to_its_end;
  Answer(std::move(response), body_unread_ ? ConnectionAfter::kClose : after_, now);
}

// Answers by the server itself, after which the connection cannot go on.
void Http1Protocol::RefusePlainly(int status, std::string_view text, base::SteadyTime now) {
  Response response = PlainAnswer(status, text);
  handler_.OnPlumbing(phase_ == Phase::kBody && head_ ? &*head_ : nullptr, response);
  body_unread_ = true;
  in_.clear();
  Answer(std::move(response), ConnectionAfter::kClose, now);
}

// NOLINTBEGIN(bugprone-unchecked-optional-access): from the head's arrival until Dispatch there is a head
void Http1Protocol::Accept(http::ReadBody accepted, base::SteadyTime now) {
  hold_ = std::move(accepted.hold);
  if (head_->declared_length && *head_->declared_length > accepted.max_body) {
    Refuse(handler_.OnBodyTooLarge(*head_), now);
    return;
  }
  body_ = BodyBuffer(accepted.max_body, head_->declared_length);
  parser_.SetBody(&body_);
  phase_ = Phase::kBody;
  deadline_ = started_ + limits_.request_time;
  if (parser_.expects() == Http1Parser::Expects::kContinue && parser_.framing() == Http1Parser::Framing::kBody &&
      in_.empty()) {
    out_.emplace_back("HTTP/1.1 100 Continue\r\n\r\n");
  }
}

void Http1Protocol::ReadBody(base::SteadyTime now) {
  std::string_view rest = in_;
  const Http1Parser::Step step = parser_.Parse(rest);
  in_.erase(0, in_.size() - rest.size());
  switch (step) {
    case Http1Parser::Step::kMore: return;
    case Http1Parser::Step::kDone: Dispatch(now); return;
    case Http1Parser::Step::kTooLarge:
      body_unread_ = true;
      in_.clear();
      Answer(handler_.OnBodyTooLarge(*head_), ConnectionAfter::kClose, now);
      return;
    case Http1Parser::Step::kHead:
    case Http1Parser::Step::kHeadTooLarge:
    case Http1Parser::Step::kMalformed: RefusePlainly(400, "the request's body is not well-formed HTTP\n", now); return;
  }
}

// What arrives after an answer that closes the connection is dropped, so that the peer can send on and read the answer.
void Http1Protocol::Drop(base::SteadyTime) {
  if (body_unread_) {
    in_.clear();
  }
}

void Http1Protocol::Dispatch(base::SteadyTime now) {
  phase_ = Phase::kHandler;
  deadline_ = now + limits_.answer_time;
  gone_.emplace();
  if (reading_ended_) {
    gone_->request_stop();
  }
  auto exchange = MakeExchange(std::move(*head_), body_.Take(), std::move(hold_), *gone_, outbox_, request_);
  head_.reset();
  handler_.OnRequest(std::move(exchange));
}
// NOLINTEND(bugprone-unchecked-optional-access)

void Http1Protocol::Answer(Response response, ConnectionAfter after, base::SteadyTime now) {
  response = Checked(std::move(response));
  hold_.Release();
  head_.reset();
  after_ = draining_ || reading_ended_ ? ConnectionAfter::kClose : after;
  phase_ = Phase::kAnswer;
  deadline_ = now + limits_.answer_time;
  std::string head = WriteHead(response, after_);
  if (method_ == "HEAD" || response.status == 204 || response.status == 304) {
    response.body.clear();
  }
  if (response.body.size() <= kBodyCopiedUpTo) {
    out_.push_back(head.append(response.body));
  } else {
    out_.push_back(std::move(head));
    out_.push_back(std::move(response.body));
  }
}

void Http1Protocol::AnswerSent(base::SteadyTime now) {
  if (after_ == ConnectionAfter::kClose) {
    if ((body_unread_ || !in_.empty()) && !reading_ended_) {
      phase_ = Phase::kLinger;
      deadline_ = now + limits_.drain_time;
    } else {
      End();
    }
    return;
  }
  parser_.Reset();
  phase_ = Phase::kHead;
  if (in_.empty()) {
    deadline_ = now + limits_.idle_time;
  } else {
    BeginRequest(now);
  }
}

void Http1Protocol::End() {
  phase_ = Phase::kEnded;
  deadline_ = kNever;
  out_.clear();
  in_.clear();
  hold_.Release();
  if (gone_) {
    gone_->request_stop();
  }
}

}  // namespace plimsoll::http
