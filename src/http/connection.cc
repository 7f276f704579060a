#include "http/connection.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "http/http1_protocol.h"
#include "http/http2_protocol.h"
#include "http/outbox.h"
#include "http/protocol.h"

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kReadAtOnce = 16 * 1024;
constexpr std::size_t kBufferKept = 64 * 1024;  // a larger write buffer is given back once it is sent

// Moves bytes between one socket and its protocol. Shared by the loop, which holds it while it is open, and the
// operations in flight.
template <typename Stream>
class Connection final : public LoopMember, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Loop& loop, Stream stream, const ConnectionSetup& setup)
      : loop_(loop), stream_(std::move(stream)), setup_(setup), timer_(loop.io()) {}
  // A connection whose loop was stopped with operations in flight ends here.
  ~Connection() override {
    if (outbox_) {
      outbox_->Close();
    }
  }

  void Start() {
    outbox_ = std::make_shared<Outbox>([this, weak = this->weak_from_this()] {
      loop_.Post([weak] {
        if (const auto self = weak.lock()) {
          self->Pump();
        }
      });
    });
    opening_deadline_ = Loop::Now() + setup_.limits.header_time;
    ArmTimer();
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](Error error) {
        if (error) {
          self->CloseNow();
        } else {
          self->ChooseByAlpn();
        }
      });
    } else {
      ReadMore();
    }
  }

  void Drain() override {
    if (!protocol_) {
      CloseNow();
      return;
    }
    protocol_->Drain(Loop::Now());
    Pump();
  }

  void CloseNow() override {
    if (std::exchange(closed_, true)) {
      return;
    }
    Error ignored;
    timer_.cancel();
    static_cast<void>(stream_.lowest_layer().close(ignored));
    outbox_->Close();
    protocol_.reset();
    const auto self = this->shared_from_this();
    loop_.Leave(*this);
    setup_.count.Decrease();
  }

 private:
  void ChooseByAlpn() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      const unsigned char* name = nullptr;
      unsigned size = 0;
      SSL_get0_alpn_selected(stream_.native_handle(), &name, &size);
      Choose(size == 2 ? Version::kHttp2 : Version::kHttp1);
      Pump();
    }
  }

  void Choose(Version version) {
    const auto now = Loop::Now();
    if (version == Version::kHttp2) {
      protocol_ = std::make_unique<Http2Protocol>(setup_.handler, setup_.limits, outbox_, now);
    } else {
      protocol_ = std::make_unique<Http1Protocol>(setup_.handler, setup_.limits, outbox_, now);
    }
  }

  // Cleartext: HTTP/2 when the first bytes are its preface. While they are a part of it, more are awaited.
  void Sniff(std::string_view bytes) {
    opening_.append(bytes);
    const std::size_t compared = std::min(opening_.size(), kHttp2Preface.size());
    const bool equal = std::string_view(opening_).substr(0, compared) == kHttp2Preface.substr(0, compared);
    if (equal && compared < kHttp2Preface.size()) {
      return;
    }
    Choose(equal ? Version::kHttp2 : Version::kHttp1);
    protocol_->Receive(std::exchange(opening_, {}), Loop::Now());
  }

  void ReadMore() {
    reading_ = true;
    stream_.async_read_some(asio::buffer(in_), [self = this->shared_from_this()](Error error, std::size_t size) {
      self->Read(error, size);
    });
  }

  void Read(Error error, std::size_t size) {
    reading_ = false;
    if (closed_) {
      return;
    }
    const bool orderly_end = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
    if (error && !(orderly_end && protocol_)) {
      CloseNow();
      return;
    }
    const std::string_view bytes(in_.data(), size);
    if (orderly_end) {
      protocol_->ReceiveEnd(Loop::Now());
    } else if (protocol_) {
      protocol_->Receive(bytes, Loop::Now());
    } else {
      Sniff(bytes);
    }
    Pump();
  }

  // Brings the socket and the timer in line with the protocol's state. Called after everything that may change it.
  void Pump() {
    if (closed_) {
      return;
    }
    if (protocol_) {
      const auto now = Loop::Now();
      protocol_->Advance(now);
      if (!writing_) {
        protocol_->Write(out_, now);
        if (!out_.empty()) {
          WriteOut(now);
        } else if (EndIfOver()) {
          return;
        }
      }
    }
    if (!reading_ && WantsBytes()) {
      ReadMore();
    }
    ArmTimer();
  }

  bool WantsBytes() const {
    // Under TLS nothing is read before the handshake has chosen the protocol.
    return protocol_ ? protocol_->appetite() == Protocol::Appetite::kHungry : std::is_same_v<Stream, tcp::socket>;
  }

  void WriteOut(base::SteadyTime now) {
    writing_ = true;
    write_deadline_ = now + setup_.limits.answer_time;
    asio::async_write(stream_, asio::buffer(out_),
                      [self = this->shared_from_this()](Error error, std::size_t) { self->Written(error); });
  }

  void Written(Error error) {
    writing_ = false;
    if (closed_) {
      return;
    }
    out_.clear();
    if (out_.capacity() > kBufferKept) {
      out_.shrink_to_fit();
    }
    if (error) {
      CloseNow();
      return;
    }
    Pump();
  }

  // Closes when the protocol is over and all is sent; true when the connection is closed now.
  bool EndIfOver() {
    switch (protocol_->state()) {
      case Protocol::State::kOpen: return false;
      case Protocol::State::kSentLast: CloseSending(); return false;
      case Protocol::State::kClosed: break;
    }
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      CloseSending();
      if (!shutdown_done_) {
        return false;
      }
    }
    CloseNow();
    return true;
  }

  // Tells the peer that nothing more comes: a FIN, or under TLS a close_notify.
  void CloseSending() {
    if (std::exchange(sending_closed_, true)) {
      return;
    }
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      shutdown_deadline_ = Loop::Now() + setup_.limits.drain_time;
      stream_.async_shutdown([self = this->shared_from_this()](Error) {
        self->shutdown_done_ = true;
        self->Pump();
      });
    } else {
      Error ignored;
      static_cast<void>(stream_.shutdown(tcp::socket::shutdown_send, ignored));
    }
  }

  base::SteadyTime Deadline() const {
    base::SteadyTime deadline = protocol_ ? protocol_->deadline() : opening_deadline_;
    if (writing_) {
      deadline = std::min(deadline, write_deadline_);
    }
    if (sending_closed_) {
      deadline = std::min(deadline, shutdown_deadline_);
    }
    return deadline;
  }

  // The timer is moved only when it would ring too late; when it rings early it is set again. So a request costs no
  // timer operation.
  void ArmTimer() {
    if (closed_) {
      return;
    }
    const auto deadline = Deadline();
    if (deadline >= timer_set_for_) {
      return;
    }
    timer_set_for_ = deadline;
    timer_.expires_at(deadline);
    timer_.async_wait([self = this->shared_from_this()](Error error) {
      if (!error) {
        self->Ring();
      }
    });
  }

  void Ring() {
    if (closed_) {
      return;
    }
    timer_set_for_ = base::SteadyTime::max();
    const auto now = Loop::Now();
    const bool overdue = (!protocol_ && now >= opening_deadline_) || (writing_ && now >= write_deadline_) ||
                         (sending_closed_ && now >= shutdown_deadline_);
    if (overdue) {
      CloseNow();
      return;
    }
    if (protocol_) {
      protocol_->Expire(now);
    }
    Pump();
  }

  Loop& loop_;
  Stream stream_;
  const ConnectionSetup& setup_;
  asio::steady_timer timer_;
  base::SteadyTime timer_set_for_ = base::SteadyTime::max();
  std::shared_ptr<Outbox> outbox_;  // shared with the exchanges of this connection
  std::unique_ptr<Protocol> protocol_;
  std::string opening_;  // the first bytes, until they decide on the protocol
  base::SteadyTime opening_deadline_;
  base::SteadyTime write_deadline_;
  base::SteadyTime shutdown_deadline_ = base::SteadyTime::max();
  std::array<char, kReadAtOnce> in_;
  std::string out_;  // being written
  bool reading_ = false;
  bool writing_ = false;
  bool sending_closed_ = false;
  bool shutdown_done_ = false;
  bool closed_ = false;
};

template <typename Stream>
void Serve(Loop& loop, Stream stream, const ConnectionSetup& setup) {
  auto connection = std::make_shared<Connection<Stream>>(loop, std::move(stream), setup);
  connection->Start();
  loop.Join(std::move(connection));
}

}  // namespace

void ServeConnection(Loop& loop, tcp::socket socket, const ConnectionSetup& setup) {
  if (setup.tls != nullptr) {
    Serve(loop, TlsStream(std::move(socket), *setup.tls), setup);
  } else {
    Serve(loop, std::move(socket), setup);
  }
}

}  // namespace plimsoll::http
