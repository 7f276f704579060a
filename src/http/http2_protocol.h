#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "http/body.h"
#include "http/handler.h"
#include "http/http2_session.h"
#include "http/limits.h"
#include "http/outbox.h"
#include "http/protocol.h"

namespace plimsoll::http {

// HTTP/2 on one connection, from the client's preface on.
class Http2Protocol final : public Protocol, private Http2Events {
 public:
  // `handler` and `limits` must outlive it. `outbox` is the connection's.
  Http2Protocol(Handler& handler, const Limits& limits, std::shared_ptr<Outbox> outbox, base::SteadyTime now);
  ~Http2Protocol() override;

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
  struct Stream {
    enum class Phase {
      kHead,
      kBody,
      kHandler,  // the handler has it
      kAnswer,   // the answer is on its way out
    };
    Phase phase = Phase::kHead;
    std::uint64_t header_bytes = 0;
    RequestHead head;
    std::string authority;
    base::SteadyTime begun;
    base::SteadyTime deadline;
    BodyBuffer body;
    base::Cleanup hold;
    std::optional<std::stop_source> gone;  // once the handler has it
    bool is_head = false;                  // the method is HEAD
    std::string answer;                    // the answer's body
    std::size_t answer_sent = 0;
  };

  void OnStreamBegun(std::int32_t stream) override;
  void OnHeader(std::int32_t stream, std::string_view name, std::string_view value) override;
  void OnHeadersEnd(std::int32_t stream, More more) override;
  void OnBody(std::int32_t stream, std::string_view bytes) override;
  void OnRequestEnd(std::int32_t stream) override;
  void OnStreamClosed(std::int32_t stream, Closed how) override;
  Supplied SupplyBody(std::int32_t stream, std::span<std::uint8_t> space) override;

  Stream* Find(std::int32_t stream, Stream::Phase phase);
  void Answer(std::int32_t id, Stream& stream, Response response);
  void AnswerPlainly(std::int32_t id, Stream& stream, int status, std::string_view text);
  void SetDeadline(Stream& stream, base::SteadyTime deadline);
  void CountReset();
  void End();

  Handler& handler_;
  const Limits& limits_;
  const std::shared_ptr<Outbox> outbox_;
  Http2Session session_;
  std::unordered_map<std::int32_t, Stream> streams_;
  base::SteadyTime now_;       // of the call in progress
  base::SteadyTime deadline_;  // no stream's is earlier
  double resets_left_;
  base::SteadyTime resets_counted_;
  bool draining_ = false;
  bool reading_ended_ = false;
  bool ended_ = false;
};

}  // namespace plimsoll::http
