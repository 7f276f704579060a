#pragma once

// Linked by this room's tests only.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace plimsoll::http {

// A client's end of an HTTP/2 connection without a socket, by libnghttp2.
class Http2TestClient {
 public:
  Http2TestClient();
  ~Http2TestClient();
  Http2TestClient(const Http2TestClient&) = delete;
  Http2TestClient& operator=(const Http2TestClient&) = delete;

  struct Seen {
    int header_blocks = 0;
    Headers headers;  // of the first block, `:status` included
    Headers trailers;
    std::string body;
    bool ended = false;                   // END_STREAM was received
    std::optional<std::uint32_t> closed;  // with this error code

    int status() const { return headers.Only(":status") ? std::stoi(std::string(*headers.Only(":status"))) : 0; }
  };

  enum class Body { kWhole, kPart };  // kPart: the stream stays open for more that never comes
  // Begins a request and returns its stream.
  std::int32_t Submit(std::string_view method, std::string_view path, const Headers& headers = {},
                      std::string body = "", Body part = Body::kWhole);
  void Reset(std::int32_t stream);
  void Ping();

  std::string Output();  // bytes for the server
  void Input(std::string_view bytes);
  const Seen& seen(std::int32_t stream);
  std::optional<std::uint32_t> goaway() const;  // the error code of a GOAWAY frame received

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::http
