#include "providers/wasm/testing/worker_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "base/check.h"
#include "os/socket_pair.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

// Generous: a sanitizer build on a loaded machine.
constexpr milliseconds kPatience{60'000};
constexpr int kWorkerSocket = 3;

bool WaitFor(int fd, short events, milliseconds patience) {
  pollfd wait{.fd = fd, .events = events, .revents = 0};
  return ::poll(&wait, 1, static_cast<int>(patience.count())) > 0;
}

std::int64_t WallMicroseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

WorkerClient::WorkerClient(std::string_view program, std::uint32_t pages) {
  auto pair = os::MakeSocketPair();
  PLIMSOLL_CHECK(pair.has_value());
  std::string path = PLIMSOLL_BIN_DIR "/";
  path += program;
  auto child = os::Child::Start({.program = path,
                                 .arguments = {std::to_string(kWorkerSocket), std::to_string(pages)},
                                 .environment = {"PLIMSOLL_TEST_SECRET=leaked"},
                                 .passed = {{.from = pair->theirs.get(), .to = kWorkerSocket}, {.from = 2, .to = 2}}});
  PLIMSOLL_CHECK(child.has_value());
  child_ = std::move(child).value();
  socket_ = std::move(pair->ours);
  pair->theirs.Close();
  frames::Frame frame{};
  ready_ = NextFrame(frame, kPatience) && frame.type == frames::Type::kReady;
}

bool WorkerClient::NextFrame(frames::Frame& frame, milliseconds patience) {
  std::array<char, 65536> buffer;
  while (true) {
    const auto state = decoder_.Next(frame);
    if (!state.has_value() || *state == frames::Decoder::State::kFrame) {
      return state.has_value();
    }
    if (!WaitFor(socket_.get(), POLLIN, patience)) {
      return false;
    }
    const auto received = os::Receive(socket_.get(), buffer);
    if (received.state == os::Transfer::kClosed) {
      return false;
    }
    decoder_.Feed({buffer.data(), received.bytes});
  }
}

void WorkerClient::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = os::Send(socket_.get(), bytes);
    if (sent.state == os::Transfer::kClosed) {
      return;
    }
    bytes.remove_prefix(sent.bytes);
    if (sent.state == os::Transfer::kWouldBlock) {
      PLIMSOLL_CHECK(WaitFor(socket_.get(), POLLOUT, kPatience));
    }
  }
}

void WorkerClient::Send(std::string_view code, milliseconds timeout) {
  frames::RunOrder order{
      .timeout_ms = static_cast<std::uint32_t>(timeout.count()), .wall_unix_us = WallMicroseconds(), .code = code};
  order.seed[0] = next_seed_++;
  std::string bytes;
  frames::AppendRunOrder(order, bytes);
  SendRaw(bytes);
}

Heard WorkerClient::Hear(milliseconds patience, std::size_t enough) {
  Heard heard;
  frames::Frame frame{};
  while (heard.out.size() + heard.err.size() < enough && NextFrame(frame, patience)) {
    if (frame.type == frames::Type::kStdout) {
      heard.out += frame.body;
    } else if (frame.type == frames::Type::kStderr) {
      heard.err += frame.body;
    } else if (frame.type == frames::Type::kEnded) {
      heard.ended = frames::ParseEnded(frame.body).value();
      break;
    }
  }
  return heard;
}

Heard WorkerClient::Run(std::string_view code, milliseconds timeout) {
  Send(code, timeout);
  return Hear(kPatience);
}

os::ExitStatus WorkerClient::Close() {
  socket_.Close();
  return Wait();
}

os::ExitStatus WorkerClient::Wait() {
  PLIMSOLL_CHECK(WaitFor(child_->pidfd(), POLLIN, kPatience));
  return child_->TryReap().value();
}

}  // namespace plimsoll::wasm
