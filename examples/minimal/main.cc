// The smallest program that embeds plimsoll: runs a snippet behind the wasm wall and says what happened.
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include "plimsoll/sandbox.h"

namespace {

// What a stranger's code might do for you: sum a column. Behind the wall it can reach nothing else.
constexpr std::string_view kTotals = R"js(
const salaries = [
  ["Engineering", 21500000], ["Sales", 9800000], ["Operations", 9800000],
  ["Engineering", 18200000], ["Sales", 10500000], ["Engineering", 19300000],
];
const totals = {};
for (const [department, cents] of salaries) {
  totals[department] = (totals[department] ?? 0) + cents;
}
console.log(JSON.stringify(totals));
)js";

const char* YesNo(bool value) { return value ? "yes" : "no"; }

int Print(const plimsoll::RunResult& run) {
  std::printf("provider     %s\n", run.provider.c_str());
  std::printf("isolation    %s\n", run.isolation.c_str());
  std::printf("exit code    %d\n", run.exit_code);
  std::printf("timed out    %s\n", YesNo(run.timed_out));
  std::printf("truncated    stdout %s, stderr %s\n", YesNo(run.stdout_truncated), YesNo(run.stderr_truncated));
  std::printf("duration     %lld ms\n", static_cast<long long>(run.duration.count()));
  std::printf("stdout       %s", run.stdout_bytes.c_str());
  std::printf("record       %s\n", run.record.record_sha256.c_str());
  return run.exit_code;
}

}  // namespace

int main() {
  auto opened = plimsoll::Sandbox::Open({});
  if (const auto* error = std::get_if<plimsoll::StartError>(&opened)) {
    std::fprintf(stderr, "minimal: %s\n", error->message.c_str());
    return 1;
  }
  auto& sandbox = std::get<plimsoll::Sandbox>(opened);
  const plimsoll::RunOutcome outcome = sandbox.RunJavaScript(kTotals);
  if (const auto* run = std::get_if<plimsoll::RunResult>(&outcome)) {
    return Print(*run);
  }
  if (const auto* refusal = std::get_if<plimsoll::Refusal>(&outcome)) {
    std::fprintf(stderr, "refused (%s), nothing ran: %s\n", refusal->reason.c_str(), refusal->message.c_str());
    return 125;
  }
  std::fprintf(stderr, "may have run: %s\n", std::get<plimsoll::Fault>(outcome).message.c_str());
  return 126;
}
