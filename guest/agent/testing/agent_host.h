#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frames/agent.h"
#include "os/child.h"
#include "os/unique_fd.h"
#include "testkit/temp_folder.h"

namespace plimsoll::guest {

// What was heard of one step.
struct StepHeard {
  bool started = false;
  std::string out;
  std::string err;
  std::size_t output_frames = 0;
  std::optional<frames::agent::Exited> exited;

  int exit_code() const { return exited ? exited->exit_code : -1; }
};

// What was heard of one call.
struct Heard {
  std::vector<StepHeard> steps;
  std::map<std::uint32_t, std::string> artifacts;  // whole ones, by index
  std::vector<std::uint32_t> artifact_order;
  std::optional<frames::agent::Done> done;
  std::chrono::milliseconds took{0};

  frames::agent::Outcome outcome() const { return done ? done->outcome : frames::agent::Outcome{}; }
};

// Who the agent of a test is started as.
enum class User {
  kOrdinary,  // uid 61000 when the test runs as root, so that the kernel treats it as it treats a guest; else its own
  kOwn,
};
enum class Namespace {
  kShared,   // an ordinary child of the test
  kOwnPids,  // the first process of a process namespace, with a /proc of it
};

// A host for tests: starts the built agent over two pipes and speaks to it. Not thread-safe. Everything it waits for
// has a bound, after which what was heard is given back as it stands.
class AgentHost {
 public:
  explicit AgentHost(User user = User::kOrdinary, Namespace space = Namespace::kShared);
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;
  // Hangs up and lets the agent end what it started; kills it when it does not end by itself.
  ~AgentHost();

  // Whether the agent has said who it is.
  bool ready() const { return ready_.has_value(); }
  const frames::agent::Ready& identity() const { return *ready_; }
  // As the host of a container sees it; in a namespace of its own the agent calls itself 1.
  pid_t pid() const { return child_->pid(); }
  const std::array<std::byte, frames::agent::Key::kSize>& control_key() const { return control_key_; }
  const std::array<std::byte, frames::agent::Key::kSize>& call_key() const { return call_key_; }

  // The frames of a call, one by one. Each call opened has a channel of its own and a fresh key.
  void OpenCall(frames::agent::Kind kind);
  void SendPlan(const frames::agent::Plan& plan);
  void SendFiles(const std::vector<std::pair<std::string, std::string>>& files);
  void SendBegin(std::chrono::milliseconds budget);
  void Send(frames::agent::Type type, std::uint32_t channel, std::string_view body);
  // Bytes as they are, authentic or not.
  void SendRaw(std::string_view bytes);
  // A frame as Send would make it, not sent.
  std::string Made(frames::agent::Type type, std::uint32_t channel, std::string_view body);

  // A whole call up to its beginning.
  void BeginSnippet(frames::agent::Plan plan, std::string_view code, std::chrono::milliseconds budget);
  void BeginProject(frames::agent::Plan plan, const std::vector<std::pair<std::string, std::string>>& files,
                    std::chrono::milliseconds budget);

  // Hears until the call is done, the agent is gone or `longest` has passed.
  Heard Hear(std::chrono::milliseconds longest = std::chrono::milliseconds(30'000));
  // Hears until the first byte of output of any step.
  Heard HearSome(std::chrono::milliseconds longest = std::chrono::milliseconds(30'000));
  // Sends a ping and hears up to its answer; what else comes in the meantime is kept for Hear.
  bool Ping(std::string_view nonce);

  // Has the agent sweep and hears up to its verdict.
  std::optional<frames::agent::Swept> Sweep(const frames::agent::SweepOrder& order = {},
                                            std::chrono::milliseconds longest = std::chrono::milliseconds(30'000));

  // Closes the agent's input.
  void HangUp() { to_agent_.Close(); }
  // How the agent ended, within `longest`.
  std::optional<os::ExitStatus> Wait(std::chrono::milliseconds longest = std::chrono::milliseconds(10'000));

  static constexpr std::uint32_t kCall = 7;
  // Of the present call: kCall for the first.
  std::uint32_t call() const { return call_; }

 private:
  // False when nothing more can come until the instant.
  bool ReadMore(std::chrono::steady_clock::time_point until);
  bool Take(const frames::agent::Frame& frame, Heard& heard);
  StepHeard& StepOf(Heard& heard, std::uint32_t index);
  template <typename Until>
  void HearUntil(Heard& heard, std::chrono::milliseconds longest, Until until);

  std::array<std::byte, frames::agent::Key::kSize> control_key_{};
  std::array<std::byte, frames::agent::Key::kSize> call_key_{};
  frames::agent::Sender sender_{frames::agent::Direction::kFromHost};
  frames::agent::Receiver receiver_{frames::agent::Direction::kFromAgent};
  os::UniqueFd to_agent_;
  os::UniqueFd from_agent_;
  std::optional<os::Child> child_;
  std::optional<frames::agent::Ready> ready_;
  std::optional<std::string> pong_;
  std::optional<frames::agent::Swept> swept_;
  std::uint32_t call_ = kCall;
  bool has_call_ = false;
  std::string open_artifact_;
  Heard kept_;
};

// The folder with copies of the programs under test that every user may execute, made once.
const std::string& ProgramFolder();

// A directory that user 61000 may write, removed with what is in it.
struct WorkFolder : testkit::TempFolder {
  WorkFolder() : TempFolder(std::filesystem::perms(0777)) {}
};

// The environment tests give their guests.
std::vector<std::string> GuestEnvironment();

// An argument for sleep that no other test has, however many run at once: `<seconds>.<pid>s`.
std::string Mark(int seconds);

// How many processes of this machine have `mark` among their arguments.
int ProcessesWith(std::string_view mark);
// Waits until it is `count`, or no less than `least`.
bool BecomesProcessesWith(std::string_view mark, int count,
                          std::chrono::milliseconds longest = std::chrono::milliseconds(3000));
bool ReachesProcessesWith(std::string_view mark, int least,
                          std::chrono::milliseconds longest = std::chrono::milliseconds(10'000));

}  // namespace plimsoll::guest
