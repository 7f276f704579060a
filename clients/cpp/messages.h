#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plimsoll/client_error.h"
#include "plimsoll/client_evidence.h"
#include "records/annex.h"
#include "records/record.h"
#include "run/request.h"
#include "run/result.h"

// The messages of plimsoll.v1 as this client writes and reads them: proto3 JSON. No header of the JSON library is
// needed to use them.
namespace plimsoll::client {

// The body of a Run and of a Describe. Every text of `request` is valid UTF-8 and every number finite.
std::string WriteRunRequest(const run::Draft& request);
std::string WriteDescribeRequest(std::uint32_t protocol);
std::string WriteProbeReportRequest(const std::string& sha256);

// A request to open a session, checked: every field is in range and every text valid UTF-8.
struct OpenRequest {
  std::uint32_t protocol = 0;
  std::string minimum_isolation;
  std::string trace_id;
  std::uint32_t lifetime_ms = 0;
  std::uint32_t idle_timeout_ms = 0;
  run::SoftwareRuleDraft software_rule;
  std::vector<std::string> languages;
  std::string owner;  // the digest, never the name
};

// The bodies of OpenSession, SessionRun and CloseSession.
std::string WriteOpenSessionRequest(const OpenRequest& request);
std::string WriteSessionRunRequest(const run::Draft& request, std::string_view session_id);
std::string WriteCloseSessionRequest(std::uint32_t protocol, std::string_view session_id);

// An answer to Run as it was received: nothing in it is believed yet.
struct RunAnswer {
  std::string sandbox;
  std::string isolation;
  std::string environment;
  std::string software_identity;
  std::string instance;
  std::chrono::milliseconds duration{0};
  std::optional<records::Record> record;
  run::Result result;                        // monostate: none was sent
  std::optional<records::Annex> annex = {};  // read only if it was asked for
};

// An answer to OpenSession as it was received.
struct OpenAnswer {
  std::string session_id;  // a capability
  std::string session;     // the fingerprint
  std::string sandbox;
  std::string isolation;
  std::int64_t expires_unix_ms = 0;
  std::uint32_t idle_timeout_ms = 0;
  std::string software_identity;
};

// An answer to SessionRun as it was received.
struct SessionRunAnswer {
  RunAnswer run;
  std::optional<SessionEnded> ended;  // the session ended during the call or after it
};

// Why a body is not the message it should be: one sentence that never repeats what the body says.
struct Malformed {
  std::string problem;
};

// Read strictly (json_text.h, json_message.h); more than one result is malformed. An annex that was not asked for is
// stepped over, as any field that is not known.
std::variant<RunAnswer, Malformed> ReadRunAnswer(std::string_view body, AskForAnnex annex);
std::variant<OpenAnswer, Malformed> ReadOpenSessionAnswer(std::string_view body);
std::variant<SessionRunAnswer, Malformed> ReadSessionRunAnswer(std::string_view body, AskForAnnex annex);
std::variant<SessionSummary, Malformed> ReadCloseSessionAnswer(std::string_view body);
std::variant<Info, Malformed> ReadDescribeAnswer(std::string_view body);

std::variant<CapabilityList, Malformed> ReadCapabilitiesAnswer(std::string_view body);
// Probes and details side by side; not compared yet.
struct ProbeReportAnswer {
  Probes report;               // without the texts
  std::vector<Probe> details;  // the texts
};
std::variant<ProbeReportAnswer, Malformed> ReadProbeReportAnswer(std::string_view body);

// The body of an error, as far as it could be read: a member or a detail that cannot be read states nothing.
struct ErrorBody {
  std::optional<Code> code;  // empty: a word that is none of the sixteen
  std::string message;
  std::optional<NotDispatched> not_dispatched = {};
  std::optional<SessionEnded> session_ended = {};
  std::optional<records::Record> unanswered = {};
  std::optional<records::Annex> annex = {};  // read only if it was asked for
};

// Nothing when the body is not a JSON object; its content type is not asked for.
std::optional<ErrorBody> ReadErrorBody(std::string_view body, AskForAnnex annex);

// The first 4096 bytes of a daemon's text, cut between two characters.
std::string Bounded(std::string text);

}  // namespace plimsoll::client
