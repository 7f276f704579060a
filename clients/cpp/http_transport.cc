#include "http/client.h"

#include <utility>

#include "clients/cpp/transport.h"
#include "os/system_clock.h"

namespace plimsoll::client {
namespace {

FailureKind KindOf(http::Failure::Cause cause) {
  using Cause = http::Failure::Cause;
  switch (cause) {
    case Cause::kInvalid:
    case Cause::kLookup:
    case Cause::kTooManyLookups:
    case Cause::kConnect:
    case Cause::kTls: return FailureKind::kUnreachable;
    case Cause::kClosed:
    case Cause::kMalformed: return FailureKind::kBroken;
    case Cause::kTooLarge: return FailureKind::kTooLarge;
    case Cause::kDeadline: return FailureKind::kTimeout;
    case Cause::kCanceled: return FailureKind::kCanceled;
  }
  return FailureKind::kBroken;  // unreachable: the switch is complete and -Wswitch keeps it so
}

Failure FailureOf(http::Failure failure) {
  return {.kind = KindOf(failure.cause),
          .progress = failure.sent == http::Sent::kNothing ? Progress::kNothingSent : Progress::kMayHaveSent,
          .detail = std::move(failure.detail)};
}

Answer AnswerOf(http::Response response) {
  Answer answer{.status = response.status, .fields = {}, .body = std::move(response.body)};
  for (const http::Header& header : response.headers) {
    answer.fields.emplace_back(header.name, header.value);
  }
  return answer;
}

class TransportOverHttp final : public HttpTransport {
 public:
  TransportOverHttp(const BaseUrl& url, std::unique_ptr<http::Client> client)
      : origin_{.kind = url.scheme == Scheme::kHttps ? http::Origin::Kind::kHttps : http::Origin::Kind::kHttp,
                .host = url.host,
                .port = url.port,
                .socket_path = {}},
        client_(std::move(client)) {}

  std::variant<Answer, Failure> Send(const Post& post) const override {
    http::ClientRequest request{.method = "POST", .target = post.target, .headers = {}, .body = post.body};
    for (const auto& [name, value] : post.fields) {
      request.headers.Add(name, value);
    }
    const http::Bounds bounds{.deadline = os::SystemClock().Steady() + post.timeout, .stop = post.cancel};
    http::Outcome outcome = Call(request, bounds, post.cancels);
    if (auto* failure = std::get_if<http::Failure>(&outcome)) {
      return FailureOf(std::move(*failure));
    }
    return AnswerOf(std::get<http::Response>(std::move(outcome)));
  }

 private:
  http::Outcome Call(const http::ClientRequest& request, const http::Bounds& bounds, Cancels cancels) const {
    if (cancels == Cancels::kAtAnyTime) {
      return client_->Call(origin_, request, bounds);
    }
    auto opened = client_->Open(origin_, bounds);
    if (auto* failure = std::get_if<http::Failure>(&opened)) {
      return std::move(*failure);
    }
    if (bounds.stop.stop_requested()) {
      return http::Failure{.cause = http::Failure::Cause::kCanceled,
                           .sent = http::Sent::kNothing,
                           .detail = "the call was canceled before it was sent"};
    }
    return std::get<std::unique_ptr<http::ClientConnection>>(opened)->Call(request, {.deadline = bounds.deadline});
  }

  http::Origin origin_;
  // Thread-safe by its own contract, though its calls are not const.
  std::unique_ptr<http::Client> client_;
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> MakeHttpTransport(const BaseUrl& url, const TransportOptions& options) {
  auto client =
      http::Client::Create({.ca_file = options.ca_file.empty() ? std::nullopt : std::optional(options.ca_file),
                            .max_body = options.max_answer});
  if (!client) {
    return Error{.error_class = ErrorClass::kInvalidOption,
                 .code = Code::kInvalidArgument,
                 .not_dispatched = NotDispatched::kRequest,
                 .message = std::string("ca_file: ").append(base::TextOf(client.error()))};
  }
  return std::unique_ptr<HttpTransport>(std::make_unique<TransportOverHttp>(url, std::move(client).value()));
}

}  // namespace plimsoll::client
