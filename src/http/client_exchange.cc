#include "http/client_exchange.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/check.h"
#include "http/answer.h"

namespace plimsoll::http {

namespace asio = boost::asio;
namespace beast = boost::beast::http;
using Error = boost::system::error_code;

namespace {

constexpr std::size_t kReadAtOnce = 16 * 1024;
constexpr std::uint32_t kMaxAnswerHead = 64 * 1024;
constexpr int kMaxInterimAnswers = 16;
constexpr int kSwitchingProtocols = 101;

using Parser = beast::response_parser<beast::string_body>;

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

// `protocol` is empty when no upgrade is asked for.
std::string HeadOf(const std::string& host, const ClientRequest& request, std::string_view protocol) {
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\nhost: " + host + "\r\n";
  for (const Header& field : request.headers) {
    if (!WrittenByServer(field.name) && field.name != "host") {
      head.append(field.name).append(": ").append(field.value).append("\r\n");
    }
  }
  if (!protocol.empty()) {
    head.append("connection: Upgrade\r\nupgrade: ").append(protocol).append("\r\n");
  }
  return head.append("content-length: ").append(std::to_string(request.body.size())).append("\r\n\r\n");
}

Headers HeadersOf(const beast::fields& fields) {
  Headers headers;
  for (const auto& field : fields) {
    const auto name = field.name_string();
    headers.Add({name.data(), name.size()}, {field.value().data(), field.value().size()});
  }
  return headers;
}

Response ToResponse(beast::response<beast::string_body>&& message) {
  return {.status = static_cast<int>(message.result_int()),
          .headers = HeadersOf(message.base()),
          .body = std::move(message.body()),
          .trailers = {}};
}

// The state of one exchange. Its operations refer to it, so it must not be left while they may still complete: after a
// failure the connection, and with it the io_context that would complete them, is not run again.
class Exchange final {
 public:
  Exchange(const Peer& peer, const ClientRequest& request, std::string_view protocol)
      : stream_(peer.stream),
        request_(request),
        protocol_(protocol),
        max_body_(peer.max_body),
        head_(HeadOf(peer.host, request, protocol)) {
    NewParser();
  }

  // NOLINTBEGIN(bugprone-unchecked-optional-access): the constructor makes a parser and there is one from then on
  void Start() {
    Write();
    Read();
  }

  const bool& done() const { return done_; }
  bool reusable() const {
    return !failure_ && !upgraded_ && written_ && parser_->is_done() && parser_->keep_alive() && pending_.empty();
  }
  bool upgraded() const { return upgraded_ && !failure_; }

  // After an upgrade: the head's fields and what came behind them.
  Headers TakeHeaders() { return HeadersOf(parser_->get().base()); }
  std::string TakeEarly() { return std::move(pending_); }

  Outcome Take() {
    if (failure_) {
      return std::move(*failure_);
    }
    return ToResponse(parser_->release());
  }

 private:
  void NewParser() {
    parser_.emplace();
    parser_->header_limit(kMaxAnswerHead);
    parser_->body_limit(max_body_);
    parser_->eager(true);
    if (request_.method == "HEAD") {
      parser_->skip(true);
    }
  }

  // A peer that refuses may close before it has read all; its answer is worth reading all the same.
  void Write() {
    if (request_.body.size() <= kReadAtOnce) {
      head_ += request_.body;
      stream_.Write(head_, [this](Error error, std::size_t) { Written(error); });
      return;
    }
    stream_.Write(head_, [this](Error error, std::size_t) {
      if (error) {
        Written(error);
        return;
      }
      stream_.Write(request_.body, [this](Error body_error, std::size_t) { Written(body_error); });
    });
  }

  void Written(Error error) {
    writing_ = false;
    written_ = !error;
    if (upgraded_) {
      FinishUpgrade();
    }
  }

  // A socket with half a request in flight is nobody's.
  void FinishUpgrade() {
    if (written_) {
      done_ = true;
    } else if (!writing_) {
      Fail(Failure::Cause::kClosed, "the connection ended before the whole request was taken");
    }
  }

  void Read() {
    stream_.Read(asio::buffer(in_), [this](Error error, std::size_t size) {
      if (error) {
        ReadEnded(error);
        return;
      }
      pending_.append(in_.data(), size);
      Parse();
    });
  }

  void Parse() {
    while (!pending_.empty() && !parser_->is_done()) {
      Error error;
      const std::size_t used = parser_->put(asio::const_buffer(pending_.data(), pending_.size()), error);
      pending_.erase(0, used);
      if (error == beast::error::need_more) {
        break;
      }
      if (error == beast::error::body_limit) {
        Fail(Failure::Cause::kTooLarge, "the answer is larger than " + std::to_string(max_body_) + " bytes");
        return;
      }
      if (error) {
        Fail(Failure::Cause::kMalformed, "the answer is not well-formed HTTP: " + error.message());
        return;
      }
      if (parser_->is_done() && parser_->get().result_int() < 200 && !TakeInterim()) {
        return;
      }
    }
    if (parser_->is_done()) {
      done_ = true;
    } else {
      Read();
    }
  }

  // False when reading HTTP is over. An interim answer, such as 100, is left behind.
  bool TakeInterim() {
    if (parser_->get().result_int() == kSwitchingProtocols) {
      const auto named = parser_->get()[beast::field::upgrade];
      if (protocol_.empty() || !boost::beast::iequals(named, {protocol_.data(), protocol_.size()})) {
        Fail(Failure::Cause::kMalformed, "the answer switches to a protocol that was not asked for");
        return false;
      }
      upgraded_ = true;
      FinishUpgrade();
      return false;
    }
    if (++interim_answers_ > kMaxInterimAnswers) {
      Fail(Failure::Cause::kMalformed, "more than " + std::to_string(kMaxInterimAnswers) + " interim answers");
      return false;
    }
    NewParser();
    return true;
  }

  void ReadEnded(Error error) {
    Error incomplete;
    if (error == asio::error::eof && parser_->got_some()) {
      parser_->put_eof(incomplete);
      if (!incomplete && parser_->is_done()) {
        done_ = true;
        return;
      }
    }
    Fail(Failure::Cause::kClosed, "the connection ended before a whole answer: " + error.message());
  }

  void Fail(Failure::Cause cause, std::string detail) {
    failure_ = Failure{.cause = cause, .sent = Sent::kMaybe, .detail = std::move(detail)};
    done_ = true;
  }
  // NOLINTEND(bugprone-unchecked-optional-access)

  ClientStream& stream_;
  const ClientRequest& request_;
  const std::string_view protocol_;  // empty: no upgrade is asked for
  const std::uint64_t max_body_;
  std::string head_;
  std::optional<Parser> parser_;
  std::optional<Failure> failure_;
  std::array<char, kReadAtOnce> in_;
  std::string pending_;  // received and not parsed
  int interim_answers_ = 0;
  bool writing_ = true;
  bool written_ = false;
  bool upgraded_ = false;
  bool done_ = false;
};

Failure Failed(Failure::Cause cause, Sent sent, std::string detail) {
  return {.cause = cause, .sent = sent, .detail = std::move(detail)};
}

// Why nothing of the request may be sent, or nothing.
std::optional<Failure> Hindrance(const Peer& peer, const ClientRequest& request, const Bounds& bounds) {
  if (!IsToken(request.method) || !IsToken(request.target) || !IsToken(peer.host) || !request.headers.Sendable()) {
    return Failed(Failure::Cause::kInvalid, Sent::kNothing, "a header or the target may not be sent");
  }
  if (bounds.stop.stop_requested()) {
    return Failed(Failure::Cause::kCanceled, Sent::kNothing, "canceled before sending");
  }
  if (peer.stream.PeerHasClosed()) {
    return Failed(Failure::Cause::kClosed, Sent::kNothing, "the peer had closed the connection");
  }
  return std::nullopt;
}

// Why the exchange was left before its end, or nothing when it was not.
std::optional<Failure> Finish(const Peer& peer, Exchange& exchange, const Bounds& bounds) {
  exchange.Start();
  switch (RunUntil(peer.io, bounds, exchange.done())) {
    case Waited::kDone: break;
    case Waited::kDeadline: return Failed(Failure::Cause::kDeadline, Sent::kMaybe, "no answer in time");
    case Waited::kCanceled: return Failed(Failure::Cause::kCanceled, Sent::kMaybe, "canceled after sending began");
  }
  return std::nullopt;
}

}  // namespace

Waited RunUntil(asio::io_context& io, const Bounds& bounds, const bool& done) {
  const std::stop_callback wake(bounds.stop, [&io] { io.stop(); });
  io.restart();
  while (!done) {
    // Asked after restart, which would undo a stop that came before.
    if (bounds.stop.stop_requested()) {
      return Waited::kCanceled;
    }
    if (io.run_one_until(bounds.deadline) == 0 && !bounds.stop.stop_requested()) {
      return Waited::kDeadline;
    }
  }
  return Waited::kDone;
}

Exchanged ExchangeOver(const Peer& peer, const ClientRequest& request, const Bounds& bounds) {
  if (auto failure = Hindrance(peer, request, bounds)) {
    return {.outcome = std::move(*failure)};
  }
  Exchange exchange(peer, request, {});
  if (auto failure = Finish(peer, exchange, bounds)) {
    return {.outcome = std::move(*failure)};
  }
  const bool reusable = exchange.reusable();
  return {.outcome = exchange.Take(), .reusable = reusable};
}

UpgradeExchanged UpgradeOver(const Peer& peer, const ClientRequest& request, std::string_view protocol,
                             const Bounds& bounds) {
  if (!IsToken(protocol)) {
    return {.outcome = Failed(Failure::Cause::kInvalid, Sent::kNothing, "the protocol's name may not be sent")};
  }
  if (auto failure = Hindrance(peer, request, bounds)) {
    return {.outcome = std::move(*failure)};
  }
  Exchange exchange(peer, request, protocol);
  if (auto failure = Finish(peer, exchange, bounds)) {
    return {.outcome = std::move(*failure)};
  }
  if (!exchange.upgraded()) {
    const bool reusable = exchange.reusable();
    Outcome outcome = exchange.Take();
    if (auto* failure = std::get_if<Failure>(&outcome)) {
      return {.outcome = std::move(*failure)};
    }
    return {.outcome = std::move(std::get<Response>(outcome)), .reusable = reusable};
  }
  os::UniqueFd socket = peer.stream.Release();
  if (!socket.is_open()) {
    return {.outcome = Failed(Failure::Cause::kInvalid, Sent::kMaybe, "the connection cannot hand over its socket")};
  }
  return {.outcome =
              Upgraded{.socket = std::move(socket), .early = exchange.TakeEarly(), .headers = exchange.TakeHeaders()}};
}

}  // namespace plimsoll::http
