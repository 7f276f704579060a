// Hostile answers against everything that reads one: the answer's JSON, the error's JSON, the detail's protobuf, and
// the checks behind them. The oracle: an answer that passes every check says the digest of what was really received.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "clients/cpp/check.h"
#include "clients/cpp/check_probes.h"
#include "clients/cpp/convert.h"
#include "clients/cpp/details.h"
#include "clients/cpp/messages.h"
#include "records/probes.h"

namespace {

using plimsoll::client::CheckRunAnswer;
using plimsoll::client::RunAnswer;
using plimsoll::client::Sent;

// The call of tests/lying_daemon/table.json, so that its answers are good seeds.
plimsoll::run::Request TheCall() {
  plimsoll::run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = "kernel";
  draft.software_rule = {"exact", {"oci-manifest:linux/amd64@sha256:" + std::string(64, 'a')}};
  draft.payload = plimsoll::run::JavaScript{"console.log(6*7)\n", ""};
  return plimsoll::run::Request::Validate(std::move(draft), plimsoll::run::Request::Cells::kRefused).value();
}

// A probe report that passes every check shows no text but those its digest covers.
void ReadProbes(std::string_view bytes) {
  auto read = plimsoll::client::ReadProbeReportAnswer(bytes);
  auto* answer = std::get_if<plimsoll::client::ProbeReportAnswer>(&read);
  if (answer == nullptr) {
    return;
  }
  const auto report = plimsoll::client::CheckProbes(std::move(*answer), "");
  if (report) {
    for (const plimsoll::client::Probe& probe : report->probes) {
      PLIMSOLL_CHECK(probe.detail_sha256 == plimsoll::records::ProbeDetailDigest(probe.happened));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const plimsoll::run::Request request = TheCall();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(plimsoll::client::ReadDescribeAnswer(bytes));
  static_cast<void>(plimsoll::client::ReadErrorBody(bytes));
  static_cast<void>(plimsoll::client::ReadCapabilitiesAnswer(bytes));
  ReadProbes(bytes);
  static_cast<void>(plimsoll::client::DecodeNotDispatched(bytes));
  auto read = plimsoll::client::ReadRunAnswer(bytes);
  auto* answer = std::get_if<RunAnswer>(&read);
  if (answer == nullptr) {
    return 0;
  }
  const Sent sent{request, plimsoll::records::RequestDigest(request.as_sent())};
  if (!CheckRunAnswer(sent, *answer)) {
    PLIMSOLL_CHECK(answer->record->result_sha256 == plimsoll::records::ResultDigest(answer->result));
    PLIMSOLL_CHECK(answer->record->request_sha256 == sent.request_sha256);
  }
  static_cast<void>(plimsoll::client::TakeResult(std::move(*answer), plimsoll::client::ShowRecord::kNot));
  return 0;
}
