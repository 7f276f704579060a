#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace plimsoll::testing_lies {

// What a daemon says on one connection: the truth, and how it is bent as a row's `answer`. Both outlive the daemon.
struct Saying {
  const nlohmann::json& honest;
  const nlohmann::json& lie;
};

// A daemon that lies. Listens on a free port of 127.0.0.1, takes one connection for each saying, one after the other,
// and answers its request as table.json says.
class LyingDaemon {
 public:
  LyingDaemon(const nlohmann::json& honest, const nlohmann::json& lie) : LyingDaemon({Saying{honest, lie}}) {}
  explicit LyingDaemon(std::vector<Saying> script);
  ~LyingDaemon();  // cuts the connections and joins its thread
  LyingDaemon(const LyingDaemon&) = delete;
  LyingDaemon& operator=(const LyingDaemon&) = delete;

  std::uint16_t port() const;
  // The methods that were called so far, in order: `OpenSession`, ... One is there before its answer is.
  std::vector<std::string> Called();
  // After the last saying: true when one more connection was made. No client may ever send twice or follow a redirect.
  bool WasCalledAgain();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::testing_lies
