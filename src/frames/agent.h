#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The framed protocol between a host and plimsoll-guest, the first process of a container, over its stdin and stdout.
// Both ends use this codec and each treats the other's bytes as hostile. A frame: u32 length of what follows, u8 type,
// u32 channel, u64 counter, body, 16-byte tag; integers big-endian. The tag is the first half of HMAC-SHA256 under the
// channel's key over one direction byte, type, channel, counter and body, so that nobody without the key can make,
// change, repeat, drop or reorder a frame unnoticed. Counters start at 0 for each channel and direction.
//
// The host's first 32 bytes are the key of channel 0 (control). The agent answers with kReady. A call is one channel
// with a fresh key, opened by kKey before any guest process of that call exists:
//
//   host   kKey(0)  kPlan  [kFiles kPiece*]                 [kFiles kPiece*] kBegin
//   agent                   starts the interpreter (snippet)                        kStarted output* kExited ... kDone
//
// A snippet's interpreter is started at kPlan and waits; its code, sent as the one file with an empty path, reaches it
// after kBegin. A project's steps start at kBegin. Between the two an agent holds a sandbox that has run nobody's code.
//
// A sandbox that is kept has many calls, one after the other, each a channel of a higher number than those before.
// After each the host has the agent sweep up, and opens nothing before the verdict:
//
//   host   kKey(0) ... kSweep(0)             kKey(0) ...
//   agent          kDone          kSwept(0)
namespace plimsoll::frames::agent {

enum class Type : std::uint8_t {
  // control channel
  kReady = 'R',   // from the agent, first: Ready
  kKey = 'K',     // to the agent: OpenCall
  kCancel = 'Q',  // to the agent: u32 channel: kill what the call started, now
  kPing = 'H',    // to the agent: at most 64 bytes
  kPong = 'h',    // from the agent: the same bytes
  kSweep = 'S',   // to the agent, between calls: SweepOrder
  kSwept = 's',   // from the agent: Swept
  // a call's channel, to the agent
  kPlan = 'G',   // Plan as JSON
  kFiles = 'F',  // FileHeads
  kPiece = 'P',  // the files' bytes in order, back to back
  kBegin = 'B',  // u64 budget in milliseconds, from receipt
  // a call's channel, from the agent
  kStarted = 'b',   // u32 step: its process was started and the guest's code is on its way to it
  kStdout = 'o',    // u32 step, bytes
  kStderr = 'e',    // u32 step, bytes
  kExited = 'x',    // Exited
  kArtifact = 'a',  // ArtifactPiece
  kDone = 'd',      // Done; last of its channel
};
enum class Direction : std::uint8_t { kFromHost = 'h', kFromAgent = 'g' };

inline constexpr std::size_t kMaxFrame = (std::size_t{1} << 20) + 64;  // of what follows the length
inline constexpr std::size_t kMaxPiece = std::size_t{48} * 1024;       // guest bytes, file bytes, artifact bytes
inline constexpr std::size_t kMaxPing = 64;
inline constexpr std::size_t kMaxIdentity = 4096;
inline constexpr std::size_t kMaxDetail = 1024;
inline constexpr std::size_t kMaxSteps = 20;
inline constexpr std::size_t kMaxStepText = std::size_t{16} * 1024;
inline constexpr std::size_t kMaxFiles = 200;
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 20;  // of all files of a call
inline constexpr std::size_t kMaxArtifacts = 100;
inline constexpr std::size_t kMaxPath = 1024;
inline constexpr std::uint32_t kControl = 0;

// Frees nothing it did not wipe. Never in argv, environment, a file or output.
class Key {
 public:
  static constexpr std::size_t kSize = 32;
  explicit Key(const std::array<std::byte, kSize>& bytes) : bytes_(bytes) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();  // wipes
  const std::array<std::byte, kSize>& bytes() const { return bytes_; }

 private:
  std::array<std::byte, kSize> bytes_;
};

struct Frame {
  Type type = Type::kReady;
  std::uint32_t channel = 0;
  std::string_view body;  // views the receiver's buffer; valid until the next call on it
};

// Makes frames of one direction. Not thread-safe.
class Sender {
 public:
  explicit Sender(Direction direction) : direction_(direction) {}
  // A channel that is open already aborts.
  void Open(std::uint32_t channel, const Key& key);
  void Close(std::uint32_t channel);
  // Appends one frame to `out`. An unopened channel, or a body that makes the frame longer than kMaxFrame, aborts.
  void Append(Type type, std::uint32_t channel, std::string_view body, std::string& out);

 private:
  struct Channel {
    Key key;
    std::uint64_t next = 0;
  };
  Direction direction_;
  std::map<std::uint32_t, Channel> channels_;
};

// Cuts the other direction's bytes into authentic frames. Holds at most one frame beyond what one Feed gave.
// Not thread-safe.
class Receiver {
 public:
  // `from` is the direction of what is received.
  explicit Receiver(Direction from) : from_(from) {}
  void Open(std::uint32_t channel, const Key& key);
  void Close(std::uint32_t channel);

  // Adds received bytes. Views handed out before are no longer valid.
  void Feed(std::string_view bytes);

  // The next whole frame, or kNeedMore. Fault kInternal on a length over kMaxFrame or under the least, an unknown type
  // or one of the wrong direction, a type on a channel it does not belong to, a channel that is not open, a counter out
  // of order or a tag that does not fit; the receiver is then stuck and says so again on every call (FRM-2).
  enum class State { kFrame, kNeedMore };
  base::Result<State> Next(Frame& frame);

 private:
  struct Channel {
    Key key;
    std::uint64_t next = 0;
  };
  base::Result<State> Cut(Frame& frame);

  Direction from_;
  std::map<std::uint32_t, Channel> channels_;
  std::string buffer_;
  std::size_t read_ = 0;
  bool stuck_ = false;
};

// --- bodies. Every Parse refuses a body of another size or with a value outside its list with Fault kInternal; what is
// accepted encodes back to the same bytes (FRM-3).

// Who the agent is: JSON on the wire.
struct Ready {
  std::string version;
  std::string sha256;  // of its own program file, hex
  std::int32_t pid = 0;
  std::uint32_t uid = 0;
  friend bool operator==(const Ready&, const Ready&) = default;
};
std::string EncodeReady(const Ready& ready);
base::Result<Ready> ParseReady(std::string_view body);

enum class Kind : std::uint8_t { kSnippet = 0, kProject = 1, kModule = 2, kJavaScriptCell = 3, kPythonCell = 4 };
struct OpenCall {
  std::uint32_t channel = 0;  // not kControl
  Kind kind = Kind::kSnippet;
  Key key;
};
std::string EncodeOpenCall(const OpenCall& call);
base::Result<OpenCall> ParseOpenCall(std::string_view body);

std::string EncodeChannel(std::uint32_t channel);
base::Result<std::uint32_t> ParseChannel(std::string_view body);

// What the agent is to do about what calls have left.
struct SweepOrder {
  std::uint64_t disk_budget = 0;  // bytes of all writable places together; 0: not measured
  // Ends the kept interpreters too. An agent that keeps none does the same for both.
  enum class Quiesce : std::uint8_t { kNo = 0, kYes = 1 } quiesce = Quiesce::kNo;
  friend bool operator==(const SweepOrder&, const SweepOrder&) = default;
};
std::string EncodeSweep(const SweepOrder& order);
base::Result<SweepOrder> ParseSweep(std::string_view body);

// What came of it. Anything but kClean means that the sandbox serves no other call.
struct Swept {
  enum class Verdict : std::uint8_t {
    kClean = 0,
    kUnproven = 1,       // something may still run
    kOverBudget = 10,    // nothing runs; the files are over the budget
    kUnmeasurable = 11,  // nothing runs; what the files take could not be read
  } verdict = Verdict::kUnproven;
  std::uint64_t used = 0;  // bytes; 0 where nothing was measured
  friend bool operator==(const Swept&, const Swept&) = default;
};
std::string EncodeSwept(const Swept& swept);
base::Result<Swept> ParseSwept(std::string_view body);

std::string EncodeStarted(std::uint32_t step);
base::Result<std::uint32_t> ParseStarted(std::string_view body);

// What a call is to do. The agent trusts it no more than it must: bounds are checked on both ends.
struct Plan {
  std::vector<std::string> argv = {};         // kSnippet: the interpreter, found on the PATH of `environment`
  std::vector<std::string> steps = {};        // kProject: each `sh -c <text>`
  std::vector<std::string> environment = {};  // `NAME=value`, the whole of it; HOME and HOSTNAME are added when absent
  std::string directory = {};                 // working directory; empty: as the agent was started
  std::vector<std::string> artifacts = {};    // kProject: below `directory`
  std::uint64_t stream_cap = 0;               // bytes of one stream of one step that cross to the host
  std::uint64_t total_cap = 0;                // of all steps together; 0: no bound beside stream_cap
  std::uint64_t artifact_cap = 0;             // of all artifacts together
  friend bool operator==(const Plan&, const Plan&) = default;
};
// Fault kInternal on a list or an entry over its bound, an empty entry, a zero byte, an environment entry without a
// name, or a path outside the rules of providers-local.md 8.1. A host asks before it encodes: an image may declare what
// does not fit.
base::Status CheckPlan(const Plan& plan);
std::string EncodePlan(const Plan& plan);  // aborts on a plan that CheckPlan faults
base::Result<Plan> ParsePlan(std::string_view body);

// The files of a call, whose bytes follow in kPiece frames. A snippet's code is one file with an empty path.
struct FileHead {
  std::string path;
  std::uint64_t size = 0;
  friend bool operator==(const FileHead&, const FileHead&) = default;
};
std::string EncodeFiles(const std::vector<FileHead>& files);  // aborts on what ParseFiles would fault
// At most kMaxFiles, kMaxFileBytes together; every path as in Plan::artifacts, or one empty path alone.
base::Result<std::vector<FileHead>> ParseFiles(std::string_view body);

std::string EncodeBegin(std::chrono::milliseconds budget);
base::Result<std::chrono::milliseconds> ParseBegin(std::string_view body);  // 1 ms to 1 h

struct Output {
  std::uint32_t step = 0;
  std::string_view bytes;  // 1 to kMaxPiece
};
void AppendOutputBody(const Output& output, std::string& out);
base::Result<Output> ParseOutput(std::string_view body PLIMSOLL_LIFETIMEBOUND);

// A guest process is over. `signal` 0: it exited with `exit_code`; else it was ended by that signal and `exit_code` is
// 128 + signal, or 124 at the deadline.
struct Exited {
  std::uint32_t step = 0;
  std::int32_t exit_code = 0;
  std::uint8_t signal = 0;
  bool timed_out = false;
  bool stdout_cut = false;
  bool stderr_cut = false;
  std::chrono::milliseconds duration{0};
  friend bool operator==(const Exited&, const Exited&) = default;
};
std::string EncodeExited(const Exited& exited);
base::Result<Exited> ParseExited(std::string_view body);

struct ArtifactPiece {
  std::uint32_t index = 0;  // of Plan::artifacts
  bool last = false;
  std::string_view bytes;  // at most kMaxPiece; empty only when last
};
void AppendArtifactBody(const ArtifactPiece& piece, std::string& out);
base::Result<ArtifactPiece> ParseArtifact(std::string_view body PLIMSOLL_LIFETIMEBOUND);

// The numbers are those of providers-local.md 8.3; a snippet ends with kCompleted, or kTimedOut, or kSetupFailed when
// its interpreter could not be started.
enum class Outcome : std::uint8_t { kCompleted = 1, kSetupFailed = 2, kTimedOut = 3, kRunnerFailed = 5 };
struct Done {
  Outcome outcome = Outcome::kCompleted;
  bool artifacts_truncated = false;
  std::string detail;  // our own words, at most 1024 bytes of printable ASCII
  friend bool operator==(const Done&, const Done&) = default;
};
std::string EncodeDone(const Done& done);
base::Result<Done> ParseDone(std::string_view body);

}  // namespace plimsoll::frames::agent
