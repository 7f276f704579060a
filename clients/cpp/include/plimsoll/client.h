#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plimsoll/client_annex.h"
#include "plimsoll/client_error.h"
#include "plimsoll/client_evidence.h"
#include "plimsoll/client_requests.h"
#include "plimsoll/client_results.h"
#include "plimsoll/client_session.h"

// A client of a plimsoll daemon. It sends code to be run, and believes an answer only after checking that the answer
// belongs to the request, that its record hashes to what it says, and that the wall was as strong as was asked for.
// It never sends a request twice.
namespace plimsoll::client {

// The numbers this client can state. 5 is the default; 4 is for older daemons.
inline constexpr std::uint32_t kProtocol = 5;
inline constexpr std::uint32_t kOldestProtocol = 4;
// The version of the records it reads.
inline constexpr std::uint32_t kRecordVersion = 4;
// An answer with more bytes is not read.
inline constexpr std::uint64_t kMaxResponseBytes = 33'554'432;

struct ClientOptions {
  // `http://` or `https://`, a host, maybe a port and a path. No user, query or fragment.
  std::string base_url = {};
  // Sent as a bearer token; empty: none. Visible ASCII only.
  std::string token = {};
  // Allows plain http to a machine other than this one: everything sent can be read and changed on the way.
  bool insecure_http = false;
  // For one whole exchange, from looking up the name to the last byte of the answer. Finite and above 0.
  Milliseconds request_timeout{360'000};
  std::uint32_t protocol = kProtocol;
  // PEM file of the authorities that an https daemon is verified against; empty: those of the system.
  std::string ca_file = {};
};

class Core;
class HttpTransport;

// Immutable: one client may be used by many threads at once. It holds no connection between calls.
class Client {
 public:
  // Opens no socket. Errors kInvalidBaseUrl, kInsecureHttp, kInvalidOption; none of them repeats the token.
  static Result<Client> Create(ClientOptions options);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // What the daemon says of itself. kProtocolMismatch when it does not speak the client's number.
  Result<Info> Describe(const CallOptions& options = {}) const;

  // What the daemon can do. From a daemon without plimsoll.x1 a refusal: kUnsupported, or kPermissionDenied where
  // callers need a scope for every procedure.
  Result<CapabilityList> Capabilities(const CallOptions& options = {}) const;

  // What the daemon tried from inside its sandboxes before it served: the report of this digest, or the one in force.
  // kEvidenceMismatch when it does not hash to what it says, or is not the one asked for.
  Result<Probes> ProbeReport(const std::string& sha256 = {}, const CallOptions& options = {}) const;

  // Each sends one request and blocks until its answer is checked, the time is over, or the call is canceled. Fields
  // are checked first against the protocol's limits: kInvalidRequest, and nothing leaves the process. An annex that was
  // asked for is checked last: one that does not hold is kEvidenceMismatch, on an error too, whose mark is then not
  // believed.
  Result<JavaScriptResult> RunJavaScript(std::string code, const RunOptions& options = {}) const;
  Result<ProjectResult> RunProject(Project project, const RunOptions& options = {}) const;
  // Takes no grant profile: one set is kInvalidRequest.
  Result<ModuleResult> RunModule(Module module, const RunOptions& options = {}) const;

  // Opens a sandbox that is kept between calls. The session may outlive the client. Before it is handed out its
  // fingerprint must be that of its ID (kChain), its tier must meet the floor (kIsolationEvidenceMismatch) and its
  // software the rule (kSoftwareEvidenceMismatch); one that fails is closed again first. A cancellation before the
  // first byte left is a refusal; a later one does not cut the call, and closes what was opened.
  Result<Session> OpenSession(const OpenSessionOptions& options = {}, const CallOptions& call = {}) const;

  // The base URL in use: scheme in lower case, no slash at the end.
  const std::string& base_url() const;

  // Over another transport than the built-in one, which is for tests of this library.
  static Result<Client> CreateForTest(ClientOptions options, std::unique_ptr<HttpTransport> transport);

 private:
  explicit Client(std::shared_ptr<const Core> core);
  std::shared_ptr<const Core> core_;  // shared with the sessions it opened
};

}  // namespace plimsoll::client
