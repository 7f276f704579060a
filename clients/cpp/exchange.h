#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/random.h"
#include "clients/cpp/transport.h"
#include "plimsoll/client.h"

namespace plimsoll::client {

// One HTTP exchange with the daemon: headers out, and steps 1 to 3 of clients-and-docs.md 1.3 on what comes back.
class Exchange {
 public:
  // All outlive the exchange. `random` is where request IDs come from.
  Exchange(const ClientOptions& options, const BaseUrl& url, const HttpTransport& transport, base::Random& random)
      : options_(options), url_(url), transport_(transport), random_(random) {}

  // Sends `body` to a method of the sandbox service, or to the procedure at a path that begins with a slash, once. The
  // body of an answer with status 200 that is bound to the request and says it is JSON; an error otherwise.
  Result<std::string> Call(std::string_view method, std::string body, std::stop_token cancel) const;

 private:
  Fields FieldsFor(std::string_view request_id) const;

  const ClientOptions& options_;
  const BaseUrl& url_;
  const HttpTransport& transport_;
  base::Random& random_;
};

// The error for a body that cannot be read as the message it should be.
Error MalformedAnswer(std::string problem);

}  // namespace plimsoll::client
