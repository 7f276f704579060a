#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "base/guarded.h"
#include "base/unique_function.h"
#include "http/handler.h"
#include "http/message.h"

namespace plimsoll::http {

// A handler's answer on its way to the connection; without a response the handler gave up the exchange.
struct Reply {
  std::uint64_t request = 0;  // the protocol's own number for the request
  std::optional<Response> response;
};

// Carries answers from any thread to a connection's thread. Shared by the connection and its exchanges, because an
// exchange may outlive the connection and the whole server.
class Outbox {
 public:
  // `wake` is called from any thread, with the outbox locked, when the first answer goes into an empty outbox. It must
  // only post.
  explicit Outbox(base::UniqueFunction<void()> wake);

  // Any thread. Drops the answer after Close.
  void Put(Reply reply);
  // Takes all, in the order they came. The connection's thread.
  std::vector<Reply> Take();
  // No `wake` is called after this returns. The connection's thread.
  void Close();

 private:
  struct Contents {
    base::UniqueFunction<void()> wake;  // empty: closed
    std::vector<Reply> replies;
  };
  base::Guarded<Contents> contents_;
};

// Makes the exchange of a request read to its end. `gone` is kept by the protocol, which requests it when the client
// leaves.
std::shared_ptr<Exchange> MakeExchange(RequestHead head, std::string body, base::Cleanup hold, std::stop_source gone,
                                       std::shared_ptr<Outbox> outbox, std::uint64_t request);

}  // namespace plimsoll::http
