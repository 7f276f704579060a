#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "http/client.h"

namespace plimsoll::docker {

// HTTP calls to one Unix socket, each over an idle connection of an earlier call or a new one. A call is made a second
// time only when the transport says that nothing of it was sent, which is how a connection ends that the engine closed
// while it was idle. Thread-safe.
class Connections {
 public:
  static constexpr std::size_t kMostIdle = 4;

  // Fault kUnavailable when the client cannot be made.
  static base::Result<std::unique_ptr<Connections>> Create(std::string socket_path, std::size_t max_answer);

  http::Outcome Call(const http::ClientRequest& request, const http::Bounds& bounds);
  // Always over a new connection, which is the caller's afterwards.
  http::UpgradeOutcome Upgrade(const http::ClientRequest& request, std::string_view protocol,
                               const http::Bounds& bounds);

 private:
  using Connection = std::unique_ptr<http::ClientConnection>;

  Connections(std::unique_ptr<http::Client> client, std::string socket_path);
  Connection TakeIdle();  // null when there is none
  void GiveBack(Connection connection);

  const std::unique_ptr<http::Client> client_;
  const http::Origin origin_;
  base::Guarded<std::vector<Connection>> idle_;
};

}  // namespace plimsoll::docker
