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

// An answer to Run as it was received: nothing in it is believed yet.
struct RunAnswer {
  std::string sandbox;
  std::string isolation;
  std::string environment;
  std::string software_identity;
  std::string instance;
  std::chrono::milliseconds duration{0};
  std::optional<records::Record> record;
  run::Result result;  // monostate: none was sent
};

// Why a body is not the message it should be: one sentence that never repeats what the body says.
struct Malformed {
  std::string problem;
};

// Read strictly (json_text.h, json_message.h); more than one result is malformed.
std::variant<RunAnswer, Malformed> ReadRunAnswer(std::string_view body);
std::variant<Info, Malformed> ReadDescribeAnswer(std::string_view body);

std::variant<CapabilityList, Malformed> ReadCapabilitiesAnswer(std::string_view body);
// Probes and details side by side; not compared yet.
struct ProbeReportAnswer {
  Probes report;               // without the texts
  std::vector<Probe> details;  // the texts
};
std::variant<ProbeReportAnswer, Malformed> ReadProbeReportAnswer(std::string_view body);

// The body of an error.
struct ErrorBody {
  std::optional<Code> code;  // empty: a word that is none of the sixteen
  std::string message;
  std::optional<NotDispatched> not_dispatched;  // from the first NotDispatched detail that can be decoded
};

// Nothing when the body is not a JSON object; its content type is not asked for. A member that cannot be read states
// nothing.
std::optional<ErrorBody> ReadErrorBody(std::string_view body);

}  // namespace plimsoll::client
