#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/message.h"

namespace plimsoll::http {

// Told what happens on an HTTP/2 connection, inside Http2Session::Receive and Http2Session::Write.
class Http2Events {
 public:
  virtual ~Http2Events() = default;

  // A request's header block begins.
  virtual void OnStreamBegun(std::int32_t stream) = 0;
  // One field of it, pseudo-header fields (`:path`) included. Values are bytes HTTP/2 allows.
  virtual void OnHeader(std::int32_t stream, std::string_view name, std::string_view value) = 0;

  enum class More { kBodyFollows, kNothing };
  virtual void OnHeadersEnd(std::int32_t stream, More more) = 0;
  virtual void OnBody(std::int32_t stream, std::string_view bytes) = 0;
  virtual void OnRequestEnd(std::int32_t stream) = 0;

  enum class Closed { kCleanly, kByError };
  // Nothing more is said about the stream.
  virtual void OnStreamClosed(std::int32_t stream, Closed how) = 0;

  struct Supplied {
    std::size_t size = 0;
    enum class After { kMore, kEnd } after = After::kEnd;
  };
  // Copies the next bytes of the answer's body into `space`.
  virtual Supplied SupplyBody(std::int32_t stream, std::span<std::uint8_t> space) = 0;
};

// The server's end of one HTTP/2 connection: libnghttp2 behind a C++ face. Bounds what nghttp2 bounds: pings and
// settings waiting to be acknowledged, continuation frames, resets by the peer (HTTP-7).
class Http2Session {
 public:
  // `events` must outlive it. The settings frame is ready to be written.
  Http2Session(const Limits& limits, Http2Events& events);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  enum class Health {
    kGood,
    kBroken,  // nothing more can be received or sent
  };
  [[nodiscard]] Health Receive(std::string_view bytes);
  // Appends frames to `out` until about `enough` bytes are there or nothing is left to send.
  [[nodiscard]] Health Write(std::string& out, std::size_t enough);

  // Sends `response`: its body through SupplyBody, its trailers after it, or all in one header block when the body is
  // empty or `kNoBody` says so. Once it is sent, a request body still coming is cut off by RST_STREAM(NO_ERROR).
  enum class BodyPart { kSend, kNoBody };
  void Respond(std::int32_t stream, const Response& response, BodyPart body);
  // Ends a stream without an answer.
  void Cancel(std::int32_t stream);
  // GOAWAY: streams that are open go on, new ones are ignored.
  void RefuseNewStreams();
  // GOAWAY for a peer that misbehaves: everything ends once it is written.
  void Abort();

  // Whether the protocol is over for nghttp2: nothing to read, nothing to write.
  bool over() const;
  bool has_output() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::http
