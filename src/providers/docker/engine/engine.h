#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "http/client.h"
#include "os/unique_fd.h"

// The part of docker's Engine API that the provider needs, over one local Unix socket. Nothing shells out and nothing
// is judged by the wording of an error: only by status codes and by fields of bounded, typed answers.
namespace plimsoll::docker {

// Why a call has no answer of the kind that was asked for.
struct EngineError {
  enum class Kind {
    kUnreachable,  // no connection, or it broke
    kNotFound,     // 404
    kConflict,     // 409
    kRefused,      // any other 4xx or 5xx
    kMalformed,    // the answer is not what the API promises, or is over its bound
    kDeadline,
    kCanceled,
  };
  Kind kind;
  http::Sent sent;          // kNothing: the engine has not seen the request
  int status = 0;           // of kNotFound, kConflict, kRefused
  std::string detail = {};  // for the log only; may hold the engine's own words, at most 1 KiB of them
};
template <typename T>
using Answer = std::variant<T, EngineError>;

struct EngineVersion {
  std::string engine;        // `20.10.24`
  std::string api;           // the highest it serves, `1.41`
  std::string least_api;     // the lowest it serves; empty when it does not say
  std::string os;            // `linux`
  std::string architecture;  // `amd64`
  std::string kernel;
  std::map<std::string, std::string> components;  // `runc` -> `1.1.5`, `containerd` -> ...
};

struct EngineInfo {
  std::map<std::string, std::string> runtimes;  // name -> registered path, empty when the engine gives none
  std::string default_runtime;
  std::map<std::string, std::vector<std::string>> runtime_arguments;
  std::string cgroup_version;  // `1` or `2`
  std::string cgroup_driver;
  bool containerd_store = false;  // DriverStatus has driver-type = io.containerd.snapshotter.v1
  bool memory_limit = false;      // the engine found the controller (MemoryLimit)
  bool swap_limit = false;
  bool pids_limit = false;
  bool cpu_quota = false;  // CpuCfsQuota
  std::vector<std::string> security_options;
};

struct EngineImage {
  std::string id;  // `sha256:...`
  std::vector<std::string> environment;
  std::vector<std::string> volumes;
  std::map<std::string, std::string> labels;
  std::vector<std::string> repo_digests;
  std::string os;
  std::string architecture;
  std::string variant;
  // From the containerd store of engine 28.1 and newer, else empty.
  std::string descriptor_digest;
  std::string descriptor_media_type;
};

struct ContainerState {
  enum class Status { kCreated, kRunning, kPaused, kRestarting, kRemoving, kExited, kDead } status;
  std::int64_t exit_code = 0;
  bool oom_killed = false;
  std::int64_t pid = 0;  // of its first process, in the host's numbers; 0 when none
  std::string runtime;   // the one it was made with
  std::string image;     // id
};

// Everything that an engine states of one container and that must stay as it is while the container is used.
struct ContainerRecord {
  ContainerState state;
  std::string user;                             // Config.User
  std::map<std::string, std::string> settings;  // HostConfig: each member's value as JSON, keys sorted
  std::vector<std::string> mounts;              // each as JSON, sorted: an engine lists them in no order
  std::vector<std::string> networks;            // their names, sorted
};

struct ContainerListed {
  std::string id;
  std::vector<std::string> names;  // without the leading slash
  std::map<std::string, std::string> labels;
};

// The attached streams of one container: what is written goes to its stdin, what is read are the engine's multiplexed
// frames, which Demux cuts.
struct Attached {
  os::UniqueFd socket;  // non-blocking
  std::string early;    // bytes that came with the answer's head
};

// One engine. Thread-safe: each call uses an idle connection of its own, or opens one. Every call ends at its bounds.
class Engine {
 public:
  static constexpr std::size_t kMaxAnswer = std::size_t{4} << 20;
  static constexpr std::string_view kLeastApi = "1.41";
  static constexpr std::string_view kOurApi = "1.49";

  // `socket_path` is absolute. Opens nothing yet.
  // Fault kUnavailable when the client cannot be made.
  static base::Result<std::unique_ptr<Engine>> Create(std::string socket_path);
  virtual ~Engine() = default;

  // GET /version, and from then on the lower of its API version and kOurApi is used; kMalformed when it serves none
  // that we know. Must succeed once before any other call, which otherwise is kUnreachable; may be repeated.
  virtual Answer<EngineVersion> Negotiate(const http::Bounds& bounds) = 0;
  virtual Answer<EngineInfo> Info(const http::Bounds& bounds) = 0;
  // `platform`: `os/arch[/variant]`, or empty for the engine's own choice. Asking for one needs API 1.49, the first
  // that can answer with the manifest of one platform; below it kMalformed, and nothing was sent.
  virtual Answer<EngineImage> InspectImage(std::string_view reference, std::string_view platform,
                                           const http::Bounds& bounds) = 0;

  // In what follows `id` is a container's id or its name. A name, an id, a reference or a platform that may not stand
  // in a path is kMalformed, and nothing was sent. Creates a container; `body` is the JSON of POST /containers/create.
  // The id.
  virtual Answer<std::string> Create(std::string_view name, std::string_view platform, std::string body,
                                     const http::Bounds& bounds) = 0;
  // Attaches stdin, stdout and stderr; before Start, so that nothing is missed.
  virtual Answer<Attached> Attach(std::string_view id, const http::Bounds& bounds) = 0;
  // Done also when it runs already.
  virtual Answer<base::Done> Start(std::string_view id, const http::Bounds& bounds) = 0;
  virtual Answer<ContainerState> Inspect(std::string_view id, const http::Bounds& bounds) = 0;
  // The same question, answered with all that is compared.
  virtual Answer<ContainerRecord> Examine(std::string_view id, const http::Bounds& bounds) = 0;
  // Freezes and thaws every process of it.
  virtual Answer<base::Done> Pause(std::string_view id, const http::Bounds& bounds) = 0;
  virtual Answer<base::Done> Unpause(std::string_view id, const http::Bounds& bounds) = 0;
  // DELETE with force and volumes. kNotFound means that it is gone already.
  virtual Answer<base::Done> Remove(std::string_view id, const http::Bounds& bounds) = 0;
  // All containers, running or not, that carry the label, or whose name or id is exactly this one.
  virtual Answer<std::vector<ContainerListed>> ListByLabel(std::string_view label, const http::Bounds& bounds) = 0;
  virtual Answer<std::vector<ContainerListed>> ListByName(std::string_view name, const http::Bounds& bounds) = 0;
  virtual Answer<std::vector<ContainerListed>> ListById(std::string_view id, const http::Bounds& bounds) = 0;
};

// Cuts the engine's multiplexed stream (8 bytes of head: stream, three zeros, u32 big-endian length) into pieces.
// Pure; hostile bytes end in Fault kInternal, after which it stays stuck. Holds at most one head beyond what is given.
class Demux {
 public:
  struct Piece {
    enum class Stream { kStdout, kStderr } stream;
    std::string_view bytes;
  };
  // Calls `take(const Piece&)` for each piece in `bytes`, as much as there is of it, in order.
  base::Status Feed(std::string_view bytes, const std::function<void(const Piece&)>& take);

 private:
  std::string head_;
  std::uint32_t left_ = 0;
  Piece::Stream stream_ = Piece::Stream::kStdout;
  bool stuck_ = false;
};

}  // namespace plimsoll::docker
