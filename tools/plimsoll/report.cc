#include "tools/plimsoll/report.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/utf8.h"

namespace plimsoll::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownDigits = 12;
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

std::string Ending(const Ran& ran, Colour colour) {
  if (ran.timed_out) {
    return Red(colour, "timed out");
  }
  const std::string text = "exit " + std::to_string(ran.exit_code);
  return ran.exit_code == 0 ? text : Red(colour, text);
}

std::string Cuts(const Ran& ran) {
  std::string out;
  if (ran.stdout_truncated) {
    out += ", stdout cut";
  }
  if (ran.stderr_truncated) {
    out += ", stderr cut";
  }
  return out;
}

std::string Summary(const Ran& ran, Colour colour) {
  // A process boundary is the weakest wall there is, and is said in another colour than a real one.
  const std::string tier = EscapeOnOneLine(ran.isolation);
  const bool weak = ran.isolation == "process" || ran.isolation == "none";
  return "plimsoll: " + EscapeOnOneLine(ran.provider) + ", " + (weak ? Yellow(colour, tier) : Green(colour, tier)) +
         ", " + Ending(ran, colour) + Cuts(ran) + ", " + std::to_string(ran.duration.count()) + " ms, record " +
         ran.record.record_sha256.substr(0, kShownDigits).append(kEllipsis);
}

std::string Summary(const NothingRan& refusal, Colour colour) {
  std::string out = "plimsoll: " + Bold(colour, "nothing ran") + " (" + EscapeOnOneLine(refusal.reason) +
                    "): " + EscapeOnOneLine(refusal.message);
  if (refusal.retry_after) {
    out += "; ask again in " + std::to_string(refusal.retry_after->count()) + " s";
  }
  return out;
}

std::string Summary(const MayHaveRun& unknown, Colour colour) {
  return "plimsoll: " + Red(colour, "it may have run") + ": " + EscapeOnOneLine(unknown.message);
}

std::string Padded(const std::string& bytes) { return base::Base64Encode(bytes, base::Padding::kPadded); }

Json RecordOf(const RecordLine& record) {
  return {{"version", record.version},
          {"request_sha256", record.request_sha256},
          {"result_sha256", record.result_sha256},
          {"policy", record.policy},
          {"software_rule_id", record.software_rule_id},
          {"started_unix_ms", record.started_unix_ms},
          {"ended_unix_ms", record.ended_unix_ms},
          {"record_sha256", record.record_sha256}};
}

Json ToJson(const Ran& ran) {
  return {{"ran", true},
          {"exit_code", ran.exit_code},
          {"timed_out", ran.timed_out},
          {"stdout", base::RepairUtf8(ran.stdout_bytes)},
          {"stdout_base64", Padded(ran.stdout_bytes)},
          {"stdout_truncated", ran.stdout_truncated},
          {"stderr", base::RepairUtf8(ran.stderr_bytes)},
          {"stderr_base64", Padded(ran.stderr_bytes)},
          {"stderr_truncated", ran.stderr_truncated},
          {"provider", ran.provider},
          {"isolation", ran.isolation},
          {"environment", ran.environment},
          {"software_identity", ran.software_identity},
          {"instance", ran.instance},
          {"duration_ms", ran.duration.count()},
          {"record", RecordOf(ran.record)}};
}

Json ToJson(const NothingRan& refusal) {
  Json out = {{"ran", false},
              {"reason", refusal.reason},
              {"error", refusal.error},
              {"code", refusal.code},
              {"message", base::RepairUtf8(refusal.message)},
              {"retry_after_s", nullptr}};
  if (refusal.retry_after) {
    out["retry_after_s"] = refusal.retry_after->count();
  }
  return out;
}

Json ToJson(const MayHaveRun& unknown) {
  return {{"ran", "unknown"},
          {"error", unknown.error},
          {"code", unknown.code},
          {"message", base::RepairUtf8(unknown.message)}};
}

struct ExitCode {
  int operator()(const Ran& ran) const {
    if (ran.timed_out) {
      return kExitDeadline;
    }
    return ran.exit_code >= 0 && ran.exit_code <= 255 ? ran.exit_code : 1;
  }
  int operator()(const NothingRan&) const { return kExitNothingRan; }
  int operator()(const MayHaveRun&) const { return kExitMayHaveRun; }
};

}  // namespace

int ExitCodeOf(const Outcome& outcome) { return std::visit(ExitCode{}, outcome); }

std::string SummaryOf(const Outcome& outcome, Colour colour) {
  return std::visit([&](const auto& kind) { return Summary(kind, colour); }, outcome);
}

std::string JsonOf(const Outcome& outcome) {
  return std::visit([](const auto& kind) { return ToJson(kind).dump(-1, ' ', true); }, outcome);
}

}  // namespace plimsoll::tool
