#include "plimsoll/client.h"

#include <utility>
#include <variant>

#include "clients/cpp/check.h"
#include "clients/cpp/check_annex.h"
#include "clients/cpp/check_probes.h"
#include "clients/cpp/convert.h"
#include "clients/cpp/core.h"
#include "clients/cpp/prepare.h"
#include "os/system_random.h"

namespace plimsoll::client {
namespace {

Error OtherProtocol(Info info, std::uint32_t ours) {
  return {.error_class = ErrorClass::kProtocolMismatch,
          .code = Code::kUnimplemented,
          .not_dispatched = NotDispatched::kProtocol,
          .http_status = 200,
          .message =
              "the daemon speaks protocol " + std::to_string(info.protocol) + ", this client " + std::to_string(ours),
          .info = std::move(info)};
}

// What one call that runs nothing got for an answer, read by `read`.
template <typename T>
Result<T> Asked(const Core& core, std::string_view method, std::string body, const CallOptions& options,
                std::variant<T, Malformed> (*read)(std::string_view)) {
  auto called = core.Call(
      {.method = method, .body = std::move(body), .timeout = core.options().request_timeout, .cancel = options.cancel});
  if (auto* error = std::get_if<CallError>(&called)) {
    return std::move(error->error);
  }
  auto answer = read(std::get<std::string>(called));
  if (auto* malformed = std::get_if<Malformed>(&answer)) {
    return MalformedAnswer(std::move(malformed->problem));
  }
  return std::get<T>(std::move(answer));
}

// The same of plimsoll.x1. A daemon without that package has nothing at the path and need not know our marks; since
// none of these calls runs code, a bound answer that says so proves that nothing ran.
template <typename T>
Result<T> AskedX1(const Core& core, std::string_view path, std::string body, const CallOptions& options,
                  std::variant<T, Malformed> (*read)(std::string_view)) {
  Result<T> answer = Asked(core, path, std::move(body), options, read);
  if (answer) {
    return answer;
  }
  Error error = std::move(answer).error();
  if (error.code == Code::kUnimplemented && !error.not_dispatched && !error.answer_not_bound) {
    error.not_dispatched = NotDispatched::kUnsupported;
  }
  return error;
}

// One run outside a session.
Result<AnyResult> RunOnce(const Core& core, run::Payload payload, const RunOptions& options) {
  Result<run::Request> request = Prepare(std::move(payload), options, core.options().protocol);
  if (!request) {
    return std::move(request).error();
  }
  const Sent sent{*request, records::RequestDigest(request->as_sent())};
  auto called = core.Call({.method = "Run",
                           .body = WriteRunRequest(request->as_sent()),
                           .timeout = core.options().request_timeout,
                           .cancel = options.cancel,
                           .annex = options.annex});
  if (auto* error = std::get_if<CallError>(&called)) {
    return WithAnnex(sent, std::move(error->error), std::move(error->annex), nullptr);
  }
  auto read = ReadRunAnswer(std::get<std::string>(called), options.annex);
  if (auto* malformed = std::get_if<Malformed>(&read)) {
    return MalformedAnswer(std::move(malformed->problem));
  }
  auto& answer = std::get<RunAnswer>(read);
  std::optional<Error> failure = CheckRunAnswer(sent, answer);
  return Settled(std::move(failure), std::move(answer));
}

}  // namespace

std::variant<std::string, CallError> Core::Call(Outgoing outgoing) const {
  os::SystemRandom random;
  return Exchange(options_, url_, *transport_, random).Call(std::move(outgoing));
}

Result<Client> Client::Create(ClientOptions options) { return CreateForTest(std::move(options), nullptr); }

Result<Client> Client::CreateForTest(ClientOptions options, std::unique_ptr<HttpTransport> transport) {
  Result<BaseUrl> url =
      ParseBaseUrl(options.base_url, options.insecure_http ? PlainHttp::kAnywhere : PlainHttp::kLoopbackOnly);
  if (!url) {
    return std::move(url).error();
  }
  if (auto problem = CheckOptions(options)) {
    return *std::move(problem);
  }
  if (!transport) {
    auto made = MakeHttpTransport(*url, {.ca_file = options.ca_file, .max_answer = kMaxResponseBytes});
    if (!made) {
      return std::move(made).error();
    }
    transport = *std::move(made);
  }
  return Client(std::make_shared<const Core>(std::move(options), *std::move(url), std::move(transport)));
}

Client::Client(std::shared_ptr<const Core> core) : core_(std::move(core)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

const std::string& Client::base_url() const { return core_->base_url(); }

Result<Info> Client::Describe(const CallOptions& options) const {
  const std::uint32_t protocol = core_->options().protocol;
  Result<Info> info = Asked(*core_, "Describe", WriteDescribeRequest(protocol), options, ReadDescribeAnswer);
  if (info && info->protocol != protocol) {
    return OtherProtocol(*std::move(info), protocol);
  }
  return info;
}

Result<CapabilityList> Client::Capabilities(const CallOptions& options) const {
  return AskedX1(*core_, "/plimsoll.x1.Info/Capabilities", "{}", options, ReadCapabilitiesAnswer);
}

Result<Probes> Client::ProbeReport(const std::string& sha256, const CallOptions& options) const {
  Result<ProbeReportAnswer> answer = AskedX1(*core_, "/plimsoll.x1.Evidence/ProbeReport",
                                             WriteProbeReportRequest(sha256), options, ReadProbeReportAnswer);
  if (!answer) {
    return std::move(answer).error();
  }
  return CheckProbes(*std::move(answer), sha256);
}

Result<JavaScriptResult> Client::RunJavaScript(std::string code, const RunOptions& options) const {
  return Only<JavaScriptResult>(RunOnce(*core_, run::JavaScript{std::move(code), options.grant_profile}, options));
}

Result<ProjectResult> Client::RunProject(Project project, const RunOptions& options) const {
  return Only<ProjectResult>(RunOnce(*core_, PayloadOf(std::move(project), options.grant_profile), options));
}

Result<ModuleResult> Client::RunModule(Module module, const RunOptions& options) const {
  if (!options.grant_profile.empty()) {
    return InvalidRequest("grant_profile: a module takes none");
  }
  return Only<ModuleResult>(RunOnce(
      *core_, run::Module{std::move(module.model), std::move(module.rows), module.end_time, module.step}, options));
}

Result<Session> Client::OpenSession(const OpenSessionOptions& options, const CallOptions& call) const {
  return Session::Open(core_, options, call);
}

}  // namespace plimsoll::client
