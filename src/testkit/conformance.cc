#include "testkit/conformance.h"

#include <future>
#include <utility>

#include "base/check.h"

namespace plimsoll::testkit {

std::string_view Name(Ability ability) {
  switch (ability) {
    case Ability::kNone: return "none";
    case Ability::kNode: return "snippets run by Node";
    case Ability::kProjects: return "projects";
  }
  return "unknown";  // unreachable: the switch is complete and -Wswitch keeps it so
}

base::Result<run::Report> Subject::Ask(run::Payload payload, const Given& given) const {
  run::Draft draft;
  draft.protocol = 5;
  draft.timeout_ms = static_cast<std::int32_t>(given.timeout.count());
  draft.minimum_isolation = given.minimum_isolation;
  if (!given.software.empty()) {
    draft.software_rule = {.mode = "exact", .identities = {given.software}};
  }
  draft.payload = std::move(payload);
  auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  if (!request) {
    return request.error();
  }
  std::promise<base::Result<run::Report>> promise;
  auto answer = promise.get_future();
  provider.Run({.request = *request, .principal = given.principal, .stop = given.stop},
               [&promise](base::Result<run::Report> report) { promise.set_value(std::move(report)); });
  PLIMSOLL_CHECK(answer.wait_for(std::chrono::minutes(2)) == std::future_status::ready);
  return answer.get();
}

base::Result<run::Report> Subject::Snippet(std::string code, const Given& given) const {
  return Ask(run::JavaScript{.code = std::move(code), .grant_profile = {}}, given);
}

}  // namespace plimsoll::testkit
