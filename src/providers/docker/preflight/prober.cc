#include "providers/docker/preflight/prober.h"

#include <array>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "providers/docker/preflight/engine_rules.h"
#include "providers/docker/preflight/guest_uid.h"
#include "providers/docker/preflight/image_reference.h"
#include "providers/docker/preflight/image_rules.h"
#include "providers/docker/preflight/platform_name.h"
#include "providers/docker/preflight/seccomp_profile.h"
#include "providers/docker/preflight/wording.h"
#include "providers/docker/preflight/writable_budget.h"

namespace plimsoll::docker {
namespace {

constexpr std::chrono::seconds kLogEvery{30};

struct Configured {
  Role role;
  std::string_view setting;
  const std::string& reference;
};

// Every image that is configured, in the order they are checked and proven.
std::vector<Configured> ConfiguredImages(const Settings& settings) {
  std::vector<Configured> images = {{Role::kSnippet, "SANDBOX_DOCKER_IMAGE", settings.snippet_image},
                                    {Role::kProject, "SANDBOX_DOCKER_PROJECT_IMAGE", settings.project_image}};
  if (!settings.module_image.empty()) {
    images.push_back({Role::kModule, "SANDBOX_DOCKER_MODULE_IMAGE", settings.module_image});
  }
  return images;
}

ImageStore StoreOf(const EngineInfo& info) {
  return info.containerd_store ? ImageStore::kContainerd : ImageStore::kClassic;
}

}  // namespace

Prober::Prober(const Settings& settings, Outside outside, const base::Clock& clock, base::LogSink& log)
    : settings_(settings),
      outside_(std::move(outside)),
      clock_(clock),
      log_(log),
      agent_(settings.agent_program, outside_.own_uid, outside_.look, outside_.digest),
      runtime_(outside_.digest) {}

Walked Prober::Walk(const State* proof, const http::Bounds& bounds) {
  auto state = std::make_shared<State>();
  if (auto established = Establish(*state, bounds); !established) {
    return {.result = std::move(established).error(), .is_moved = false};
  }
  if (proof != nullptr) {
    if (auto proven = CheckProof(*state, *proof); !proven) {
      return {.result = std::move(proven).error(), .is_moved = true};
    }
    for (auto& [role, image] : state->images) {
      image.languages = proof->images.at(role).languages;
    }
  }
  return {.result = std::shared_ptr<const State>(std::move(state)), .is_moved = false};
}

// Everything but step 10, in order; what asks the engine comes last.
base::Status Prober::Establish(State& state, const http::Bounds& bounds) {
  if (auto settings = CheckSettings(state); !settings) {
    return settings;
  }
  if (auto opened = OpenEngine(state); !opened) {
    return opened;
  }
  if (auto engine = AskEngine(state, bounds); !engine) {
    return engine;
  }
  if (auto platform = ChoosePlatform(state); !platform) {
    return platform;
  }
  for (const Configured& image : ConfiguredImages(settings_)) {
    if (auto inspected = InspectImage(state, image.role, image.reference, bounds); !inspected) {
      return inspected;
    }
  }
  return base::Ok();
}

// Steps 1 to 5 and what is mounted: nothing here asks the engine.
base::Status Prober::CheckSettings(State& state) {
  for (const Configured& image : ConfiguredImages(settings_)) {
    if (auto named = CheckImageReference(image.setting, image.reference); !named) {
      return named;
    }
  }
  auto work = WorkMb(settings_.disk_mb);
  if (!work) {
    return std::move(work).error();
  }
  state.work_mb = *work;
  if (auto uid = CheckGuestUid(settings_.guest_uid, outside_.read); !uid) {
    return uid;
  }
  if (settings_.require_pinned_images) {
    for (const Configured& image : ConfiguredImages(settings_)) {
      if (auto pinned = CheckPinned(image.setting, image.reference); !pinned) {
        return pinned;
      }
    }
  }
  auto seccomp = LoadSeccomp(settings_.seccomp, outside_.read);
  if (!seccomp) {
    return std::move(seccomp).error();
  }
  state.seccomp = std::move(seccomp).value();
  return CheckMounted(state);
}

// The files of the host that every sandbox has.
base::Status Prober::CheckMounted(State& state) {
  auto agent = agent_.Check();
  if (!agent) {
    return std::move(agent).error();
  }
  state.agent_sha256 = std::move(agent).value();
  const auto resolver = outside_.read(ResolverPath(settings_), kResolverText.size());
  if (!resolver || *resolver != kResolverText) {
    return NotProven(kResolverFile, "is not beside plimsoll-guest, or not as it was installed; install it again");
  }
  return base::Ok();
}

// Step 6, whose answer is kept for good whatever the environment or the client's files say later (PRE-3).
base::Status Prober::OpenEngine(State& state) {
  if (address_.empty()) {
    auto address = outside_.resolve(settings_);
    if (!address) {
      return std::move(address).error();
    }
    address_ = std::move(address).value();
  }
  if (engine_ == nullptr) {
    auto engine = outside_.open(address_);
    if (!engine) {
      return std::move(engine).error();
    }
    engine_ = std::move(engine).value();
  }
  state.engine = engine_;
  return base::Ok();
}

// Step 7.
base::Status Prober::AskEngine(State& state, const http::Bounds& bounds) {
  auto version = engine_->Negotiate(bounds);
  if (const auto* error = std::get_if<EngineError>(&version)) {
    return Unanswered(*error);
  }
  version_ = std::get<EngineVersion>(std::move(version));
  auto info = engine_->Info(bounds);
  if (const auto* error = std::get_if<EngineError>(&info)) {
    return Unanswered(*error);
  }
  info_ = std::get<EngineInfo>(std::move(info));
  if (version_.os != "linux") {
    return NotProven("docker engine", "runs containers of " + Shown(version_.os) + ", linux is needed; use another");
  }
  auto tier = TierOfRuntime(settings_.runtime, info_);
  if (!tier) {
    return std::move(tier).error();
  }
  state.tier = *tier;
  state.runtime = settings_.runtime;
  state.runtime_version = RuntimeOf(*tier);
  return CheckControllers(info_);
}

// The engine knows no version of a runsc, and a sandbox's own word is none: the digest of the program that is
// registered says which one it is, where this process can read it under the engine's path.
std::string Prober::RuntimeOf(isolation::Tier tier) {
  std::string version = RuntimeVersion(settings_.runtime, info_, version_);
  if (tier != isolation::Tier::kKernel) {
    return version;
  }
  const std::string& path = info_.runtimes.at(settings_.runtime);
  const auto look = path.starts_with('/') ? outside_.look(path) : std::optional<os::FileStanding>();
  const auto standing = look ? *look : std::nullopt;
  if (!standing) {
    return version;
  }
  if (const auto digest = runtime_.Of(path, *standing)) {
    version += " sha256:" + *digest;
  }
  return version;
}

// Step 9's first half, since images are inspected for the platform.
base::Status Prober::ChoosePlatform(State& state) {
  const std::string& wanted = settings_.default_platform;
  std::optional<std::string> platform = PlatformName(version_.os, version_.architecture, "");
  if (!wanted.empty()) {
    platform = ParsePlatformName(wanted);
    if (!platform) {
      return NotProven("DOCKER_DEFAULT_PLATFORM", Shown(wanted) + " is not os/arch or os/arch/variant; correct it");
    }
    if (StoreOf(info_) == ImageStore::kClassic) {
      return NotProven(
          "DOCKER_DEFAULT_PLATFORM",
          "the engine's classic image store cannot prove a platform; use its containerd store, or unset it");
    }
  }
  state.platform = StoreOf(info_) == ImageStore::kContainerd ? *platform : "";
  return base::Ok();
}

// Steps 8 and 9 for one image, inspected whole and once.
base::Status Prober::InspectImage(State& state, Role role, const std::string& reference, const http::Bounds& bounds) {
  auto answer = engine_->InspectImage(reference, state.platform, bounds);
  if (const auto* error = std::get_if<EngineError>(&answer)) {
    if (error->kind == EngineError::Kind::kNotFound) {
      return NotProven("image " + Shown(reference),
                       "is not on the engine, and is never fetched by itself; pull or build it there");
    }
    return Unanswered(*error);
  }
  const auto& image = std::get<EngineImage>(answer);
  if (auto fit = CheckImage(reference, image); !fit) {
    return fit;
  }
  auto software = SoftwareIdentity(reference, image, StoreOf(info_), state.platform);
  if (!software) {
    return std::move(software).error();
  }
  state.images[role] = {.reference = reference,
                        .id = image.id,
                        .environment = image.environment,
                        .identity = "docker-image:" + image.id,
                        .software_identity = std::move(software).value(),
                        .languages = {}};
  return base::Ok();
}

// Step 10 (PRE-4).
base::Status Prober::CheckProof(const State& state, const State& proof) const {
  for (const auto& [role, image] : state.images) {
    const auto proven = proof.images.find(role);
    if (proven == proof.images.end() || proven->second.id != image.id) {
      return NotProven("image " + Shown(image.reference),
                       "names another content than the one proven at start; restart the daemon to prove it");
    }
  }
  if (state.runtime_version != proof.runtime_version) {
    return NotProven("runtime", "is " + Shown(state.runtime_version) + ", proven at start was " +
                                    Shown(proof.runtime_version) + "; restart the daemon to prove it");
  }
  if (state.agent_sha256 != proof.agent_sha256) {
    return NotProven("plimsoll-guest", "is not the program proven at start; restart the daemon to prove it");
  }
  if (state.seccomp != proof.seccomp) {
    return NotProven("SANDBOX_DOCKER_SECCOMP",
                     "its file holds another profile than the one proven at start; restart the daemon to prove it");
  }
  return base::Ok();
}

base::Refusal Prober::Unanswered(const EngineError& error) {
  const base::SteadyTime now = clock_.Steady();
  if (!last_logged_ || now - *last_logged_ >= kLogEvery) {
    last_logged_ = now;
    const std::array fields = {base::LogField{"detail", std::string_view(error.detail)},
                               base::LogField{"status", std::int64_t{error.status}}};
    log_.Write(base::Severity::kWarn, "the docker engine does not answer", fields);
  }
  const std::string engine = "docker engine at " + Shown(address_);
  switch (error.kind) {
    case EngineError::Kind::kUnreachable:
      return {base::Rule::kUnavailable,
              engine + ": cannot be reached; is it running, and may the daemon use its socket?"};
    case EngineError::Kind::kDeadline:
    case EngineError::Kind::kCanceled:
      return {base::Rule::kUnavailable, engine + ": did not answer within 10 s; look at its load and its log"};
    case EngineError::Kind::kMalformed:
      return {base::Rule::kUnavailable,
              engine + ": gave an answer that is not the Engine API's; API 1.41 or newer is needed"};
    case EngineError::Kind::kNotFound:
    case EngineError::Kind::kConflict:
    case EngineError::Kind::kRefused:
      return {base::Rule::kUnavailable,
              engine + ": refused the question with status " + std::to_string(error.status) + "; look at its log"};
  }
  return {base::Rule::kUnavailable, engine};  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::docker
