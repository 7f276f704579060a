#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include "http/client.h"
#include "os/unique_fd.h"

namespace plimsoll::http {

// A connected byte stream under a client's calls: TCP, TLS or a Unix socket.
class ClientStream {
 public:
  virtual ~ClientStream() = default;
  using Done = std::function<void(boost::system::error_code, std::size_t)>;
  virtual void Write(std::string_view bytes, Done done) = 0;  // all of `bytes`, which live until `done`
  virtual void Read(boost::asio::mutable_buffer into, Done done) = 0;
  // Whether the peer has closed already, without waiting.
  virtual bool PeerHasClosed() = 0;
  // Gives up the socket, with no operation on it; closed when there is none that carries plain bytes.
  virtual os::UniqueFd Release() = 0;
};

// Runs the operations of `io` on the calling thread until `done` holds or the bounds are reached.
enum class Waited { kDone, kDeadline, kCanceled };
Waited RunUntil(boost::asio::io_context& io, const Bounds& bounds, const bool& done);

// One request and its answer over a connected stream.
struct Exchanged {
  Outcome outcome;
  bool reusable = false;  // both sides agree that another exchange may follow
};
// What both kinds of exchange are made over.
struct Peer {
  boost::asio::io_context& io;
  ClientStream& stream;
  const std::string& host;  // of the Host header
  std::uint64_t max_body;
};
Exchanged ExchangeOver(const Peer& peer, const ClientRequest& request, const Bounds& bounds);

// The same for a request to upgrade. After `Upgraded` the stream is empty.
struct UpgradeExchanged {
  UpgradeOutcome outcome;
  bool reusable = false;
};
UpgradeExchanged UpgradeOver(const Peer& peer, const ClientRequest& request, std::string_view protocol,
                             const Bounds& bounds);

}  // namespace plimsoll::http
