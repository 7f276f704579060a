#include "tests/conformance/plain_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "os/unique_fd.h"

extern char** environ;

namespace plimsoll::conformance {
namespace {

using std::chrono::milliseconds;

struct Pipe {
  os::UniqueFd read;
  os::UniqueFd write;
};

base::Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return base::Fault{base::FaultKind::kOverloaded, "no pipe"};
  }
  return Pipe{os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

// A child with its three streams as pipes, all else inherited.
struct Started {
  pid_t pid = 0;
  os::UniqueFd in;
  os::UniqueFd out;
  os::UniqueFd err;
};

base::Result<Started> StartNode() {
  auto in = MakePipe();
  auto out = MakePipe();
  auto err = MakePipe();
  if (!in || !out || !err) {
    return base::Fault{base::FaultKind::kOverloaded, "no pipes"};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in->read.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out->write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err->write.get(), 2);
  std::string node = "node";
  std::string dash = "-";
  std::array<char*, 3> argv = {node.data(), dash.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "node", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return base::Fault{base::FaultKind::kUnavailable, "node cannot be started"};
  }
  fcntl(in->write.get(), F_SETFL, O_NONBLOCK);
  return Started{pid, std::move(in->write), std::move(out->read), std::move(err->read)};
}

void Take(os::UniqueFd& fd, std::string& kept, bool& cut) {
  constexpr std::size_t kCap = 65'536;
  std::array<char, 65'536> buffer;
  const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
  if (got <= 0) {
    fd.Close();
    return;
  }
  const std::size_t room = kCap - kept.size();
  cut = cut || static_cast<std::size_t>(got) > room;
  kept.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
}

void Give(os::UniqueFd& fd, std::string_view& code) {
  const ssize_t sent = write(fd.get(), code.data(), code.size());
  if (sent > 0) {
    code.remove_prefix(static_cast<std::size_t>(sent));
  }
  if (sent <= 0 || code.empty()) {
    fd.Close();
  }
}

// Moves bytes until both outputs end, the deadline passes or the caller leaves.
enum class Why { kEnded, kDeadline, kStopped };
Why Move(Started& child, std::string_view code, run::JavaScriptResult& result, base::SteadyTime deadline,
         const std::stop_token& stop) {
  while (child.out.is_open() || child.err.is_open()) {
    if (stop.stop_requested()) {
      return Why::kStopped;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      return Why::kDeadline;
    }
    std::array<pollfd, 3> polled = {
        {{child.in.get(), POLLOUT, 0}, {child.out.get(), POLLIN, 0}, {child.err.get(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), 20);
    if (child.in.is_open() && polled[0].revents != 0) {
      Give(child.in, code);
    }
    if (child.out.is_open() && polled[1].revents != 0) {
      Take(child.out, result.stdout_bytes, result.stdout_truncated);
    }
    if (child.err.is_open() && polled[2].revents != 0) {
      Take(child.err, result.stderr_bytes, result.stderr_truncated);
    }
  }
  return Why::kEnded;
}

class PlainProcess final : public provider::Provider {
 public:
  explicit PlainProcess(const base::Clock& clock) : clock_(clock) {
    profile_.provider = "plain";
    profile_.javascript = isolation::Environment{.identity = "plain:none",
                                                 .software_identity = {},
                                                 .default_timeout = milliseconds(5'000),
                                                 .max_timeout = milliseconds(30'000),
                                                 .languages = {"javascript"}};
  }
  const isolation::Profile& Offer() const override { return profile_; }
  isolation::StatedTier Tier() const override { return isolation::Tier::kProcess; }
  base::Status Preflight(base::SteadyTime /*deadline*/) override { return base::Ok(); }
  base::Status SmokeTest(base::SteadyTime /*deadline*/) override { return base::Ok(); }
  base::Status Drain(base::SteadyTime /*deadline*/) override { return base::Ok(); }
  void Run(provider::Order order, provider::RunDone done) override { done(Answer(order)); }

 private:
  base::Result<run::Report> Answer(const provider::Order& order) {
    const run::Request& request = order.request;
    if (auto refusal = isolation::RefuseBelow(request.floor(), Tier())) {
      return std::move(*refusal);
    }
    if (!request.any_software()) {
      return base::Refusal{base::Rule::kSoftwareMismatch, "no software identity"};
    }
    if (request.kind() != run::Kind::kJavaScript) {
      return base::Refusal{base::Rule::kUnsupported, "snippets only"};
    }
    if (order.stop.stop_requested()) {
      return base::Refusal{base::Rule::kCanceled, "the caller left"};
    }
    const auto start = clock_.Steady();
    auto child = StartNode();
    if (!child) {
      return child.error();
    }
    run::JavaScriptResult result;
    const Why why = Move(*child, request.javascript().code, result,
                         start + std::min(request.timeout(), profile_.javascript->max_timeout), order.stop);
    if (why != Why::kEnded) {
      kill(child->pid, SIGKILL);
    }
    int status = 0;
    waitpid(child->pid, &status, 0);
    if (why == Why::kStopped) {
      return base::Fault{base::FaultKind::kCanceled, "the caller left"};
    }
    result.timed_out = why == Why::kDeadline;
    result.exit_code = result.timed_out    ? run::kExitDeadline
                       : WIFEXITED(status) ? WEXITSTATUS(status)
                                           : 128 + WTERMSIG(status);
    return run::Report{.provider = profile_.provider,
                       .tier = Tier(),
                       .environment = profile_.javascript->identity,
                       .software_identity = {},
                       .instance = {},
                       .duration = std::chrono::duration_cast<milliseconds>(clock_.Steady() - start),
                       .result = std::move(result)};
  }

  const base::Clock& clock_;
  isolation::Profile profile_;
};

}  // namespace

base::Result<std::unique_ptr<provider::Provider>> MakePlainProcess(const base::Clock& clock) {
  return std::unique_ptr<provider::Provider>(std::make_unique<PlainProcess>(clock));
}

}  // namespace plimsoll::conformance
