#include "providers/docker/probes/reply_socket.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "os/accept.h"
#include "os/poller.h"
#include "os/socket_pair.h"
#include "os/system_clock.h"
#include "providers/docker/probes/trial.h"
#include "providers/docker/reaper.h"

namespace plimsoll::docker {
namespace {

constexpr const char* kName = "probe.sock";
constexpr unsigned kForEverybody = 0666;
// How long one visitor may take, and how long the socket is there at all without being let go.
constexpr std::chrono::seconds kVisit{3};
constexpr std::chrono::minutes kLongest{10};

base::SteadyTime After(base::SteadyTime::duration time) { return os::SystemClock().Steady() + time; }

// Reads up to the end of the question and answers it.
void Reply(int visitor, const os::Flag& stop) {
  const std::string question = std::string(kSocketQuestion) + "\n";
  const base::SteadyTime deadline = After(kVisit);
  std::string heard;
  while (heard.size() < question.size()) {
    std::array<char, 64> piece;
    if (os::WaitFor(visitor, os::Interest::kRead, stop, deadline) != os::Woken::kReady) {
      return;
    }
    const os::Transferred got = os::Receive(visitor, piece);
    if (got.state == os::Transfer::kClosed) {
      return;
    }
    heard.append(piece.data(), got.bytes);
  }
  if (heard == question) {
    os::Send(visitor, std::string(kSocketReply) + "\n");
  }
}

}  // namespace

base::Result<std::unique_ptr<ReplySocket>> ReplySocket::Open(const std::string& root, base::Random& random) {
  auto folder = os::PrivateDir::Make(root, kHostDirPrefix, random);
  if (!folder) {
    return std::move(folder).error();
  }
  auto listener = (*folder)->Listen(kName, kForEverybody);
  if (!listener) {
    return std::move(listener).error();
  }
  auto stop = os::Flag::Create();
  if (!stop) {
    return std::move(stop).error();
  }
  return std::unique_ptr<ReplySocket>(
      new ReplySocket(std::move(folder).value(), std::move(listener).value(), std::move(stop).value()));
}

ReplySocket::ReplySocket(std::unique_ptr<os::PrivateDir> folder, os::UniqueFd listener, os::Flag stop)
    : folder_(std::move(folder)),
      listener_(std::move(listener)),
      stop_(std::move(stop)),
      server_([this] { Serve(); }) {}

ReplySocket::~ReplySocket() {
  stop_.Raise();
  server_.join();
}

std::string ReplySocket::path() const { return folder_->path() + "/" + kName; }

void ReplySocket::Serve() {
  const base::SteadyTime end = After(kLongest);
  while (os::WaitFor(listener_.get(), os::Interest::kRead, stop_, end) == os::Woken::kReady) {
    const os::UniqueFd visitor = os::Accept(listener_.get());
    if (visitor.is_open()) {
      Reply(visitor.get(), stop_);
    }
  }
}

}  // namespace plimsoll::docker
