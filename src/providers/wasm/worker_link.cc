#include "providers/wasm/worker_link.h"

#include <algorithm>

namespace plimsoll::wasm {
namespace {

// The descriptor under which a worker finds its stream.
constexpr int kWorkerSocket = 3;
constexpr int kStandardError = 2;

}  // namespace

base::Result<WorkerLink> WorkerLink::Start(const WorkerProgram& program) {
  auto pair = os::MakeSocketPair();
  if (!pair) {
    return pair.error();
  }
  os::ProgramStart start{.program = program.path,
                         .arguments = {std::to_string(kWorkerSocket), std::to_string(program.memory_pages)}};
  start.passed.push_back({.from = pair->theirs.get(), .to = kWorkerSocket});
  if (os::IsOpenDescriptor(kStandardError)) {
    // For complaints while it starts; a worker closes it before it takes an order.
    start.passed.push_back({.from = kStandardError, .to = kStandardError});
  }
  auto child = os::Child::Start(start);
  if (!child) {
    return child.error();
  }
  return WorkerLink(std::move(pair->ours), std::move(*child));
}

WorkerLink::Sent WorkerLink::Say(std::string frame) {
  outbox_ = std::move(frame);
  sent_ = 0;
  const Sent sent = Flush();
  return sent_ == 0 ? Sent::kNothing : sent;
}

WorkerLink::Sent WorkerLink::Flush() {
  while (sent_ < outbox_.size()) {
    const os::Transferred moved = os::Send(socket(), std::string_view(outbox_).substr(sent_));
    if (moved.state == os::Transfer::kWouldBlock) {
      return Sent::kPart;
    }
    if (moved.state == os::Transfer::kClosed) {
      break;
    }
    sent_ += moved.bytes;
  }
  outbox_.clear();
  return Sent::kAll;
}

os::Transfer WorkerLink::Hear(std::span<char> buffer) {
  const os::Transferred moved = os::Receive(socket(), buffer);
  if (moved.state == os::Transfer::kMoved) {
    intake_.Feed(std::string_view(buffer.data(), moved.bytes));
  }
  return moved.state;
}

}  // namespace plimsoll::wasm
