#include "http/http2_protocol.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <variant>

#include "http/answer.h"

namespace plimsoll::http {

namespace {

constexpr std::size_t kWriteAtOnce = 64 * 1024;
constexpr std::size_t kFieldOverhead = 32;  // RFC 9113 10.5.1 counts it for each field
// Streams ended by an error, on either side's initiative: at once, and in the long run. nghttp2 itself counts only the
// resets it receives.
constexpr double kResetBurst = 1000;
constexpr double kResetsPerSecond = 33;

std::optional<std::uint64_t> ParseLength(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

Http2Protocol::Http2Protocol(Handler& handler, const Limits& limits, std::shared_ptr<Outbox> outbox,
                             base::SteadyTime now)
    : handler_(handler),
      limits_(limits),
      outbox_(std::move(outbox)),
      session_(limits, *this),
      now_(now),
      deadline_(now + limits.idle_time),
      resets_left_(kResetBurst),
      resets_counted_(now) {}

Http2Protocol::~Http2Protocol() { End(); }

void Http2Protocol::Receive(std::string_view bytes, base::SteadyTime now) {
  now_ = now;
  if (!ended_ && session_.Receive(bytes) == Http2Session::Health::kBroken) {
    End();
  }
}

void Http2Protocol::ReceiveEnd(base::SteadyTime now) {
  now_ = now;
  reading_ended_ = true;
  for (auto& [id, stream] : streams_) {
    if (stream.gone) {
      stream.gone->request_stop();
    }
  }
  // What waits for more bytes waits in vain.
  std::erase_if(streams_, [](const auto& entry) { return entry.second.phase < Stream::Phase::kHandler; });
}

void Http2Protocol::Advance(base::SteadyTime now) {
  now_ = now;
  for (Reply& reply : outbox_->Take()) {
    const auto id = static_cast<std::int32_t>(reply.request);
    Stream* stream = Find(id, Stream::Phase::kHandler);
    if (stream == nullptr) {
      continue;
    }
    if (reply.response) {
      Answer(id, *stream, std::move(*reply.response));
    } else {
      session_.Cancel(id);
    }
  }
}

void Http2Protocol::Expire(base::SteadyTime now) {
  now_ = now;
  if (now < deadline_) {
    return;
  }
  if (streams_.empty()) {
    if (!draining_) {
      session_.RefuseNewStreams();
    }
    draining_ = true;
    deadline_ = now + limits_.drain_time;
    return;
  }
  deadline_ = base::SteadyTime::max();
  for (auto& [id, stream] : streams_) {
    if (now >= stream.deadline) {
      switch (stream.phase) {
        case Stream::Phase::kHead:
          session_.Abort();
          SetDeadline(stream, now + limits_.drain_time);
          break;
        case Stream::Phase::kBody: AnswerPlainly(id, stream, 408, "the request did not arrive in time\n"); break;
        case Stream::Phase::kHandler:
        case Stream::Phase::kAnswer:
          if (stream.gone) {
            stream.gone->request_stop();
          }
          session_.Cancel(id);
          stream.deadline = now + limits_.drain_time;
          break;
      }
    }
    deadline_ = std::min(deadline_, stream.deadline);
  }
}

void Http2Protocol::Drain(base::SteadyTime now) {
  now_ = now;
  if (!draining_) {
    session_.RefuseNewStreams();
  }
  draining_ = true;
}

void Http2Protocol::Write(std::string& out, base::SteadyTime now) {
  now_ = now;
  if (ended_) {
    return;
  }
  if (session_.Write(out, kWriteAtOnce) == Http2Session::Health::kBroken) {
    End();
  }
  if (out.empty() && (session_.over() || ((draining_ || reading_ended_) && streams_.empty()))) {
    End();
  }
}

Protocol::Appetite Http2Protocol::appetite() const {
  return ended_ || reading_ended_ ? Appetite::kFull : Appetite::kHungry;
}

Protocol::State Http2Protocol::state() const { return ended_ ? State::kClosed : State::kOpen; }

void Http2Protocol::OnStreamBegun(std::int32_t stream) {
  Stream& begun = streams_[stream];
  begun.begun = now_;
  begun.head.version = Version::kHttp2;
  SetDeadline(begun, now_ + limits_.header_time);
}

void Http2Protocol::OnHeader(std::int32_t id, std::string_view name, std::string_view value) {
  Stream* stream = Find(id, Stream::Phase::kHead);
  if (stream == nullptr) {
    return;
  }
  stream->header_bytes += name.size() + value.size() + kFieldOverhead;
  if (stream->header_bytes > limits_.max_header_bytes) {
    return;  // OnHeadersEnd refuses it
  }
  if (name == ":method") {
    stream->head.method = value;
  } else if (name == ":path") {
    stream->head.target = value;
  } else if (name == ":authority") {
    stream->authority = value;
  } else if (!name.starts_with(':')) {
    stream->head.headers.Add(name, value);
  }
}

void Http2Protocol::OnHeadersEnd(std::int32_t id, More more) {
  Stream* stream = Find(id, Stream::Phase::kHead);
  if (stream == nullptr) {
    return;
  }
  if (stream->header_bytes > limits_.max_header_bytes) {
    AnswerPlainly(id, *stream, 431, "the request's header block is over the limit\n");
    return;
  }
  RequestHead& head = stream->head;
  if (head.target.empty()) {
    head.target = stream->authority;  // CONNECT has no path
  }
  if (!stream->authority.empty() && head.headers.Count("host") == 0) {
    head.headers.Add("host", stream->authority);
  }
  if (more == More::kNothing) {
    head.declared_length = 0;
  } else if (const auto length = head.headers.Only("content-length")) {
    head.declared_length = ParseLength(*length);
  }
  stream->is_head = head.method == "HEAD";
  stream->phase = Stream::Phase::kBody;
  SetDeadline(*stream, stream->begun + limits_.request_time);
  auto decision = handler_.OnHead(head);
  if (auto* refused = std::get_if<Response>(&decision)) {
    Answer(id, *stream, std::move(*refused));
    return;
  }
  auto& accepted = std::get<ReadBody>(decision);
  stream->hold = std::move(accepted.hold);
  if (head.declared_length && *head.declared_length > accepted.max_body) {
    Answer(id, *stream, handler_.OnBodyTooLarge(head));
    return;
  }
  stream->body = BodyBuffer(accepted.max_body, head.declared_length);
}

void Http2Protocol::OnBody(std::int32_t id, std::string_view bytes) {
  Stream* stream = Find(id, Stream::Phase::kBody);
  if (stream != nullptr && stream->body.Append(bytes) == BodyBuffer::Fit::kTooLarge) {
    Answer(id, *stream, handler_.OnBodyTooLarge(stream->head));
  }
}

void Http2Protocol::OnRequestEnd(std::int32_t id) {
  Stream* stream = Find(id, Stream::Phase::kBody);
  if (stream == nullptr) {
    return;
  }
  stream->phase = Stream::Phase::kHandler;
  SetDeadline(*stream, now_ + limits_.answer_time);
  stream->gone.emplace();
  handler_.OnRequest(MakeExchange(std::move(stream->head), stream->body.Take(), std::move(stream->hold), *stream->gone,
                                  outbox_, static_cast<std::uint64_t>(id)));
}

void Http2Protocol::OnStreamClosed(std::int32_t id, Closed how) {
  if (const auto found = streams_.find(id); found != streams_.end()) {
    auto gone = std::move(found->second.gone);
    streams_.erase(found);
    if (gone) {
      gone->request_stop();
    }
    if (streams_.empty()) {
      deadline_ = now_ + limits_.idle_time;
    }
  }
  if (how == Closed::kByError) {
    CountReset();
  }
}

Http2Events::Supplied Http2Protocol::SupplyBody(std::int32_t id, std::span<std::uint8_t> space) {
  Stream* stream = Find(id, Stream::Phase::kAnswer);
  if (stream == nullptr) {
    return {};
  }
  const std::size_t size = std::min(space.size(), stream->answer.size() - stream->answer_sent);
  std::memcpy(space.data(), stream->answer.data() + stream->answer_sent, size);
  stream->answer_sent += size;
  const bool end = stream->answer_sent == stream->answer.size();
  return {.size = size, .after = end ? Supplied::After::kEnd : Supplied::After::kMore};
}

Http2Protocol::Stream* Http2Protocol::Find(std::int32_t id, Stream::Phase phase) {
  const auto found = streams_.find(id);
  return found != streams_.end() && found->second.phase == phase ? &found->second : nullptr;
}

void Http2Protocol::Answer(std::int32_t id, Stream& stream, Response response) {
  response = Checked(std::move(response));
  stream.phase = Stream::Phase::kAnswer;
  stream.hold.Release();
  stream.gone.reset();
  SetDeadline(stream, now_ + limits_.answer_time);
  const bool bodiless = stream.is_head || response.status == 204 || response.status == 304;
  session_.Respond(id, response, bodiless ? Http2Session::BodyPart::kNoBody : Http2Session::BodyPart::kSend);
  stream.answer = std::move(response.body);
}

void Http2Protocol::AnswerPlainly(std::int32_t id, Stream& stream, int status, std::string_view text) {
  Response response = PlainAnswer(status, text);
  handler_.OnPlumbing(stream.phase == Stream::Phase::kBody ? &stream.head : nullptr, response);
  Answer(id, stream, std::move(response));
}

void Http2Protocol::SetDeadline(Stream& stream, base::SteadyTime deadline) {
  stream.deadline = deadline;
  deadline_ = streams_.size() == 1 ? deadline : std::min(deadline_, deadline);
}

void Http2Protocol::CountReset() {
  const std::chrono::duration<double> since = now_ - resets_counted_;
  resets_counted_ = now_;
  resets_left_ = std::min(kResetBurst, resets_left_ + since.count() * kResetsPerSecond) - 1;
  if (resets_left_ < 0) {
    session_.Abort();
  }
}

void Http2Protocol::End() {
  ended_ = true;
  deadline_ = base::SteadyTime::max();
  auto streams = std::exchange(streams_, {});
  for (auto& [id, stream] : streams) {
    if (stream.gone) {
      stream.gone->request_stop();
    }
  }
}

}  // namespace plimsoll::http
