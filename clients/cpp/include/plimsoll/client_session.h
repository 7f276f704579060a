#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plimsoll/client_error.h"
#include "plimsoll/client_requests.h"
#include "plimsoll/client_results.h"

namespace plimsoll::client {

class Core;

// A sandbox that a daemon keeps between calls. The client numbers the calls and follows the chain of their records; it
// believes an answer only where the chain goes on without a gap.
//
// Thread-safe: calls of several threads wait for each other and are sent in the order in which they came. A call that
// is canceled, or whose `request_timeout` passes, while it waits is never sent and leaves the session as it was.
//
// A session is *stopped* when a call may have run and the client has no checked word of it: its answer was lost, could
// not be read or did not check. Every later call is then refused here (kSessionStopped), and only Close goes out.
// A session has *ended* when the daemon said so; later calls are refused here too (kSessionEnded).
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  // Closes a session that has not ended, for at most 5 seconds, and forgets what came of it. No other thread may be in
  // a call.
  ~Session();

  // Each sends one request and blocks until its answer is checked, the time is over, or the call is canceled, like the
  // functions of Client. The floor in force is the stronger of the session's and the call's; of two software rules what
  // both allow. A rule that leaves nothing is kInvalidRequest. Error::unanswered is set where a call may have run
  // without an answer and the daemon proved that it counted it: the session goes on. An annex that does not hold stops
  // it, on a refusal too.
  Result<JavaScriptResult> RunJavaScript(std::string code, const RunOptions& options = {});
  Result<ProjectResult> RunProject(Project project, const RunOptions& options = {});
  // Takes no grant profile: one set is kInvalidRequest.
  Result<CellResult> RunCell(Cell cell, const RunOptions& options = {});

  // Ends the session and compares the daemon's count of calls and last record with the client's own: kChain, with
  // Error::summary, when they differ. Waits for a call in flight. After an answer that could be read, closing again
  // returns the same outcome and sends nothing; after any other error it asks again. A cancellation is heeded until the
  // first byte left and not after.
  Result<SessionSummary> Close(const CallOptions& options = {});

  // What the daemon stated when the session was opened.
  const std::string& fingerprint() const;  // hex SHA-256 of the ID, which itself is never shown
  const std::string& provider() const;
  const std::string& isolation() const;
  const std::string& software_identity() const;
  std::chrono::sys_time<std::chrono::milliseconds> expires() const;
  std::chrono::milliseconds idle_timeout() const;  // 0: never suspended

  // Where it stands. None of these waits for a call in flight.
  std::optional<SessionEnded> ended() const;
  bool stopped() const;
  std::uint64_t calls() const;             // answered or not, whose record was checked
  std::string last_record_sha256() const;  // empty before the first

 private:
  friend class Client;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  static Result<Session> Open(std::shared_ptr<const Core> core, const OpenSessionOptions& options,
                              const CallOptions& call);
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::client
