#pragma once

#include <memory>
#include <string>
#include <variant>

#include "clients/cpp/exchange.h"

namespace plimsoll::client {

// What a client and the sessions it opened share: the options, the URL and the transport. Immutable and thread-safe.
class Core {
 public:
  Core(ClientOptions options, BaseUrl url, std::unique_ptr<HttpTransport> transport)
      : options_(std::move(options)), url_(std::move(url)), text_(url_.Text()), transport_(std::move(transport)) {}

  const ClientOptions& options() const { return options_; }
  const std::string& base_url() const { return text_; }

  // One call of a method of the service: Exchange::Call.
  std::variant<std::string, CallError> Call(Outgoing outgoing) const;

 private:
  ClientOptions options_;
  BaseUrl url_;
  std::string text_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace plimsoll::client
