#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "http/body.h"
#include "http/message.h"

namespace plimsoll::http {

// Reads one HTTP/1.x request after another. Boost.Beast knows the grammar; what it lets through and we do not is
// refused here: folded header lines, a repeated or listed Content-Length, any Transfer-Encoding but `chunked`, a
// missing or repeated Host (HTTP-2).
class Http1Parser {
 public:
  explicit Http1Parser(std::uint32_t max_header_bytes);
  ~Http1Parser();
  Http1Parser(const Http1Parser&) = delete;
  Http1Parser& operator=(const Http1Parser&) = delete;

  enum class Step {
    kMore,          // every usable byte was taken; more must come
    kHead,          // the head is complete; set a body and call again
    kDone,          // the whole request was read
    kTooLarge,      // the body does not fit into the body set
    kHeadTooLarge,  // the header block is over the limit
    kMalformed,
  };
  // Takes bytes from the front of `bytes`. After an error only Reset may be called.
  Step Parse(std::string_view& bytes);

  // Valid from kHead on until Reset. The protocol may move from it.
  RequestHead& head();
  // Where the body goes; null drops it. Must live until kDone, an error or Reset.
  void SetBody(BodyBuffer* body);

  enum class Framing { kNoBody, kBody };
  Framing framing() const;
  enum class After { kKeep, kClose };
  // What the request says about its connection. An HTTP/1.0 request always closes.
  After after() const;
  enum class Expects { kNothing, kContinue };
  Expects expects() const;

  // Whether any byte of the current request was taken.
  bool started() const;
  // Begins with the next request.
  void Reset();

 private:
  class Request;

  // One call of Beast and what it came to; nothing when there are bytes to go on with.
  std::optional<Step> Advance(std::string_view& bytes);

  const std::uint32_t max_header_bytes_;
  std::uint64_t taken_ = 0;
  std::unique_ptr<Request> request_;
};

}  // namespace plimsoll::http
