#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"
#include "os/unique_fd.h"

namespace plimsoll::http {

// Where to connect.
struct Origin {
  enum class Kind { kHttp, kHttps, kUnixSocket };
  Kind kind = Kind::kHttp;
  std::string host;         // a name or an address without brackets; for kUnixSocket what the Host header says
  std::uint16_t port = 80;  // not for kUnixSocket
  std::string socket_path;  // kUnixSocket only
};

struct ClientRequest {
  std::string method = "POST";
  std::string target = "/";  // path and query
  // Without `host`, `content-length`, `connection` and `transfer-encoding`, which the transport writes.
  Headers headers;
  std::string body;
};

// When a call gives up: at the deadline, or within 100 ms of a request to stop.
struct Bounds {
  base::SteadyTime deadline;
  std::stop_token stop = {};
};

// Whether the peer may have seen any part of the request.
enum class Sent { kNothing, kMaybe };

// A call that has no answer.
struct Failure {
  enum class Cause {
    kInvalid,         // a header or the target may not be sent
    kLookup,          // the name is not known
    kTooManyLookups,  // 32 abandoned name lookups still hang
    kConnect,
    kTls,        // handshake or certificate
    kClosed,     // the connection ended before a whole answer
    kMalformed,  // the answer is not HTTP
    kTooLarge,   // the answer's body is over the limit
    kDeadline,
    kCanceled,
  };
  Cause cause;
  Sent sent;
  std::string detail;  // for a person; holds no part of the request
};

using Outcome = std::variant<Response, Failure>;

// A connection that its peer has agreed to use for another protocol: from here on it carries bytes and no HTTP.
struct Upgraded {
  os::UniqueFd socket;  // non-blocking
  std::string early;    // what came with the answer's head, at most 16 KiB
  Headers headers;
};

// The answer to a request to upgrade: the socket, or an ordinary answer when the peer does not want to, or none.
using UpgradeOutcome = std::variant<Upgraded, Response, Failure>;

// One connection that may carry several calls, one at a time. Not thread-safe.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;

  // Sends the request and reads its answer, also when the peer refuses to read all of the request. Redirects are not
  // followed and nothing is sent twice. When the peer has closed since the call before, kClosed with kNothing.
  virtual Outcome Call(const ClientRequest& request, const Bounds& bounds) = 0;
  // As Call, but asks the peer to go on in `protocol` (a token such as `tcp`). 101 for that very protocol hands over
  // the socket, and the connection is used up; any other answer is read as Call reads it. Not over TLS: kInvalid.
  virtual UpgradeOutcome Upgrade(const ClientRequest& request, std::string_view protocol, const Bounds& bounds) = 0;
  // Whether another Call may be made: false after any failure or upgrade, and when either side wants to close.
  virtual bool usable() const = 0;
};

struct ClientOptions {
  // PEM file of the authorities that TLS peers are verified against; absent: those of the system.
  std::optional<std::string> ca_file;
  std::uint64_t max_body = std::uint64_t{32} * 1024 * 1024;  // of an answer
};

// Opens connections over TCP, TLS 1.2 or newer, and Unix sockets. Reads no proxy setting. Thread-safe.
class Client {
 public:
  // Fault kUnavailable when `ca_file` cannot be read. The system's authorities are read when TLS is first used.
  static base::Result<std::unique_ptr<Client>> Create(ClientOptions options);
  // Waits for name lookups that calls have given up on: they cannot be interrupted.
  virtual ~Client() = default;

  virtual std::variant<std::unique_ptr<ClientConnection>, Failure> Open(const Origin& origin, const Bounds& bounds) = 0;

  // One call over a connection of its own.
  Outcome Call(const Origin& origin, const ClientRequest& request, const Bounds& bounds);
};

}  // namespace plimsoll::http
