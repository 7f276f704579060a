#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "clients/cpp/base_url.h"

namespace plimsoll::client {

// Fields in order; names in any case.
using Fields = std::vector<std::pair<std::string, std::string>>;

// Until when a request to stop ends an exchange.
enum class Cancels { kAtAnyTime, kBeforeSending };

// One POST.
struct Post {
  std::string target;  // the path
  Fields fields;
  std::string body;
  std::chrono::milliseconds timeout{0};  // for the whole exchange, the name's look-up included
  std::stop_token cancel;
  Cancels cancels = Cancels::kAtAnyTime;
};

struct Answer {
  int status = 0;
  Fields fields;
  std::string body;
};

enum class FailureKind {
  kUnreachable,  // the name, the connection, TLS or the certificate
  kTimeout,
  kCanceled,
  kTooLarge,  // the answer declares or reaches more than max_answer
  kBroken,    // the connection ended before the answer did, or the answer is not HTTP
};

// How far a call got when it failed. Only kNothingSent proves that no code ran.
enum class Progress { kNothingSent, kMayHaveSent };

// `detail` is one sentence for a person, without anything of the request.
struct Failure {
  FailureKind kind = FailureKind::kBroken;
  Progress progress = Progress::kMayHaveSent;
  std::string detail = {};
};

// Carries one request to the daemon. Never sends twice, follows no redirect, reads no proxy setting, and gives back an
// answer that came although writing the body failed. May be called by many threads at once.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  virtual std::variant<Answer, Failure> Send(const Post& post) const = 0;
};

struct TransportOptions {
  std::string ca_file;           // PEM; empty: the system's authorities
  std::uint64_t max_answer = 0;  // bytes of an answer's body
};

// HTTP/1.1, one connection a call, over TCP or TLS. kInvalidOption when the authorities cannot be read.
Result<std::unique_ptr<HttpTransport>> MakeHttpTransport(const BaseUrl& url, const TransportOptions& options);

}  // namespace plimsoll::client
