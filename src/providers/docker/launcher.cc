#include <array>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/hex.h"
#include "providers/docker/container_sandbox.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/leases.h"
#include "providers/docker/sandbox.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kRemoveAttempts = 3;
constexpr seconds kRemoveLimit{10};  // of one attempt
constexpr std::array<seconds, kRemoveAttempts - 1> kRemovePauses = {seconds(1), seconds(2)};

std::string FreshName(base::Random& random, Purpose purpose) {
  std::array<std::byte, 8> bytes;
  random.Fill(bytes);
  return std::string(purpose == Purpose::kSession ? kSessionNamePrefix : kNamePrefix) + base::HexOf(bytes);
}

base::Refusal Unavailable(std::string message) { return {base::Rule::kUnavailable, std::move(message)}; }

// What a failed create means: an answer with a status, or a request that never left, proves that no container exists.
base::Error ErrorOfCreate(const EngineError& error) {
  using Kind = EngineError::Kind;
  if (error.kind == Kind::kNotFound) {
    return base::Refusal{base::Rule::kNotProven, "the image this sandbox is made from is gone from the docker engine"};
  }
  if (error.kind == Kind::kRefused || error.kind == Kind::kConflict) {
    return Unavailable("the docker engine refused to make a sandbox (status " + std::to_string(error.status) + ")");
  }
  if (error.sent == http::Sent::kNothing) {
    if (error.kind == Kind::kCanceled) {
      return base::Refusal{base::Rule::kCanceled, "the caller left before its code was started"};
    }
    return Unavailable("the docker engine could not be reached to make a sandbox");
  }
  const auto kind = error.kind == Kind::kCanceled ? base::FaultKind::kCanceled : base::FaultKind::kUnavailable;
  return base::Fault{kind, "creating a container got no answer: " + error.detail};
}

base::Fault FaultOf(std::string_view step, const EngineError& error) {
  const auto kind =
      error.kind == EngineError::Kind::kCanceled ? base::FaultKind::kCanceled : base::FaultKind::kUnavailable;
  return {kind, std::string(step) + " a container failed: " + error.detail};
}

class EngineLauncher final : public Launcher {
 public:
  EngineLauncher(const Settings& settings, const base::Clock& clock, base::Random& random, base::LogSink& log,
                 Leases& leases)
      : settings_(settings), clock_(clock), random_(random), log_(log), leases_(leases) {}

  base::Result<std::unique_ptr<Sandbox>> Launch(std::shared_ptr<const State> state, Role role,
                                                const LaunchOptions& options, const http::Bounds& bounds) override;
  bool Remove(std::unique_ptr<Sandbox> sandbox) override;
  bool TryRemove(Sandbox& sandbox) override;
  void Kill(Sandbox& sandbox, const http::Bounds& bounds) override;

 private:
  enum class Made { kNothing, kMaybe };
  struct Failure {
    base::Error error;
    Made made;
  };
  std::optional<Failure> Make(ContainerSandbox& sandbox, const LaunchOptions& options, const http::Bounds& bounds);
  std::optional<Failure> Create(ContainerSandbox& sandbox, const LaunchOptions& options, const http::Bounds& bounds);
  bool RemoveOnce(const ContainerSandbox& sandbox);
  void Note(base::Severity severity, std::string_view message, const ContainerSandbox& sandbox,
            std::string_view detail) const;

  const Settings& settings_;
  const base::Clock& clock_;
  base::Random& random_;
  base::LogSink& log_;
  Leases& leases_;
};

// What removal and killing name a container by: its id, or the name while no answer gave one.
std::string_view KeyOf(const ContainerSandbox& sandbox) {
  return sandbox.id().empty() ? std::string_view(sandbox.name()) : std::string_view(sandbox.id());
}

Engine& EngineOf(const ContainerSandbox& sandbox) { return *sandbox.state()->engine; }

base::Result<std::unique_ptr<Sandbox>> EngineLauncher::Launch(std::shared_ptr<const State> state, Role role,
                                                              const LaunchOptions& options,
                                                              const http::Bounds& bounds) {
  auto flag = os::Flag::Create();
  if (!flag) {
    return flag.error();
  }
  auto sandbox = std::make_unique<ContainerSandbox>(
      ContainerSandbox::Facts{
          .name = FreshName(random_, options.purpose), .role = role, .state = std::move(state), .ends = options.ends},
      std::move(*flag), clock_, random_);
  leases_.Track(sandbox->name());  // before the request leaves (LEASE-1)
  auto failure = Make(*sandbox, options, bounds);
  if (!failure) {
    return std::unique_ptr<Sandbox>(std::move(sandbox));
  }
  if (failure->made == Made::kNothing) {
    leases_.Forget(sandbox->name());
  } else if (options.remains != nullptr) {
    *options.remains = std::move(sandbox);
  } else {
    Remove(std::move(sandbox));
  }
  return std::move(failure->error);
}

std::optional<EngineLauncher::Failure> EngineLauncher::Create(ContainerSandbox& sandbox, const LaunchOptions& options,
                                                              const http::Bounds& bounds) {
  const Mounted mounted{
      .agent = settings_.agent_program, .resolver = ResolverPath(settings_), .host_socket = options.host_socket};
  auto created = EngineOf(sandbox).Create(
      sandbox.name(), sandbox.state()->platform,
      ContainerSpec(settings_, *sandbox.state(), sandbox.role(), sandbox.ends(), mounted, options.purpose), bounds);
  if (const auto* error = std::get_if<EngineError>(&created)) {
    Note(base::Severity::kWarn, "docker: a sandbox could not be created", sandbox, error->detail);
    base::Error told = ErrorOfCreate(*error);
    const bool nothing = std::holds_alternative<base::Refusal>(told);
    if (!nothing) {
      sandbox.set_create_uncertain();
    }
    return Failure{std::move(told), nothing ? Made::kNothing : Made::kMaybe};
  }
  sandbox.Created(std::move(std::get<std::string>(created)));
  return std::nullopt;
}

// The steps of a launch. Attached before it is started, so that nothing of it is missed, and told its key before it
// runs.
std::optional<EngineLauncher::Failure> EngineLauncher::Make(ContainerSandbox& sandbox, const LaunchOptions& options,
                                                            const http::Bounds& bounds) {
  if (auto failure = Create(sandbox, options, bounds)) {
    return failure;
  }
  auto attached = EngineOf(sandbox).Attach(sandbox.id(), bounds);
  if (const auto* error = std::get_if<EngineError>(&attached)) {
    return Failure{FaultOf("attaching to", *error), Made::kMaybe};
  }
  sandbox.Connect(std::move(std::get<Attached>(attached)));
  auto started = EngineOf(sandbox).Start(sandbox.id(), bounds);
  if (const auto* error = std::get_if<EngineError>(&started)) {
    return Failure{FaultOf("starting", *error), Made::kMaybe};
  }
  if (auto ready = sandbox.AwaitReady(bounds); !ready) {
    return Failure{std::move(ready).error(), Made::kMaybe};
  }
  return std::nullopt;
}

void EngineLauncher::Kill(Sandbox& sandbox, const http::Bounds& bounds) {
  auto& container = static_cast<ContainerSandbox&>(sandbox);
  static_cast<void>(EngineOf(container).Remove(KeyOf(container), bounds));
}

// True when the engine lists no container of this name. Its answer to the delete decides nothing.
bool EngineLauncher::RemoveOnce(const ContainerSandbox& sandbox) {
  const http::Bounds bounds{.deadline = clock_.Steady() + kRemoveLimit};
  static_cast<void>(EngineOf(sandbox).Remove(KeyOf(sandbox), bounds));
  auto listed = EngineOf(sandbox).ListByName(sandbox.name(), bounds);
  const auto* containers = std::get_if<std::vector<ContainerListed>>(&listed);
  return containers != nullptr && containers->empty();
}

bool EngineLauncher::TryRemove(Sandbox& sandbox) {
  const auto& container = static_cast<const ContainerSandbox&>(sandbox);
  if (container.agent_stderr_bytes() > 0) {
    Note(base::Severity::kWarn, "docker: the agent of a sandbox wrote to its stderr", container, "");
  }
  bool gone = false;
  for (std::size_t attempt = 0; attempt < kRemoveAttempts; ++attempt) {
    if (attempt > 0) {
      std::this_thread::sleep_for(kRemovePauses[attempt - 1]);
    }
    gone = RemoveOnce(container);
    // A create without an answer may still be under way: its container may appear after a look that found none.
    if (gone && !container.create_uncertain()) {
      break;
    }
  }
  if (gone) {
    leases_.Forget(container.name());
  } else {
    Note(base::Severity::kError, "docker: a sandbox could not be removed; the reaper follows", container, "");
  }
  return gone;
}

bool EngineLauncher::Remove(std::unique_ptr<Sandbox> sandbox) {
  if (sandbox == nullptr) {
    return true;
  }
  const bool gone = TryRemove(*sandbox);
  leases_.Forget(sandbox->name());
  return gone;
}

void EngineLauncher::Note(base::Severity severity, std::string_view message, const ContainerSandbox& sandbox,
                          std::string_view detail) const {
  std::array<base::LogField, 3> fields = {{{"container", std::string_view(sandbox.name())},
                                           {"agent_stderr_bytes", std::uint64_t{sandbox.agent_stderr_bytes()}},
                                           {"detail", detail}}};
  log_.Write(severity, message, fields);
}

}  // namespace

std::unique_ptr<Launcher> Launcher::Create(const Settings& settings, const base::Clock& clock, base::Random& random,
                                           base::LogSink& log, Leases& leases) {
  return std::make_unique<EngineLauncher>(settings, clock, random, log, leases);
}

}  // namespace plimsoll::docker
