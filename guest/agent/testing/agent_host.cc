#include "guest/agent/testing/agent_host.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/check.h"
#include "testkit/temp_folder.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
namespace fs = std::filesystem;
using agent::Type;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kGuestUser = "61000";

std::array<std::byte, agent::Key::kSize> FreshKey() {
  std::array<std::byte, agent::Key::kSize> bytes;
  std::ifstream random("/dev/urandom", std::ios::binary);
  random.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  return bytes;
}

std::pair<os::UniqueFd, os::UniqueFd> MakePipe() {
  int ends[2];
  PLIMSOLL_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  return {os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

template <typename Condition>
bool WaitFor(milliseconds longest, Condition condition) {
  const auto until = steady_clock::now() + longest;
  while (!condition()) {
    if (steady_clock::now() >= until) {
      return false;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

os::ProgramStart Command(User user, Namespace space) {
  std::vector<std::string> words;
  if (space == Namespace::kOwnPids) {
    words = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
    if (::getuid() != 0) {
      words.insert(words.begin() + 1, {"--user", "--map-root-user"});
    }
  }
  if (user == User::kOrdinary && ::getuid() == 0) {
    const std::string id(kGuestUser);
    words.insert(words.end(), {"/usr/bin/setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--"});
  }
  words.push_back(ProgramFolder() + "/plimsoll-guest");
  // What the agent must not pass on.
  return {.program = words.front(),
          .arguments = {words.begin() + 1, words.end()},
          .environment = {"SECRET_OF_THE_HOST=1", "PATH=/usr/bin:/bin"}};
}

}  // namespace

const std::string& ProgramFolder() {
  struct Programs {
    Programs() {
      for (const char* name : {"plimsoll-guest", "plimsoll-guest-tricks"}) {
        fs::copy_file(fs::path(PLIMSOLL_BIN_DIR) / name, folder.Path(name));
        fs::permissions(folder.Path(name), fs::perms(0755));
      }
    }
    testkit::TempFolder folder{fs::perms(0755)};
  };
  static const Programs programs;
  return programs.folder.path();
}

std::vector<std::string> GuestEnvironment() { return {"PATH=" + ProgramFolder() + ":/usr/local/bin:/usr/bin:/bin"}; }

AgentHost::AgentHost(User user, Namespace space) : control_key_(FreshKey()), call_key_(FreshKey()) {
  std::signal(SIGPIPE, SIG_IGN);  // an agent that is gone is seen by the write that fails
  auto [agent_input, to_agent] = MakePipe();
  auto [from_agent, agent_output] = MakePipe();
  os::ProgramStart start = Command(user, space);
  const os::UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  start.passed = {{agent_input.get(), 0}, {agent_output.get(), 1}, {null.get(), 2}};
  auto child = os::Child::Start(start);
  PLIMSOLL_CHECK(child.has_value());
  child_.emplace(std::move(child).value());
  to_agent_ = std::move(to_agent);
  from_agent_ = std::move(from_agent);
  sender_.Open(agent::kControl, agent::Key(control_key_));
  receiver_.Open(agent::kControl, agent::Key(control_key_));
  SendRaw(std::string_view(reinterpret_cast<const char*>(control_key_.data()), control_key_.size()));
  HearUntil(kept_, milliseconds(10'000), [this] { return ready_.has_value(); });
}

AgentHost::~AgentHost() {
  HangUp();
  from_agent_.Close();
  static_cast<void>(Wait(milliseconds(5000)));
}

void AgentHost::OpenCall(agent::Kind kind) {
  if (std::exchange(has_call_, true)) {
    sender_.Close(call_);
    receiver_.Close(call_++);
    call_key_ = FreshKey();
  }
  const agent::Key key(call_key_);
  Send(Type::kKey, agent::kControl, agent::EncodeOpenCall({.channel = call_, .kind = kind, .key = key}));
  sender_.Open(call_, key);
  receiver_.Open(call_, key);
}

void AgentHost::SendPlan(const agent::Plan& plan) { Send(Type::kPlan, call_, agent::EncodePlan(plan)); }

void AgentHost::SendFiles(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<agent::FileHead> heads;
  std::string content;
  for (const auto& [path, bytes] : files) {
    heads.push_back({.path = path, .size = bytes.size()});
    content += bytes;
  }
  Send(Type::kFiles, call_, agent::EncodeFiles(heads));
  for (std::string_view rest = content; !rest.empty(); rest.remove_prefix(std::min(rest.size(), agent::kMaxPiece))) {
    Send(Type::kPiece, call_, rest.substr(0, agent::kMaxPiece));
  }
}

void AgentHost::SendBegin(milliseconds budget) { Send(Type::kBegin, call_, agent::EncodeBegin(budget)); }

std::string AgentHost::Made(Type type, std::uint32_t channel, std::string_view body) {
  std::string bytes;
  sender_.Append(type, channel, body, bytes);
  return bytes;
}

void AgentHost::Send(Type type, std::uint32_t channel, std::string_view body) { SendRaw(Made(type, channel, body)); }

void AgentHost::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to_agent_.get(), bytes.data(), bytes.size());
    if (count <= 0) {
      return;  // the agent is gone; the test sees that
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AgentHost::BeginSnippet(agent::Plan plan, std::string_view code, milliseconds budget) {
  OpenCall(agent::Kind::kSnippet);
  if (plan.environment.empty()) {
    plan.environment = GuestEnvironment();
  }
  SendPlan(plan);
  SendFiles({{"", std::string(code)}});
  SendBegin(budget);
}

void AgentHost::BeginProject(agent::Plan plan, const std::vector<std::pair<std::string, std::string>>& files,
                             milliseconds budget) {
  OpenCall(agent::Kind::kProject);
  if (plan.environment.empty()) {
    plan.environment = GuestEnvironment();
  }
  SendPlan(plan);
  SendFiles(files);
  SendBegin(budget);
}

template <typename Until>
void AgentHost::HearUntil(Heard& heard, milliseconds longest, Until until) {
  const auto start = steady_clock::now();
  bool goes_on = true;
  while (goes_on) {
    agent::Frame frame;
    auto next = receiver_.Next(frame);
    if (!next) {
      break;
    }
    if (*next == agent::Receiver::State::kNeedMore) {
      goes_on = ReadMore(start + longest);
    } else {
      goes_on = Take(frame, heard) && !until();
    }
  }
  heard.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
}

Heard AgentHost::Hear(milliseconds longest) {
  Heard heard = std::exchange(kept_, {});
  HearUntil(heard, longest, [&] { return heard.done.has_value(); });
  return heard;
}

Heard AgentHost::HearSome(milliseconds longest) {
  HearUntil(kept_, longest, [this] {
    return std::any_of(kept_.steps.begin(), kept_.steps.end(),
                       [](const StepHeard& step) { return step.output_frames > 0; });
  });
  return kept_;
}

bool AgentHost::Ping(std::string_view nonce) {
  pong_.reset();
  Send(Type::kPing, agent::kControl, nonce);
  HearUntil(kept_, milliseconds(5000), [this] { return pong_.has_value(); });
  return pong_ == nonce;
}

std::optional<agent::Swept> AgentHost::Sweep(const agent::SweepOrder& order, milliseconds longest) {
  swept_.reset();
  Send(Type::kSweep, agent::kControl, agent::EncodeSweep(order));
  HearUntil(kept_, longest, [this] { return swept_.has_value(); });
  return swept_;
}

bool AgentHost::ReadMore(steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
  pollfd entry = {.fd = from_agent_.get(), .events = POLLIN, .revents = 0};
  if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) <= 0) {
    return false;
  }
  std::array<char, 65536> bytes;
  const ssize_t count = ::read(from_agent_.get(), bytes.data(), bytes.size());
  if (count <= 0) {
    return false;
  }
  receiver_.Feed(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
  return true;
}

StepHeard& AgentHost::StepOf(Heard& heard, std::uint32_t index) {
  heard.steps.resize(std::max<std::size_t>(heard.steps.size(), index + 1));
  return heard.steps[index];
}

bool AgentHost::Take(const agent::Frame& frame, Heard& heard) {
  switch (frame.type) {
    case Type::kReady: ready_ = agent::ParseReady(frame.body).value(); return true;
    case Type::kPong: pong_ = std::string(frame.body); return true;
    case Type::kSwept: swept_ = agent::ParseSwept(frame.body).value(); return true;
    case Type::kStarted: StepOf(heard, agent::ParseStarted(frame.body).value()).started = true; return true;
    case Type::kStdout:
    case Type::kStderr: {
      const auto output = agent::ParseOutput(frame.body).value();
      StepHeard& step = StepOf(heard, output.step);
      (frame.type == Type::kStdout ? step.out : step.err).append(output.bytes);
      ++step.output_frames;
      return true;
    }
    case Type::kExited: {
      const auto exited = agent::ParseExited(frame.body).value();
      StepOf(heard, exited.step).exited = exited;
      return true;
    }
    case Type::kArtifact: {
      const auto piece = agent::ParseArtifact(frame.body).value();
      open_artifact_.append(piece.bytes);
      if (piece.last) {
        heard.artifacts[piece.index] = std::exchange(open_artifact_, {});
        heard.artifact_order.push_back(piece.index);
      }
      return true;
    }
    case Type::kDone: heard.done = agent::ParseDone(frame.body).value(); return true;
    case Type::kKey:
    case Type::kCancel:
    case Type::kPing:
    case Type::kSweep:
    case Type::kPlan:
    case Type::kFiles:
    case Type::kPiece:
    case Type::kBegin: return false;
  }
  return false;
}

std::optional<os::ExitStatus> AgentHost::Wait(milliseconds longest) {
  pollfd ended = {.fd = child_->pidfd(), .events = POLLIN, .revents = 0};
  static_cast<void>(::poll(&ended, 1, static_cast<int>(longest.count())));
  return child_->TryReap();
}

std::string Mark(int seconds) { return std::to_string(seconds) + "." + std::to_string(::getpid()) + "s"; }

int ProcessesWith(std::string_view mark) {
  int count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    count += text.str().find(mark) != std::string::npos ? 1 : 0;
  }
  return count;
}

bool BecomesProcessesWith(std::string_view mark, int count, milliseconds longest) {
  return WaitFor(longest, [&] { return ProcessesWith(mark) == count; });
}

bool ReachesProcessesWith(std::string_view mark, int least, milliseconds longest) {
  return WaitFor(longest, [&] { return ProcessesWith(mark) >= least; });
}

}  // namespace plimsoll::guest
