#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/client.h"

namespace plimsoll::http {

using Connected = std::variant<std::unique_ptr<ClientConnection>, Failure>;

// Each tries the addresses in turn until one accepts. `tls` must outlive the connection.
Connected ConnectTcp(const Origin& origin, const std::vector<boost::asio::ip::tcp::endpoint>& addresses,
                     const Bounds& bounds, std::uint64_t max_body);
Connected ConnectTls(const Origin& origin, const std::vector<boost::asio::ip::tcp::endpoint>& addresses,
                     boost::asio::ssl::context& tls, const Bounds& bounds, std::uint64_t max_body);
Connected ConnectUnix(const Origin& origin, const Bounds& bounds, std::uint64_t max_body);

}  // namespace plimsoll::http
