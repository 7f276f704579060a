#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "guest/agent/probe_attempts.h"
#include "guest/agent/probe_fact.h"

namespace plimsoll::guest {
namespace {

constexpr timeval kSocketWait = {.tv_sec = 3, .tv_usec = 0};
constexpr std::size_t kMaxReply = 128;

int TryOpen(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    return errno;
  }
  ::close(file);
  return 0;
}

// Attaches the one way or the other and lets go at once.
int TryTrace(pid_t pid, __ptrace_request request) {
  if (::ptrace(request, pid, nullptr, nullptr) != 0) {
    return errno;
  }
  if (request == PTRACE_SEIZE) {
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
  }
  ::waitpid(pid, nullptr, __WALL);
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return 0;
}

// One byte at the null address, which no process maps: EFAULT says that the kernel would have let us.
constexpr iovec kNowhere = {.iov_base = nullptr, .iov_len = 1};

int TryReadMemory(pid_t pid) {
  char byte = 0;
  const iovec here = {.iov_base = &byte, .iov_len = 1};
  return ::process_vm_readv(pid, &here, 1, &kNowhere, 1, 0) < 0 ? errno : 0;
}

int TryWriteMemory(pid_t pid) {
  char byte = 0;
  const iovec here = {.iov_base = &byte, .iov_len = 1};
  return ::process_vm_writev(pid, &here, 1, &kNowhere, 1, 0) < 0 ? errno : 0;
}

// Sends the line and reads up to a line end; errno of the first step that failed.
int Exchange(int socket, const std::string& path, std::string_view line, std::string& reply) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return ENAMETOOLONG;
  }
  path.copy(address.sun_path, path.size());
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return errno;
  }
  const std::string sent = std::string(line) + "\n";
  if (::send(socket, sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(sent.size())) {
    return errno != 0 ? errno : EPIPE;
  }
  while (reply.size() < kMaxReply && reply.find('\n') == std::string::npos) {
    char piece[kMaxReply];
    const ssize_t now = ::recv(socket, piece, sizeof(piece), 0);
    if (now <= 0) {
      return now == 0 ? EPIPE : errno;
    }
    reply.append(piece, static_cast<std::size_t>(now));
  }
  return 0;
}

}  // namespace

void ProbeUnixSocket(const std::string& path, std::string_view line) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string reply;
  int error = socket < 0 ? errno : 0;
  if (error == 0) {
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kSocketWait, sizeof(kSocketWait));
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kSocketWait, sizeof(kSocketWait));
    error = Exchange(socket, path, line, reply);
    ::close(socket);
  }
  reply.resize(std::min({reply.size(), reply.find('\n'), kMaxReply}));
  Fact("unix-socket").Error("result", error).Text("reply", reply).Print();
}

void ProbeHidden(std::int32_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  Fact("agent-hidden")
      .Error("fd0_read", TryOpen(folder + "/fd/0", O_RDONLY))
      .Error("fd1_read", TryOpen(folder + "/fd/1", O_RDONLY))
      .Error("fd1_write", TryOpen(folder + "/fd/1", O_WRONLY))
      .Error("mem", TryOpen(folder + "/mem", O_RDWR))
      .Error("environ", TryOpen(folder + "/environ", O_RDONLY))
      .Error("maps", TryOpen(folder + "/maps", O_RDONLY))
      .Error("ptrace_attach", TryTrace(pid, PTRACE_ATTACH))
      .Error("ptrace_seize", TryTrace(pid, PTRACE_SEIZE))
      .Error("vm_read", TryReadMemory(pid))
      .Error("vm_write", TryWriteMemory(pid))
      .Print();
}

}  // namespace plimsoll::guest
