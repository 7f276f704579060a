#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

#include "base/cleanup.h"
#include "http/message.h"

namespace plimsoll::http {

// A request whose body was read to its end, and the right to answer it once.
class Exchange {
 public:
  virtual ~Exchange() = default;  // without an answer: the connection or stream is closed

  virtual const RequestHead& head() const = 0;
  // The body as sent; the handler may move from it.
  virtual std::string& body() = 0;
  // Requested when the client has left (connection closed or stream reset) or when answer_time is over. Callbacks run
  // on the connection's thread and must not block. A client that has only closed its sending side may still get an
  // answer.
  virtual std::stop_token client_gone() const = 0;
  // What OnHead held for this request, a decode slot for one. The handler releases it when it is done with the bytes.
  virtual base::Cleanup& hold() = 0;
  // Sends the answer. Call at most once, from any thread, also after the server is gone; does nothing when the client
  // has left.
  virtual void Send(Response response) = 0;
};

// Read the body, up to `max_body` bytes as sent. `hold` is kept with the exchange and released with it at the latest.
struct ReadBody {
  std::uint64_t max_body = 0;
  base::Cleanup hold;
};

// What the server asks about each request. Methods are called on the thread of the request's connection and must not
// block; several connections call at the same time.
class Handler {
 public:
  virtual ~Handler() = default;

  // Decides on the head alone: an answer now, with no byte of the body read, or to read on.
  virtual std::variant<Response, ReadBody> OnHead(const RequestHead& head) = 0;
  // The whole body is here.
  virtual void OnRequest(std::shared_ptr<Exchange> exchange) = 0;
  // The body grew past max_body: the answer to send.
  virtual Response OnBodyTooLarge(const RequestHead& head) = 0;
  // The server answers by itself: 400 for malformed HTTP, 408 for a request that came too slowly, 431 for a header
  // block over the limit. Adds what every answer carries, and may replace the body. `head` is null when the head was
  // not read to its end, or was not well formed: then nothing it said may be relied on.
  virtual void OnPlumbing(const RequestHead* head, Response& response) {
    static_cast<void>(head);
    static_cast<void>(response);
  }
};

}  // namespace plimsoll::http
