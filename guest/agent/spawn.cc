#include "guest/agent/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::guest {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

base::Fault Failed(std::string_view what, int error) {
  return {base::FaultKind::kInternal, std::string(what) + ": " + NameOfErrno(error)};
}

std::optional<std::string_view> ValueOf(const std::vector<std::string>& environment, std::string_view name) {
  for (std::string_view entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

bool IsProgram(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Folders of PATH that are not absolute are passed over: what they mean would depend on the working directory.
std::optional<std::string> FindProgram(const std::string& name, const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) {
    return IsProgram(name) ? std::optional(name) : std::nullopt;
  }
  std::string_view rest = ValueOf(environment, "PATH").value_or(kDefaultPath);
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string path = std::string(folder) + "/" + name;
    if (folder.starts_with('/') && IsProgram(path)) {
      return path;
    }
  }
  return std::nullopt;
}

struct Pipe {
  os::UniqueFd ours;
  os::UniqueFd theirs;
};

enum class Flow { kToGuest, kFromGuest };

base::Result<Pipe> MakePipe(Flow flow) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Failed("make a pipe", errno);
  }
  if (flow == Flow::kToGuest) {
    std::swap(ends[0], ends[1]);
  }
  Pipe pipe{.ours = os::UniqueFd(ends[0]), .theirs = os::UniqueFd(ends[1])};
  if (::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK) != 0) {
    return Failed("make a pipe that does not block", errno);
  }
  return pipe;
}

// One posix_spawn: its actions and attributes, freed together. Everything the agent holds is close-on-exec, so the
// child has the three streams named here and nothing else.
class SpawnPlan {
 public:
  SpawnPlan() {
    PLIMSOLL_CHECK(posix_spawn_file_actions_init(&actions_) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_init(&attributes_) == 0);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    // Not sigfillset: it leaves out the two signals libc keeps for itself, which the agent ignores as well.
    std::memset(&all, 0xff, sizeof all);
    PLIMSOLL_CHECK(posix_spawnattr_setsigmask(&attributes_, &none) == 0);
    PLIMSOLL_CHECK(posix_spawnattr_setsigdefault(&attributes_, &all) == 0);
    constexpr short kFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    PLIMSOLL_CHECK(posix_spawnattr_setflags(&attributes_, kFlags) == 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    static_cast<void>(posix_spawn_file_actions_destroy(&actions_));
    static_cast<void>(posix_spawnattr_destroy(&attributes_));
  }

  void Give(const os::UniqueFd& from, int to) {
    PLIMSOLL_CHECK(posix_spawn_file_actions_adddup2(&actions_, from.get(), to) == 0);
  }
  void GoTo(const std::string& directory) {
    PLIMSOLL_CHECK(posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()) == 0);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Pointers into `strings`, ended by null, in the shape exec takes. exec does not write through them.
std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// `/home/x` of a line `name:password:uid:gid:text:/home/x:shell` whose third field is `uid`.
std::optional<std::string> HomeIn(std::string_view line, std::string_view uid) {
  std::array<std::string_view, 6> fields;
  for (std::string_view& field : fields) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return std::nullopt;
    }
    field = line.substr(0, colon);
    line.remove_prefix(colon + 1);
  }
  const bool fits = fields[2] == uid && fields[5].starts_with('/');
  return fits ? std::optional(std::string(fields[5])) : std::nullopt;
}

std::string HomeOf(uid_t user) {
  const os::UniqueFd file(::open("/etc/passwd", O_RDONLY | O_CLOEXEC));
  std::string text(std::size_t{256} * 1024, '\0');
  const ssize_t count = file.is_open() ? ::read(file.get(), text.data(), text.size()) : 0;
  std::string_view rest(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::string uid = std::to_string(user);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (auto home = HomeIn(line, uid)) {
      return *std::move(home);
    }
  }
  return "/";
}

std::string HostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

base::Result<Started> Spawn(const Start& start) {
  const auto program = FindProgram(start.argv.front(), start.environment);
  if (!program) {
    return base::Fault{base::FaultKind::kInternal, "no such program on PATH"};
  }
  auto output = MakePipe(Flow::kFromGuest);
  auto errors = MakePipe(Flow::kFromGuest);
  auto input = start.input == Start::Input::kPipe ? MakePipe(Flow::kToGuest) : Pipe{};
  for (const auto* pipe : {&output, &errors, &input}) {
    if (!pipe->has_value()) {
      return pipe->error();
    }
  }
  SpawnPlan plan;
  if (start.input == Start::Input::kPipe) {
    plan.Give(input->theirs, STDIN_FILENO);
  }
  plan.Give(output->theirs, STDOUT_FILENO);
  plan.Give(errors->theirs, STDERR_FILENO);
  if (!start.directory.empty()) {
    plan.GoTo(start.directory);
  }
  std::vector<std::string> argv = start.argv;
  std::vector<std::string> environment = start.environment;
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program->c_str(), plan.actions(), plan.attributes(), Pointers(argv).data(),
                                  Pointers(environment).data());
  if (error != 0) {
    return Failed("start it", error);
  }
  return Started{.pid = pid,
                 .input = std::move(input->ours),
                 .output = std::move(output->ours),
                 .errors = std::move(errors->ours)};
}

std::vector<std::string> WithHome(std::vector<std::string> environment) {
  if (!ValueOf(environment, "HOME")) {
    environment.push_back("HOME=" + HomeOf(::getuid()));
  }
  if (!ValueOf(environment, "HOSTNAME")) {
    environment.push_back("HOSTNAME=" + HostName());
  }
  return environment;
}

std::string NameOfErrno(int error) {
  const char* name = ::strerrorname_np(error);
  return name != nullptr ? std::string(name) : "errno " + std::to_string(error);
}

}  // namespace plimsoll::guest
