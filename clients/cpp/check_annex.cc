#include "clients/cpp/check_annex.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "clients/cpp/convert.h"
#include "records/verify_annex.h"

namespace plimsoll::client {
namespace {

Error Mismatch(std::string_view what) {
  return {.error_class = ErrorClass::kEvidenceMismatch,
          .code = Code::kDataLoss,
          .http_status = 200,
          .message = std::string("the annex does not hold: ").append(what).append("; the code may have run")};
}

// A call of this client is neither an attachment nor a rollback.
bool IsCall(const std::optional<records::CallFacts>& facts) { return !facts || facts->kind == "call"; }

// Of a marked error: nothing ran, and the ending gives the same reason.
std::string_view FlawOfRefused(const records::Ending& ending, NotDispatched mark) {
  if (ending.ran != "no") {
    return "its ending does not say that nothing ran, and the error does";
  }
  if (ending.ending == "refused" && mark != NotDispatched::kUnknown && ending.reason != Name(mark)) {
    return "its ending gives another reason than the error";
  }
  return {};
}

// What is wrong with the ending of an error, or empty.
std::string_view FlawOfEnding(const records::Ending& ending, const Error& error) {
  if (ending.ending == "answered") {
    return "its ending says that the call was answered";
  }
  if (ending.code != Name(error.code)) {
    return "its ending names another code than the error";
  }
  if (error.not_dispatched) {
    return FlawOfRefused(ending, *error.not_dispatched);
  }
  return ending.ending == "refused" ? "its ending says that the call was refused, and the error does not"
                                    : std::string_view();
}

bool HasMoreThanAnEnding(const records::Annex& annex) {
  return annex.resources || annex.ledger || annex.call || annex.options || !annex.streams.empty() ||
         !annex.probes_sha256.empty();
}

}  // namespace

std::optional<Error> CheckAnswerAnnex(const Sent& sent, const RunAnswer& answer) {
  if (!answer.annex) {
    return std::nullopt;
  }
  const records::Annex& annex = *answer.annex;
  PLIMSOLL_CHECK(answer.record.has_value());  // CheckRecord refuses an answer without one
  const records::Record& record = *answer.record;
  if (const auto flaw = records::CheckAnnex(annex, sent.request_sha256, record.record_sha256)) {
    return Mismatch(flaw->says);
  }
  if (const auto flaw = records::CheckStreams(annex.streams, sent.request_sha256, answer.result)) {
    return Mismatch(flaw->says);
  }
  if (!IsCall(annex.call)) {
    return Mismatch("its call facts are of another kind of call");
  }
  if (annex.ending) {
    if (const auto flaw = records::CheckAnsweredEnding(*annex.ending, sent.request, record)) {
      return Mismatch(flaw->says);
    }
  }
  return std::nullopt;
}

std::optional<Error> CheckErrorAnnex(const Sent& sent, const Error& error, const records::Annex& annex,
                                     const records::Record* unanswered) {
  const std::string_view record_sha256 = unanswered == nullptr ? std::string_view() : unanswered->record_sha256;
  if (const auto flaw = records::CheckAnnex(annex, sent.request_sha256, record_sha256)) {
    return Mismatch(flaw->says);
  }
  if (error.not_dispatched && HasMoreThanAnEnding(annex)) {
    return Mismatch("the annex of a refusal has more than an ending");
  }
  if (!IsCall(annex.call)) {
    return Mismatch("its call facts are of another kind of call");
  }
  const std::string_view flaw = annex.ending ? FlawOfEnding(*annex.ending, error) : std::string_view();
  return flaw.empty() ? std::nullopt : std::optional(Mismatch(flaw));
}

Error WithAnnex(const Sent& sent, Error error, std::optional<records::Annex> annex, const records::Record* unanswered) {
  if (!annex) {
    return error;
  }
  if (auto failure = CheckErrorAnnex(sent, error, *annex, unanswered)) {
    failure->http_status = error.http_status;
    failure->session_ended = std::move(error.session_ended);
    return *std::move(failure);
  }
  error.annex = PublicAnnex(*std::move(annex));
  return error;
}

}  // namespace plimsoll::client
