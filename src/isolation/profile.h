#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::isolation {

// Where one payload kind runs, by content: never a tag, never a claim that a run relies on (wire.md 9).
struct Environment {
  std::string identity;           // outer image or embedded engine, `quickjs-wasm:sha256:...`; empty: none established
  std::string software_identity;  // `oci-manifest:linux/amd64@sha256:...`; empty: none established, meets no rule
  std::chrono::milliseconds default_timeout{0};
  std::chrono::milliseconds max_timeout{0};
  std::vector<std::string> languages;  // proven at start: `javascript`, `python`
};

// The limits of one run that the operator set. 0: the provider's default, not stated.
struct Resources {
  std::uint32_t memory_mb = 0;
  double cpus = 0;
  std::uint32_t pids = 0;
  std::uint32_t disk_mb = 0;
};

// What a provider offers: fixed at its construction, read by Describe and by admission. An absent environment means the
// kind is not supported.
struct Profile {
  std::string provider;  // `disabled`, `wasm`, `docker`, ...
  bool enabled = true;   // false only for `disabled`
  std::optional<Environment> javascript;
  std::optional<Environment> project;
  std::optional<Environment> module;
  std::optional<Environment> session;
  bool javascript_grants = false;
  bool project_grants = false;
  Resources resources;
  std::string policy;  // digest of the policy the provider checks before every run; empty: none
};

}  // namespace plimsoll::isolation
