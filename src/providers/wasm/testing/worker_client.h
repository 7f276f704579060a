#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frames/frame.h"
#include "os/child.h"
#include "os/unique_fd.h"

namespace plimsoll::wasm {

// What came back from one order.
struct Heard {
  std::string out;
  std::string err;
  std::optional<frames::Ended> ended;  // nothing when the worker went away, or was silent past the patience
  std::int32_t exit_code() const { return ended ? ended->exit_code : -1; }
};

// A real worker process over a socketpair, spoken to in frames. Not thread-safe.
class WorkerClient {
 public:
  // Starts `program` of the build's bin folder. Aborts when it cannot be started; ready() says whether it came up.
  explicit WorkerClient(std::string_view program = "plimsoll-wasm-worker", std::uint32_t pages = 4096);

  bool ready() const { return ready_; }
  pid_t pid() const { return child_->pid(); }

  // Sends an order and hears it to its end.
  Heard Run(std::string_view code, std::chrono::milliseconds timeout = std::chrono::seconds(20));

  void Send(std::string_view code, std::chrono::milliseconds timeout);
  void SendRaw(std::string_view bytes);
  // Hears until the end of the run, `patience` of silence, or `enough` bytes of output.
  Heard Hear(std::chrono::milliseconds patience, std::size_t enough = static_cast<std::size_t>(-1));

  // Closes the socket and waits at most 10 s for the end of the process.
  os::ExitStatus Close();
  // Waits for the end of a process that ends by itself.
  os::ExitStatus Wait();
  void Kill() { child_->Kill(); }

 private:
  // The next frame; false when there is none for `patience`.
  bool NextFrame(frames::Frame& frame, std::chrono::milliseconds patience);

  os::UniqueFd socket_;
  std::optional<os::Child> child_;
  frames::Decoder decoder_;
  std::uint8_t next_seed_ = 0;
  bool ready_ = false;
};

}  // namespace plimsoll::wasm
