#include "providers/docker/engine/connections.h"

#include <utility>

namespace plimsoll::docker {

base::Result<std::unique_ptr<Connections>> Connections::Create(std::string socket_path, std::size_t max_answer) {
  auto client = http::Client::Create({.ca_file = {}, .max_body = max_answer});
  if (!client) {
    return client.error();
  }
  return std::unique_ptr<Connections>(new Connections(std::move(*client), std::move(socket_path)));
}

Connections::Connections(std::unique_ptr<http::Client> client, std::string socket_path)
    : client_(std::move(client)),
      origin_{.kind = http::Origin::Kind::kUnixSocket, .host = "docker", .socket_path = std::move(socket_path)} {}

Connections::Connection Connections::TakeIdle() {
  auto idle = idle_.Lock();
  if (idle->empty()) {
    return nullptr;
  }
  Connection connection = std::move(idle->back());
  idle->pop_back();
  return connection;
}

void Connections::GiveBack(Connection connection) {
  if (!connection->usable()) {
    return;
  }
  auto idle = idle_.Lock();
  if (idle->size() < kMostIdle) {
    idle->push_back(std::move(connection));
  }
}

http::Outcome Connections::Call(const http::ClientRequest& request, const http::Bounds& bounds) {
  while (Connection idle = TakeIdle()) {
    http::Outcome outcome = idle->Call(request, bounds);
    const auto* failure = std::get_if<http::Failure>(&outcome);
    const bool stale =
        failure != nullptr && failure->sent == http::Sent::kNothing && failure->cause == http::Failure::Cause::kClosed;
    if (!stale) {
      GiveBack(std::move(idle));
      return outcome;
    }
  }
  auto opened = client_->Open(origin_, bounds);
  if (auto* failure = std::get_if<http::Failure>(&opened)) {
    return std::move(*failure);
  }
  Connection& connection = std::get<Connection>(opened);
  http::Outcome outcome = connection->Call(request, bounds);
  GiveBack(std::move(connection));
  return outcome;
}

http::UpgradeOutcome Connections::Upgrade(const http::ClientRequest& request, std::string_view protocol,
                                          const http::Bounds& bounds) {
  auto opened = client_->Open(origin_, bounds);
  if (auto* failure = std::get_if<http::Failure>(&opened)) {
    return std::move(*failure);
  }
  return std::get<Connection>(opened)->Upgrade(request, protocol, bounds);
}

}  // namespace plimsoll::docker
