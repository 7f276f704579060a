#include "http/lookup.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

Lookups::Found AskTheSystem(const std::string& host, std::uint16_t port) {
  asio::io_context io;
  boost::system::error_code error;
  Lookups::Found found;
  for (const auto& entry :
       tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::numeric_service, error)) {
    found.addresses.push_back(entry.endpoint());
  }
  if (error) {
    found.error = error.message();
  }
  return found;
}

Failure Unsent(Failure::Cause cause, std::string detail) {
  return {.cause = cause, .sent = Sent::kNothing, .detail = std::move(detail)};
}

}  // namespace

struct Lookups::Lookup {
  std::mutex mutex;  // guards `found`
  std::condition_variable_any changed;
  std::optional<Found> found;

  bool done() {
    const std::lock_guard lock(mutex);
    return found.has_value();
  }
};

Lookups::Lookups() : Lookups(AskTheSystem) {}

Lookups::Lookups(Function function) : function_(std::move(function)) {}

Lookups::~Lookups() = default;

std::variant<Lookups::Addresses, Failure> Lookups::Find(const std::string& host, std::uint16_t port,
                                                        const Bounds& bounds) {
  boost::system::error_code not_an_address;
  const auto address = asio::ip::make_address(host, not_an_address);
  if (!not_an_address) {
    return Addresses{{address, port}};
  }
  {
    auto abandoned = abandoned_.Lock();
    abandoned->remove_if([](const Running& running) { return running.lookup->done(); });
    if (abandoned->size() >= kMaxAbandoned) {
      return Unsent(Failure::Cause::kTooManyLookups, "32 name lookups were given up on and still run");
    }
  }
  auto lookup = std::make_shared<Lookup>();
  std::jthread thread([lookup, host, port, &function = function_] {
    Found found = function(host, port);
    {
      const std::lock_guard lock(lookup->mutex);
      lookup->found = std::move(found);
    }
    lookup->changed.notify_all();
  });
  std::optional<Found> found;
  {
    std::unique_lock lock(lookup->mutex);
    if (lookup->changed.wait_until(lock, bounds.stop, bounds.deadline, [&] { return lookup->found.has_value(); })) {
      found = std::move(lookup->found);
    }
  }
  if (!found) {
    abandoned_.Lock()->push_back({.lookup = std::move(lookup), .thread = std::move(thread)});
    return bounds.stop.stop_requested() ? Unsent(Failure::Cause::kCanceled, "canceled while looking the host up")
                                        : Unsent(Failure::Cause::kDeadline, "no time left while looking the host up");
  }
  if (found->addresses.empty()) {
    return Unsent(Failure::Cause::kLookup, "cannot look the host up: " + found->error);
  }
  return std::move(found->addresses);
}

}  // namespace plimsoll::http
