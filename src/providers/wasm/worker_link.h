#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/child.h"
#include "os/socket_pair.h"
#include "os/unique_fd.h"
#include "providers/wasm/intake.h"

namespace plimsoll::wasm {

// The program a worker runs, and what it is told on its command line.
struct WorkerProgram {
  std::string path;                // absolute
  std::uint32_t memory_pages = 0;  // cap of the guest's linear memory, in pages of 64 KiB
};

// One worker process: its stream, its child handle and the judge of what it says. Not thread-safe.
class WorkerLink {
 public:
  // Starts the program with one end of a new stream as descriptor 3, our standard error, and an empty environment.
  // Takes about 1 ms and returns before the worker is ready. Call it from a thread that outlives the worker (OS-5).
  static base::Result<WorkerLink> Start(const WorkerProgram& program);

  int socket() const { return socket_.get(); }
  int pidfd() const { return child_.pidfd(); }
  pid_t pid() const { return child_.pid(); }
  Intake& intake() { return intake_; }

  // Whether an order can be handed over: the worker is there and has said nothing unasked.
  bool IsQuiet() const { return !intake_.has_unjudged_bytes() && os::Peek(socket()) == os::Transfer::kWouldBlock; }

  // Takes `frame` and sends as much of it as goes at once; Flush sends the rest. kNothing: not one byte left this
  // process and none will, so another worker may be given the same order.
  enum class Sent { kAll, kPart, kNothing };
  Sent Say(std::string frame);
  // Goes on with what Say left. A worker that is gone counts as kAll: its end is noticed elsewhere.
  Sent Flush();

  // Receives once into `buffer` and hands the bytes to the intake.
  os::Transfer Hear(std::span<char> buffer);

  void Kill() const { child_.Kill(); }
  const std::optional<os::ExitStatus>& TryReap() { return child_.TryReap(); }

 private:
  WorkerLink(os::UniqueFd socket, os::Child child) : socket_(std::move(socket)), child_(std::move(child)) {}
  os::UniqueFd socket_;
  os::Child child_;
  Intake intake_;
  std::string outbox_;
  std::size_t sent_ = 0;
};

}  // namespace plimsoll::wasm
