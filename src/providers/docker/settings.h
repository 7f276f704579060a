#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::docker {

// What the provider is built from: parsed settings, not yet checked against any host or engine. Where an operator has
// set nothing, the values here are those in force.
struct Settings {
  std::string snippet_image = "node:22-alpine";
  std::string project_image = "plimsoll/sandbox:latest";
  std::string module_image = {};  // empty: no modules
  std::string runtime = {};       // empty: the engine's default
  std::string seccomp = {};       // empty: the engine's profile; `unconfined`; else the path of a JSON profile
  bool require_pinned_images = false;
  std::uint32_t guest_uid = 61'000;  // uid and gid of every guest process
  std::uint32_t memory_mb = 256;
  double cpus = 1;
  std::uint32_t pids = 256;
  std::uint32_t disk_mb = 0;          // of all writable places together; 0: unset, which gives /work 128
  std::string default_platform = {};  // DOCKER_DEFAULT_PLATFORM

  // Where docker's own client would look (providers-local.md 4, Locality).
  std::string docker_host = {};
  std::string docker_context = {};
  std::string docker_config = {};  // folder; empty: `home`/.docker
  std::string home = {};

  std::string agent_program = {};     // absolute path of plimsoll-guest
  int max_concurrent = 1;             // runs at once
  int run_pool = 0;                   // SANDBOX_RUN_POOL
  std::uint32_t total_memory_mb = 0;  // SANDBOX_TOTAL_MEMORY_MB; 0: no budget
  // Whether sandboxes are made that are kept for many calls.
  enum class Sessions : std::uint8_t { kOff, kOn } sessions = Sessions::kOff;
  std::uint32_t session_disk_mb = 1024;  // SANDBOX_SESSION_DISK_MB: what the files of one may take; 0: not measured
  std::string daemon_version = {};
};

// MiB of the writable places, from disk_mb: /tmp and /dev/shm have 16 each, /work the rest (4, 6.1 step 2).
inline constexpr std::uint32_t kTmpMb = 16;
inline constexpr std::uint32_t kShmMb = 16;
inline constexpr std::uint32_t kWorkMb = 128;

// What every sandbox has for its resolver: a loopback name server that answers nobody, and no search domain. The file
// lies beside the agent program, so that one folder holds all that sandboxes are given.
inline constexpr std::string_view kResolverText = "nameserver 127.0.0.1\n";
inline constexpr std::string_view kResolverFile = "plimsoll-resolv.conf";
inline std::string ResolverPath(const Settings& settings) {
  return settings.agent_program.substr(0, settings.agent_program.rfind('/') + 1).append(kResolverFile);
}

// Settings::seccomp for no filter at all.
inline constexpr std::string_view kNoSeccomp = "unconfined";

}  // namespace plimsoll::docker
