#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/random.h"
#include "clients/cpp/transport.h"
#include "plimsoll/client.h"
#include "records/annex.h"
#include "records/record.h"

namespace plimsoll::client {

// A call that ended in an error.
struct CallError {
  Error error;
  // What a bound error claims of a call that may have run: not checked, and never there beside a mark,
  // which wins.
  std::optional<records::Record> unanswered = {};
  // What a bound error brings when it was asked for: not checked.
  std::optional<records::Annex> annex = {};
};

// One call of a procedure.
struct Outgoing {
  std::string_view method;  // of the sandbox service; with a slash at its start, the path of any procedure
  std::string body;
  Milliseconds timeout;  // for the whole exchange
  std::stop_token cancel = {};
  Cancels cancels = Cancels::kAtAnyTime;
  AskForAnnex annex = AskForAnnex::kNo;
};

// One HTTP exchange with the daemon: headers out, and steps 1 to 3 of clients-and-docs.md 1.3 on what comes back.
class Exchange {
 public:
  // All outlive the exchange. `random` is where request IDs come from.
  Exchange(const ClientOptions& options, const BaseUrl& url, const HttpTransport& transport, base::Random& random)
      : options_(options), url_(url), transport_(transport), random_(random) {}

  // Sends once. The body of an answer with status 200 that is bound to the request and says it is JSON; an error
  // otherwise.
  std::variant<std::string, CallError> Call(Outgoing outgoing) const;

 private:
  Fields FieldsFor(std::string_view request_id, AskForAnnex annex) const;

  const ClientOptions& options_;
  const BaseUrl& url_;
  const HttpTransport& transport_;
  base::Random& random_;
};

// A timeout in whole milliseconds, at least one, and far from where a clock overflows.
std::chrono::milliseconds WholeMilliseconds(Milliseconds timeout);

// The error for a call that was canceled before anything of it left.
Error CanceledUnsent();

// The error for a body that cannot be read as the message it should be.
Error MalformedAnswer(std::string problem);

}  // namespace plimsoll::client
