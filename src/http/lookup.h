#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/guarded.h"
#include "http/client.h"

namespace plimsoll::http {

// Looks names up on helper threads, because the system's lookup can neither be bounded nor interrupted. A lookup whose
// caller has given up goes on unheard; at most 32 of them may (clients-and-docs.md 1.4). Thread-safe.
class Lookups {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
  struct Found {
    Addresses addresses;
    std::string error;  // why there are none
  };
  // Blocks until the name is looked up. Called on helper threads.
  using Function = std::function<Found(const std::string& host, std::uint16_t port)>;

  static constexpr std::size_t kMaxAbandoned = 32;

  // Asks the system.
  Lookups();
  explicit Lookups(Function function);
  ~Lookups();  // waits for the abandoned ones

  // An address is returned as it is. Otherwise the addresses of the name, in the system's order, never none.
  std::variant<Addresses, Failure> Find(const std::string& host, std::uint16_t port, const Bounds& bounds);

 private:
  struct Lookup;
  struct Running {
    std::shared_ptr<Lookup> lookup;  // shared by the caller and the helper thread
    std::jthread thread;
  };

  const Function function_;
  base::Guarded<std::list<Running>> abandoned_;
};

}  // namespace plimsoll::http
