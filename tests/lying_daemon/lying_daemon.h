#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

namespace plimsoll::testing_lies {

// A daemon that tells one lie. Listens on a free port of 127.0.0.1, takes one connection, and answers its request as a
// row of table.json says.
class LyingDaemon {
 public:
  // `honest` is the table's honest answer, `lie` a row's `answer`; both outlive the daemon.
  LyingDaemon(const nlohmann::json& honest, const nlohmann::json& lie);
  ~LyingDaemon();  // cuts the connection and joins its thread
  LyingDaemon(const LyingDaemon&) = delete;
  LyingDaemon& operator=(const LyingDaemon&) = delete;

  std::uint16_t port() const;
  // True when a second connection was made: no client may ever send twice or follow a redirect.
  bool WasCalledAgain();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::testing_lies
