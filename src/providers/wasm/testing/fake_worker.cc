// A worker program for tests: it speaks the frames of a real one, and breaks them as the code it is given says. What it
// does at its start depends on the name it is called by, since a host tells every worker the same.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frames/frame.h"

namespace plimsoll::wasm {
namespace {

using frames::End;
using frames::Ended;
using frames::Next;
using frames::Type;

class FakeWorker {
 public:
  explicit FakeWorker(int socket) : socket_(socket) {}

  void Ready() { Say(Type::kReady, ""); }

  // Serves orders until the host hangs up.
  [[noreturn]] void Serve() {
    for (;;) {
      frames::Frame frame;
      const auto state = decoder_.Next(frame);
      if (!state) {
        std::_Exit(3);
      }
      if (*state == frames::Decoder::State::kNeedMore) {
        Receive();
        continue;
      }
      const auto order = frames::ParseRunOrder(frame.body);
      if (!order) {
        std::_Exit(4);
      }
      Obey(std::string(order->code), order->timeout_ms);
      ++runs_;
    }
  }

  // Silent until the host is gone, which a parent's death that came before prctl does not tell.
  [[noreturn]] void Sleep() const {
    pollfd host = {.fd = socket_, .events = 0, .revents = 0};
    while (::poll(&host, 1, -1) != 1) {
    }
    _exit(0);
  }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        std::_Exit(0);
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

 private:
  void Receive() {
    char buffer[65536];
    const ssize_t got = ::read(socket_, buffer, sizeof buffer);
    if (got <= 0) {
      std::_Exit(0);
    }
    decoder_.Feed(std::string_view(buffer, static_cast<std::size_t>(got)));
  }

  void Say(Type type, std::string_view body) {
    std::string frame;
    frames::Append(type, body, frame);
    Send(frame);
  }
  void Print(std::string_view text) { Say(Type::kStdout, text); }
  void Finish(Ended ended) {
    std::string frame;
    frames::AppendEnded(ended, frame);
    Send(frame);
  }
  void FinishWell() { Finish({.end = End::kFinished, .next = Next::kReuse}); }

  // `verb` or `verb argument`.
  void Obey(const std::string& code, std::uint32_t timeout_ms) {
    const std::size_t space = code.find(' ');
    const std::string verb = code.substr(0, space);
    const std::string argument = space == std::string::npos ? "" : code.substr(space + 1);
    if (!Behave(verb, argument, timeout_ms)) {
      Misbehave(verb, argument);
    }
  }

  bool Behave(const std::string& verb, const std::string& argument, std::uint32_t timeout_ms) {
    if (verb == "echo") {
      if (!argument.empty()) {
        Print(argument);
      }
      FinishWell();
    } else if (verb == "pid") {
      Print(std::to_string(::getpid()));
      FinishWell();
    } else if (verb == "runs") {
      Print(std::to_string(runs_));
      FinishWell();
    } else if (verb == "timeout") {
      Print(std::to_string(timeout_ms));
      FinishWell();
    } else if (verb == "exit") {
      Finish({.end = End::kFinished, .next = Next::kReuse, .exit_code = Number(argument)});
    } else if (verb == "fill") {  // both streams to the byte, in pieces
      Fill(static_cast<std::size_t>(Number(argument)));
      FinishWell();
    } else if (verb == "trap") {
      Say(Type::kStderr, "guest aborted: unreachable");
      Finish({.end = End::kTrapped, .next = Next::kDiscard, .exit_code = 134});
    } else if (verb == "discard") {
      Print(std::to_string(::getpid()));
      Finish({.end = End::kFinished, .next = Next::kDiscard});
    } else if (verb == "poll-deadline") {
      Print("before");
      SleepMs(timeout_ms);
      Finish({.end = End::kDeadline, .next = Next::kDiscard});
    } else if (verb == "hang") {
      Print(argument.empty() ? "before" : argument);
      Sleep();
    } else if (verb == "sleep") {
      SleepMs(static_cast<std::uint32_t>(Number(argument)));
      FinishWell();
    } else if (verb == "deaf") {  // reads no further order: what the host sends next stays in the socket
      FinishWell();
      Sleep();
    } else {
      return false;
    }
    return true;
  }

  void Misbehave(const std::string& verb, const std::string& argument) {
    if (verb == "unknown-type") {
      Send(std::string_view("\x09\x00\x00\x00\x00", 5));
    } else if (verb == "huge-length") {
      Send(std::string_view("\x03\xff\xff\xff\xff", 5));
    } else if (verb == "empty-output") {
      Send(std::string_view("\x03\x00\x00\x00\x00", 5));
    } else if (verb == "run-frame") {
      std::string frame;
      frames::AppendRunOrder({.code = "echo"}, frame);
      Send(frame);
    } else if (verb == "second-ready") {
      Ready();
    } else if (verb == "flood") {
      for (;;) {
        Print(std::string(frames::kMaxOutput, 'x'));
      }
    } else if (verb == "bad-ended") {
      Send(std::string_view("\x05\x07\x00\x00\x00\x63\x01\x00\x00\x00\x00\x00", 12));
    } else if (verb == "bad-exit-code") {
      Finish({.end = End::kFinished, .next = Next::kReuse, .exit_code = 256});
    } else if (verb == "reuse-after-trap") {
      Finish({.end = End::kTrapped, .next = Next::kReuse, .exit_code = 134});
    } else if (verb == "early-deadline") {
      Finish({.end = End::kDeadline, .next = Next::kDiscard, .exit_code = 124});
    } else if (verb == "close") {
      ::close(socket_);
    } else if (verb == "die") {
      Print("last words");
      ::kill(::getpid(), SIGKILL);
    } else {
      MisbehaveAfterwards(verb, argument);
      return;
    }
    Sleep();
  }

  void MisbehaveAfterwards(const std::string& verb, const std::string& argument) {
    if (verb == "ended-twice") {
      FinishWell();
      FinishWell();
    } else if (verb == "ended-then-output") {  // in one piece, so that both arrive together
      std::string frames;
      frames::AppendEnded({.end = End::kFinished, .next = Next::kReuse}, frames);
      frames::Append(Type::kStdout, "late", frames);
      Send(frames);
    } else if (verb == "ended-then-late-output") {
      FinishWell();
      SleepMs(static_cast<std::uint32_t>(Number(argument)));
      Print("late");
    } else if (verb == "ended-then-half-a-frame") {
      std::string frames;
      frames::AppendEnded({.end = End::kFinished, .next = Next::kReuse}, frames);
      frames += '\x03';
      Send(frames);
    } else if (verb == "ended-then-die") {
      FinishWell();
      std::_Exit(0);
    }
  }

  void Fill(std::size_t bytes) {
    for (const Type type : {Type::kStdout, Type::kStderr}) {
      for (std::size_t left = bytes; left > 0;) {
        const std::size_t piece = left < 1000 ? left : 1000;
        Say(type, std::string(piece, type == Type::kStdout ? '\xff' : 'e'));
        left -= piece;
      }
    }
  }

  static int Number(const std::string& text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  static void SleepMs(std::uint32_t ms) {
    const timespec time{.tv_sec = ms / 1000, .tv_nsec = static_cast<long>(ms % 1000) * 1'000'000};
    ::nanosleep(&time, nullptr);
  }

  int socket_;
  int runs_ = 0;
  frames::Decoder decoder_;
};

int Main(std::string_view name, int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  FakeWorker worker(socket);
  if (name.ends_with("dies-at-start")) {
    return 5;
  }
  if (name.ends_with("silent-at-start")) {
    worker.Sleep();
  }
  if (name.ends_with("garbage-at-start")) {
    worker.Send("not a frame at all");
    worker.Sleep();
  }
  worker.Ready();
  if (name.ends_with("dies-when-ready")) {
    return 6;
  }
  worker.Serve();
}

}  // namespace
}  // namespace plimsoll::wasm

// Called like the real one: SOCKET PAGES.
int main(int argc, char** argv) { return argc == 3 ? plimsoll::wasm::Main(argv[0], std::atoi(argv[1])) : 2; }
