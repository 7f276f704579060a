#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace plimsoll::http {

// The limits of one connection. The defaults are the table of wire.md 3; the metrics and guard listeners set their own.
struct Limits {
  std::uint32_t max_header_bytes = 32 * 1024;
  // From the first byte of a request, or the opening of the connection, to the end of its header block.
  std::chrono::milliseconds header_time{5'000};
  // From the same moment to the end of its body.
  std::chrono::milliseconds request_time{30'000};
  // From the end of the request to the last byte of the answer: the handler's time is in it.
  std::chrono::milliseconds answer_time{360'000};
  // Without any request in progress.
  std::chrono::milliseconds idle_time{120'000};
  // HTTP/1.1: reading on after an answer that did not wait for the whole body.
  std::chrono::milliseconds drain_time{500};
  // HTTP/2: open streams of one connection.
  std::uint32_t max_streams = 250;
};

}  // namespace plimsoll::http
