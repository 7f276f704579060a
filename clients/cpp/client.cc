#include "plimsoll/client.h"

#include <utility>

#include "base/check.h"
#include "clients/cpp/check.h"
#include "clients/cpp/check_probes.h"
#include "clients/cpp/convert.h"
#include "clients/cpp/exchange.h"
#include "clients/cpp/prepare.h"
#include "os/system_random.h"

namespace plimsoll::client {
namespace {

run::Payload PayloadOf(Project project, std::string grant_profile) {
  run::Project out{{}, std::move(project.steps), std::move(project.artifacts), std::move(grant_profile)};
  for (File& file : project.files) {
    out.files.push_back({std::move(file.path), std::move(file.content)});
  }
  return out;
}

Error InvalidRequest(std::string message) {
  return {.error_class = ErrorClass::kInvalidRequest,
          .code = Code::kInvalidArgument,
          .not_dispatched = NotDispatched::kRequest,
          .message = std::move(message)};
}

// The result of the one kind that the checks have let through.
template <typename T>
Result<T> Only(Result<AnyResult> result) {
  if (!result) {
    return std::move(result).error();
  }
  return std::get<T>(*std::move(result));
}

}  // namespace

class Client::Core {
 public:
  Core(ClientOptions options, BaseUrl url, std::unique_ptr<HttpTransport> transport)
      : options_(std::move(options)), url_(std::move(url)), text_(url_.Text()), transport_(std::move(transport)) {}

  const std::string& base_url() const { return text_; }

  Result<Info> Describe(std::stop_token cancel) const {
    Result<std::string> body = Call("Describe", WriteDescribeRequest(options_.protocol), std::move(cancel));
    if (!body) {
      return std::move(body).error();
    }
    auto read = ReadDescribeAnswer(*body);
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      return MalformedAnswer(std::move(malformed->problem));
    }
    auto& info = std::get<Info>(read);
    if (info.protocol != options_.protocol) {
      return Error{.error_class = ErrorClass::kProtocolMismatch,
                   .code = Code::kUnimplemented,
                   .not_dispatched = NotDispatched::kProtocol,
                   .http_status = 200,
                   .message = "the daemon speaks protocol " + std::to_string(info.protocol) + ", this client " +
                              std::to_string(options_.protocol),
                   .info = std::move(info)};
    }
    return std::move(info);
  }

  Result<CapabilityList> Capabilities(std::stop_token cancel) const {
    Result<std::string> body = Call("/plimsoll.x1.Info/Capabilities", "{}", std::move(cancel));
    if (!body) {
      return std::move(body).error();
    }
    auto read = ReadCapabilitiesAnswer(*body);
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      return MalformedAnswer(std::move(malformed->problem));
    }
    return std::get<CapabilityList>(std::move(read));
  }

  Result<Probes> ProbeReport(const std::string& sha256, std::stop_token cancel) const {
    Result<std::string> body =
        Call("/plimsoll.x1.Evidence/ProbeReport", WriteProbeReportRequest(sha256), std::move(cancel));
    if (!body) {
      return std::move(body).error();
    }
    auto read = ReadProbeReportAnswer(*body);
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      return MalformedAnswer(std::move(malformed->problem));
    }
    return CheckProbes(std::get<ProbeReportAnswer>(std::move(read)), sha256);
  }

  Result<AnyResult> Run(run::Payload payload, const RunOptions& options) const {
    Result<run::Request> request = Prepare(std::move(payload), options, options_.protocol);
    if (!request) {
      return std::move(request).error();
    }
    const Sent sent{*request, records::RequestDigest(request->as_sent())};
    Result<std::string> body = Call("Run", WriteRunRequest(request->as_sent()), options.cancel);
    if (!body) {
      return std::move(body).error();
    }
    auto read = ReadRunAnswer(*body);
    if (auto* malformed = std::get_if<Malformed>(&read)) {
      return MalformedAnswer(std::move(malformed->problem));
    }
    auto& answer = std::get<RunAnswer>(read);
    std::optional<Error> failure = CheckRunAnswer(sent, answer);
    std::optional<AnyResult> result =
        TakeResult(std::move(answer), RecordHolds(failure) ? ShowRecord::kChecked : ShowRecord::kNot);
    if (failure) {
      failure->http_status = 200;
      failure->result = std::move(result);
      return *std::move(failure);
    }
    PLIMSOLL_CHECK(result.has_value());  // CheckRunAnswer refuses an answer without a result
    return *std::move(result);
  }

 private:
  Result<std::string> Call(std::string_view method, std::string body, std::stop_token cancel) const {
    os::SystemRandom random;
    return Exchange(options_, url_, *transport_, random).Call(method, std::move(body), std::move(cancel));
  }

  ClientOptions options_;
  BaseUrl url_;
  std::string text_;
  std::unique_ptr<HttpTransport> transport_;
};

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
  return Client(std::make_unique<const Core>(std::move(options), *std::move(url), std::move(transport)));
}

Client::Client(std::unique_ptr<const Core> core) : core_(std::move(core)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

const std::string& Client::base_url() const { return core_->base_url(); }

Result<Info> Client::Describe(const CallOptions& options) const { return core_->Describe(options.cancel); }

Result<CapabilityList> Client::Capabilities(const CallOptions& options) const {
  return core_->Capabilities(options.cancel);
}

Result<Probes> Client::ProbeReport(const std::string& sha256, const CallOptions& options) const {
  return core_->ProbeReport(sha256, options.cancel);
}

Result<JavaScriptResult> Client::RunJavaScript(std::string code, const RunOptions& options) const {
  return Only<JavaScriptResult>(core_->Run(run::JavaScript{std::move(code), options.grant_profile}, options));
}

Result<ProjectResult> Client::RunProject(Project project, const RunOptions& options) const {
  return Only<ProjectResult>(core_->Run(PayloadOf(std::move(project), options.grant_profile), options));
}

Result<ModuleResult> Client::RunModule(Module module, const RunOptions& options) const {
  if (!options.grant_profile.empty()) {
    return InvalidRequest("grant_profile: a module takes none");
  }
  return Only<ModuleResult>(
      core_->Run(run::Module{std::move(module.model), std::move(module.rows), module.end_time, module.step}, options));
}

}  // namespace plimsoll::client
