#include <nlohmann/json.hpp>

#include "clients/cpp/messages.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

// Fields at their default value are left out, as proto3 JSON does.
void PutText(Json& out, const char* name, const std::string& text) {
  if (!text.empty()) {
    out[name] = text;
  }
}

void PutCount(Json& out, const char* name, std::uint32_t count) {
  if (count != 0) {
    out[name] = count;
  }
}

Json FilesOf(const std::vector<run::File>& files) {
  Json out = Json::array();
  for (const run::File& file : files) {
    Json entry = Json::object();
    PutText(entry, "path", file.path);
    PutText(entry, "content", file.content);
    out.push_back(std::move(entry));
  }
  return out;
}

class PutPayload {
 public:
  explicit PutPayload(Json& out) : out_(out) {}

  void operator()(std::monostate) const {}

  void operator()(const run::JavaScript& javascript) const {
    Json& message = out_["javascript"] = Json::object();
    PutText(message, "code", javascript.code);
    PutText(message, "grantProfile", javascript.grant_profile);
  }

  void operator()(const run::Project& project) const {
    Json& message = out_["project"] = Json::object();
    message["files"] = FilesOf(project.files);
    message["steps"] = project.steps;
    message["artifacts"] = project.artifacts;
    PutText(message, "grantProfile", project.grant_profile);
  }

  void operator()(const run::Module& module) const {
    Json& message = out_["module"] = Json::object();
    PutText(message, "model", module.model);
    Json& rows = message["rows"] = Json::array();
    for (const std::vector<double>& row : module.rows) {
      rows.push_back({{"values", row}});
    }
    message["endTime"] = module.end_time;
    message["step"] = module.step;
  }

  void operator()(const run::Cell& cell) const {
    Json& message = out_["cell"] = Json::object();
    PutText(message, "language", cell.language);
    PutText(message, "code", cell.code);
    message["files"] = FilesOf(cell.files);
  }

 private:
  Json& out_;
};

void PutRule(Json& out, const run::SoftwareRuleDraft& rule) {
  if (!rule.identities.empty()) {
    out["softwareRule"] = {{"mode", rule.mode}, {"identities", rule.identities}};
  }
}

// What Run and SessionRun have in common.
Json RunOf(const run::Draft& request) {
  Json out = Json::object();
  out["protocol"] = request.protocol;
  PutText(out, "minimumIsolation", request.minimum_isolation);
  PutText(out, "traceId", request.trace_id);
  if (request.timeout_ms != 0) {
    out["timeoutMs"] = request.timeout_ms;
  }
  PutRule(out, request.software_rule);
  std::visit(PutPayload(out), request.payload);
  return out;
}

}  // namespace

std::string WriteRunRequest(const run::Draft& request) { return RunOf(request).dump(); }

std::string WriteSessionRunRequest(const run::Draft& request, std::string_view session_id) {
  Json out = RunOf(request);
  out["sessionId"] = session_id;
  return out.dump();
}

std::string WriteOpenSessionRequest(const OpenRequest& request) {
  Json out = Json::object();
  out["protocol"] = request.protocol;
  PutText(out, "minimumIsolation", request.minimum_isolation);
  PutText(out, "traceId", request.trace_id);
  PutCount(out, "lifetimeMs", request.lifetime_ms);
  PutCount(out, "idleTimeoutMs", request.idle_timeout_ms);
  PutRule(out, request.software_rule);
  if (!request.languages.empty()) {
    out["languages"] = request.languages;
  }
  PutText(out, "owner", request.owner);
  return out.dump();
}

std::string WriteCloseSessionRequest(std::uint32_t protocol, std::string_view session_id) {
  return Json{{"protocol", protocol}, {"sessionId", session_id}}.dump();
}

std::string WriteDescribeRequest(std::uint32_t protocol) { return Json{{"protocol", protocol}}.dump(); }

std::string WriteProbeReportRequest(const std::string& sha256) {
  Json out = Json::object();
  PutText(out, "sha256", sha256);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);  // the daemon knows no digest that is not UTF-8
}

}  // namespace plimsoll::client
