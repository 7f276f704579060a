#include "clients/cpp/exchange.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/hex.h"
#include "clients/cpp/messages.h"
#include "clients/cpp/names.h"
#include "clients/cpp/version.h"

namespace plimsoll::client {
namespace {

constexpr std::string_view kRequestId = "Plimsoll-Request-Id";
constexpr std::string_view kNotDispatched = "Plimsoll-Not-Dispatched";
constexpr std::string_view kJson = "application/json";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, Lower, Lower); }

// The value of a field that is there exactly once.
std::optional<std::string_view> Only(const Fields& fields, std::string_view name) {
  std::optional<std::string_view> found;
  for (const auto& [field, value] : fields) {
    if (!EqualsIgnoringCase(field, name)) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = value;
  }
  return found;
}

bool IsJson(const Fields& fields) {
  const auto type = Only(fields, "Content-Type");
  if (!type) {
    return false;
  }
  std::string_view essence = type->substr(0, type->find(';'));
  while (essence.ends_with(' ')) {
    essence.remove_suffix(1);
  }
  return EqualsIgnoringCase(essence, kJson);
}

std::optional<std::chrono::seconds> RetryAfter(const Fields& fields) {
  const auto text = Only(fields, "Retry-After");
  std::uint32_t seconds = 0;
  if (!text) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size()) {
    return std::nullopt;
  }
  return std::chrono::seconds(seconds);
}

bool IsRedirect(int status) { return status >= 300 && status < 400; }

// A mark of a bound answer: the detail's, else the header's, else none.
std::optional<NotDispatched> MarkOf(const Answer& answer, const std::optional<ErrorBody>& body) {
  if (body && body->not_dispatched) {
    return body->not_dispatched;
  }
  const auto header = Only(answer.fields, kNotDispatched);
  return header ? ReasonNamed(*header) : std::nullopt;
}

// An answer with a status that is not 200. Unless it is bound, nothing it states about the run is believed.
CallError ErrorOf(const Answer& answer, bool bound, AskForAnnex asked) {
  std::optional<ErrorBody> body = ReadErrorBody(answer.body, asked);
  Error out{.http_status = answer.status, .answer_not_bound = !bound};
  const bool has_code = body && body->code && !IsRedirect(answer.status);
  out.code = has_code ? *body->code : CodeOfStatus(answer.status);
  out.message = body && !body->message.empty() ? body->message : "HTTP status " + std::to_string(answer.status);
  std::optional<records::Record> unanswered;
  std::optional<records::Annex> annex;
  if (bound) {
    out.not_dispatched = MarkOf(answer, body);
    if (body) {
      out.session_ended = std::move(body->session_ended);
      if (!out.not_dispatched) {  // else nothing ran, whatever else it claims
        unanswered = std::move(body->unanswered);
      }
      annex = std::move(body->annex);
    }
  }
  out.error_class =
      ClassOf(out.code, out.not_dispatched, out.session_ended ? SessionState::kEnded : SessionState::kNotSaid);
  if (out.error_class == ErrorClass::kAtCapacity) {
    out.retry_after = RetryAfter(answer.fields);
  }
  return {std::move(out), std::move(unanswered), std::move(annex)};
}

// A call that got no answer.
Error ErrorOf(Failure failure) {
  const bool nothing_sent = failure.progress == Progress::kNothingSent;
  const auto unsent = [&](NotDispatched reason) { return nothing_sent ? std::optional(reason) : std::nullopt; };
  Error out{.message = std::move(failure.detail)};
  switch (failure.kind) {
    case FailureKind::kUnreachable:
    case FailureKind::kBroken:
      out.error_class = ErrorClass::kTransport;
      out.code = Code::kUnavailable;
      out.not_dispatched = unsent(NotDispatched::kEnvironment);
      break;
    case FailureKind::kTimeout:
      out.error_class = ErrorClass::kRequestTimeout;
      out.code = Code::kDeadlineExceeded;
      out.not_dispatched = unsent(NotDispatched::kEnvironment);
      break;
    case FailureKind::kCanceled:
      out.error_class = ErrorClass::kRequestCanceled;
      out.code = Code::kCanceled;
      out.not_dispatched = unsent(NotDispatched::kRequest);
      break;
    case FailureKind::kTooLarge:
      out.error_class = ErrorClass::kResponseTooLarge;
      out.code = Code::kResourceExhausted;
      break;
  }
  return out;
}

std::string PathOf(std::string_view method) {
  return std::string(method.starts_with('/') ? "" : "/plimsoll.v1.SandboxService/").append(method);
}

}  // namespace

std::chrono::milliseconds WholeMilliseconds(Milliseconds timeout) {
  // A day and a half a century: far from where a clock overflows.
  constexpr double kMost = 1e12;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(std::ceil(timeout.count()), 1.0, kMost)));
}

Error CanceledUnsent() {
  return ErrorOf({FailureKind::kCanceled, Progress::kNothingSent, "the call was canceled before it was sent"});
}

Error MalformedAnswer(std::string problem) {
  return {.error_class = ErrorClass::kMalformedResponse, .code = Code::kInternal, .message = std::move(problem)};
}

Fields Exchange::FieldsFor(std::string_view request_id, AskForAnnex annex) const {
  Fields fields = {{"Content-Type", std::string(kJson)},
                   {"Connect-Protocol-Version", "1"},
                   {"Accept-Encoding", "identity"},
                   {"User-Agent", "plimsoll-client-cpp/" + std::string(kClientVersion)},
                   {std::string(kRequestId), std::string(request_id)},
                   {"Plimsoll-Strict", "1"}};
  if (annex == AskForAnnex::kYes) {
    fields.emplace_back("Plimsoll-Annex", "1");
  }
  if (!options_.token.empty()) {
    fields.emplace_back("Authorization", "Bearer " + options_.token);
  }
  return fields;
}

std::variant<std::string, CallError> Exchange::Call(Outgoing outgoing) const {
  if (outgoing.cancel.stop_requested()) {
    return CallError{CanceledUnsent()};
  }
  std::array<std::byte, 16> random_bytes{};
  random_.Fill(random_bytes);
  const std::string request_id = base::HexOf(random_bytes);
  const Post post{.target = url_.path + PathOf(outgoing.method),
                  .fields = FieldsFor(request_id, outgoing.annex),
                  .body = std::move(outgoing.body),
                  .timeout = WholeMilliseconds(outgoing.timeout),
                  .cancel = std::move(outgoing.cancel),
                  .cancels = outgoing.cancels};
  std::variant<Answer, Failure> outcome = transport_.Send(post);
  if (auto* failure = std::get_if<Failure>(&outcome)) {
    return CallError{ErrorOf(std::move(*failure))};
  }
  auto& answer = std::get<Answer>(outcome);
  const bool bound = Only(answer.fields, kRequestId) == request_id;
  if (answer.status != 200) {
    return ErrorOf(answer, bound, outgoing.annex);
  }
  if (!bound) {
    return CallError{Error{.error_class = ErrorClass::kAnswerNotBound,
                           .code = Code::kDataLoss,
                           .http_status = answer.status,
                           .answer_not_bound = true,
                           .message = "the answer does not carry this request's ID; the code may have run"}};
  }
  if (!IsJson(answer.fields)) {
    return CallError{MalformedAnswer("the answer's content type is not application/json")};
  }
  return std::move(answer.body);
}

}  // namespace plimsoll::client
