#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::client {

// What a daemon can do, by its own word.
struct CapabilityList {
  std::vector<std::string> procedures = {};  // paths, as in `/plimsoll.v1.SandboxService/Run`
  std::vector<std::string> options = {};
  std::vector<std::string> checkpoint_levels = {};
};

// One thing that was tried from inside a throwaway sandbox.
struct Probe {
  std::string probe = {};          // stable name, as in `snippet/root-write`
  std::string outcome = {};        // `pass`, `fail` or `skip`
  std::string detail_sha256 = {};  // digest of `happened`
  std::string tried = {};
  std::string happened = {};  // for a skip the reason
  std::int64_t at_unix_ms = 0;
};

// What a daemon tried before it served: the evidence behind the tier it states. Checked to hash to its digest, and each
// text to the digest in it. It is the daemon's word about tests on its own machine, and never an attestation.
struct Probes {
  std::string provider = {};
  std::string isolation = {};
  std::string environment = {};
  std::string policy = {};
  std::string daemon_version = {};
  std::string runtime_version = {};
  std::int64_t started_unix_ms = 0;
  std::int64_t ended_unix_ms = 0;
  std::vector<Probe> probes = {};  // sorted by name
  std::string sha256 = {};
};

}  // namespace plimsoll::client
