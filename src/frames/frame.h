#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The framed protocol between the daemon and a wasm worker, over one stream socket. Both ends use this codec; each
// treats the other's bytes as hostile. A frame is one byte of type, four bytes of little-endian length, then that many
// bytes of body.
namespace plimsoll::frames {

enum class Type : std::uint8_t {
  kReady = 1,   // worker -> host: the engine is initialised and restored; body empty
  kRun = 2,     // host -> worker: body is a RunOrder
  kStdout = 3,  // worker -> host: guest bytes, 1 to kMaxOutput
  kStderr = 4,  // worker -> host: guest bytes, 1 to kMaxOutput
  kEnded = 5,   // worker -> host: body is an Ended
};

inline constexpr std::size_t kHeaderSize = 5;
inline constexpr std::size_t kMaxOutput = 65536;
inline constexpr std::size_t kMaxCode = 262144;

struct Frame {
  Type type;
  std::string_view body;  // views the decoder's buffer; valid until the next call on it
};

// The largest body of a frame of this type; a longer one is refused before anything is allocated for it.
std::size_t MaxBody(Type type);

// Appends one frame to `out`. A body of a length that its type does not hold aborts.
void Append(Type type, std::string_view body, std::string& out);

// What the worker is told about one run.
struct RunOrder {
  std::uint32_t timeout_ms = 0;   // from receipt of the frame; the worker polls it, the host enforces it
  std::uint8_t seed[32] = {};     // randomness of this run
  std::int64_t wall_unix_us = 0;  // the host's clock when the order was made
  std::string_view code;          // views the frame's body
};
// Appends the whole kRun frame. Code over kMaxCode aborts.
void AppendRunOrder(const RunOrder& order, std::string& out);
// Fault kInternal when the body is shorter than the fixed part or longer than MaxBody.
base::Result<RunOrder> ParseRunOrder(std::string_view body PLIMSOLL_LIFETIMEBOUND);

// Why the guest's code came to its end, as the worker tells it. The host believes only what its own clock confirms.
enum class End : std::uint8_t {
  kFinished = 1,  // script, jobs and timers ended, or the guest exited, or threw
  kDeadline = 2,  // the polled interrupt stopped it
  kTrapped = 3,   // memory fault, unreachable, native stack overflow
};
// Whether the worker can be used again after this run.
enum class Next : std::uint8_t { kReuse = 1, kDiscard = 2 };

struct Ended {
  End end = End::kFinished;
  Next next = Next::kDiscard;
  std::int32_t exit_code = 0;
  bool stdout_truncated = false;  // the worker dropped guest bytes past the cap
  bool stderr_truncated = false;
};
// Appends the whole kEnded frame.
void AppendEnded(const Ended& ended, std::string& out);
// Fault kInternal when the body has another size or a value outside its list.
base::Result<Ended> ParseEnded(std::string_view body);

// Cuts a byte stream into frames. Holds at most one frame's worth of bytes beyond what was given in one Feed.
class Decoder {
 public:
  // Adds received bytes. Views handed out before are no longer valid.
  void Feed(std::string_view bytes);

  // The next whole frame; nothing when more bytes are needed. Fault kInternal on an unknown type or a length outside
  // what its type holds; the decoder is then stuck and says so again on every call.
  enum class State { kFrame, kNeedMore };
  base::Result<State> Next(Frame& frame);

 private:
  std::string buffer_;
  std::size_t read_ = 0;
};

}  // namespace plimsoll::frames
