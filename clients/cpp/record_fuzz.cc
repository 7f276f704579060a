// Hostile answers against everything that reads one: the answers' JSON, the error's JSON, the details' protobuf, and
// the checks behind them. The oracle: an answer that passes every check says the digest of what was really received,
// and in a session it is the next of the chain.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "clients/cpp/check.h"
#include "clients/cpp/check_annex.h"
#include "clients/cpp/check_probes.h"
#include "clients/cpp/convert.h"
#include "clients/cpp/details.h"
#include "clients/cpp/messages.h"
#include "clients/cpp/read_annex.h"
#include "records/probes.h"

namespace plimsoll::client {
namespace {

std::string Software() { return "oci-manifest:linux/amd64@sha256:" + std::string(64, 'a'); }
constexpr std::string_view kSessionId = "00112233445566778899aabbccddeeff";

// The call of tests/lying_daemon/table.json, so that its answers are good seeds.
run::Request TheCall() {
  run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = "kernel";
  draft.software_rule = {"exact", {Software()}};
  draft.payload = run::JavaScript{"console.log(6*7)\n", ""};
  return run::Request::Validate(std::move(draft), run::Request::Cells::kRefused).value();
}

// The daemon's answer to a run, single or in a session.
void ReadRuns(const Sent& sent, std::string_view bytes) {
  if (auto read = ReadRunAnswer(bytes, AskForAnnex::kYes); auto* answer = std::get_if<RunAnswer>(&read)) {
    if (!CheckRunAnswer(sent, *answer)) {
      PLIMSOLL_CHECK(answer->record->result_sha256 == records::ResultDigest(answer->result));
      PLIMSOLL_CHECK(answer->record->request_sha256 == sent.request_sha256);
      PLIMSOLL_CHECK(!answer->annex || answer->annex->annex_sha256 ==
                                           records::AnnexDigest(*answer->annex, answer->record->record_sha256));
    }
    static_cast<void>(TakeResult(std::move(*answer), ShowRecord::kNot));
  }
  records::Chain chain(records::Fingerprint(kSessionId));
  if (auto read = ReadSessionRunAnswer(bytes, AskForAnnex::kYes); auto* answer = std::get_if<SessionRunAnswer>(&read)) {
    if (!CheckSessionAnswer(sent, answer->run, chain)) {
      chain.Advance(*answer->run.record);
      PLIMSOLL_CHECK(chain.calls() == 1 && chain.last_sha256() == records::RecordDigest(*answer->run.record));
    }
  }
}

// The other answers of a session.
void ReadSessions(const Sent& sent, std::string_view bytes) {
  records::Chain chain(records::Fingerprint(kSessionId));
  const Opened opened = {"docker", "kernel", Software()};
  if (const auto record = DecodeUnansweredCall(bytes); record && !CheckUnansweredCall(sent, *record, opened, chain)) {
    chain.Advance(*record);
    PLIMSOLL_CHECK(record->result_sha256.empty() && record->record_sha256 == records::RecordDigest(*record));
  }
  if (const auto read = ReadOpenSessionAnswer(bytes); const auto* answer = std::get_if<OpenAnswer>(&read)) {
    OpenRequest request;
    request.minimum_isolation = "kernel";
    request.software_rule = {"exact", {Software()}};
    if (!CheckOpenAnswer(request, *answer)) {
      PLIMSOLL_CHECK(answer->session == records::Fingerprint(answer->session_id));
      PLIMSOLL_CHECK(answer->software_identity == Software());
    }
  }
  if (const auto read = ReadCloseSessionAnswer(bytes); const auto* summary = std::get_if<SessionSummary>(&read)) {
    PLIMSOLL_CHECK(CheckCloseAnswer(*summary, chain) || summary->calls == chain.calls());
  }
}

// An annex of an error that passes every check is of this request, and of a refusal it says that nothing ran.
void ReadErrors(const Sent& sent, std::string_view bytes) {
  static_cast<void>(ReadErrorBody(bytes, AskForAnnex::kYes));
  const auto annex = DecodeAnnex(bytes);
  Error refusal{.code = Code::kResourceExhausted, .not_dispatched = NotDispatched::kCapacity};
  if (annex && !CheckErrorAnnex(sent, refusal, *annex, nullptr)) {
    PLIMSOLL_CHECK(annex->annex_sha256 == records::AnnexDigest(*annex, ""));
    PLIMSOLL_CHECK(!annex->resources && (!annex->ending || annex->ending->ran == "no"));
    static_cast<void>(PublicAnnex(*annex));
  }
}

// A probe report that passes every check shows no text but those its digest covers.
void ReadProbes(std::string_view bytes) {
  auto read = ReadProbeReportAnswer(bytes);
  auto* answer = std::get_if<ProbeReportAnswer>(&read);
  if (answer == nullptr) {
    return;
  }
  const auto report = CheckProbes(std::move(*answer), "");
  if (report) {
    for (const Probe& probe : report->probes) {
      PLIMSOLL_CHECK(probe.detail_sha256 == records::ProbeDetailDigest(probe.happened));
    }
  }
}

}  // namespace
}  // namespace plimsoll::client

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const plimsoll::run::Request request = plimsoll::client::TheCall();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(plimsoll::client::ReadDescribeAnswer(bytes));
  static_cast<void>(plimsoll::client::ReadCapabilitiesAnswer(bytes));
  plimsoll::client::ReadProbes(bytes);
  static_cast<void>(plimsoll::client::DecodeNotDispatched(bytes));
  static_cast<void>(plimsoll::client::DecodeSessionEnded(bytes));
  const plimsoll::client::Sent sent{request, plimsoll::records::RequestDigest(request.as_sent())};
  plimsoll::client::ReadErrors(sent, bytes);
  plimsoll::client::ReadRuns(sent, bytes);
  plimsoll::client::ReadSessions(sent, bytes);
  return 0;
}
