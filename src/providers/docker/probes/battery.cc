#include "providers/docker/probes/battery.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "providers/docker/probes/verdicts.h"

namespace plimsoll::docker {
namespace {

constexpr std::array kGroups = {Group::kFacts, Group::kMemory, Group::kPids, Group::kCpu};
constexpr std::string_view kWord = "plimsoll 42\n";
constexpr std::string_view kSnippet = "console.log('plimsoll', 6 * 7)";
// Each ends with 0 whatever becomes of the interpreter, so that the next is asked too.
constexpr std::string_view kNodeStep = "node -e \"console.log('plimsoll', 6 * 7)\" || true";
constexpr std::string_view kPythonStep = "python3 -c \"print('plimsoll', 6 * 7)\" || true";

// One battery under way.
class Battery {
 public:
  Battery(const Settings& settings, const State& state, std::uint32_t processors, const RunTrial& run,
          const base::Clock& clock, base::LogSink& log, const std::function<bool()>& may_go_on)
      : settings_(settings),
        state_(state),
        processors_(processors),
        run_(run),
        clock_(clock),
        log_(log),
        may_go_on_(may_go_on) {}

  BatteryResult Run();

 private:
  std::vector<const Row*> RowsOf(Role role, Group group) const;
  void RunGroup(Role role, Group group);
  void RunSnippet();
  void RunLanguages();
  bool Applies(const Row& row, Role role, Group group) const;
  void LogKernel(const Findings& found);
  void Add(Role role, std::string_view id, std::string_view tried, Verdict verdict);

  const Settings& settings_;
  const State& state_;
  const std::uint32_t processors_;
  const RunTrial& run_;
  const base::Clock& clock_;
  base::LogSink& log_;
  const std::function<bool()>& may_go_on_;
  BatteryResult result_;
};

void Battery::Add(Role role, std::string_view id, std::string_view tried, Verdict verdict) {
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.Wall().time_since_epoch());
  result_.probes.push_back({.id = std::string(Name(role)) + "/" + std::string(id),
                            .outcome = verdict.outcome,
                            .tried = std::string(tried),
                            .detail = std::move(verdict.detail),
                            .at_unix_ms = at.count()});
}

bool Battery::Applies(const Row& row, Role role, Group group) const {
  if (row.group != group) {
    return false;
  }
  switch (row.where) {
    case Where::kEveryImage: return true;
    case Where::kFirstImage: return role == state_.images.begin()->first;
    case Where::kImagesWithWork: return role != Role::kSnippet;
  }
  return false;  // unreachable: the switch is complete and -Wswitch keeps it so
}

// A diagnostic, and nothing else: its absence is fine, and what it says proves nothing.
void Battery::LogKernel(const Findings& found) {
  if (found.kernel_log && !found.kernel_log->empty()) {
    const std::array fields = {base::LogField{"line", std::string_view(*found.kernel_log)}};
    log_.Write(base::Severity::kInfo, "the first line of a sandbox's kernel log", fields);
  }
}

std::vector<const Row*> Battery::RowsOf(Role role, Group group) const {
  std::vector<const Row*> rows;
  for (const Row& row : Rows()) {
    if (Applies(row, role, group)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

// What one `plimsoll-guest probe` is told for all of them.
std::vector<std::string> WordsOf(const std::vector<const Row*>& rows, const Promise& promise) {
  std::vector<std::string> words;
  for (const Row* row : rows) {
    const std::vector<std::string> more = row->words == nullptr ? std::vector<std::string>() : row->words(promise);
    if (!words.empty() && !more.empty()) {
      words.emplace_back(",");
    }
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

void Battery::RunGroup(Role role, Group group) {
  const std::vector<const Row*> rows = RowsOf(role, group);
  if (rows.empty()) {
    return;
  }
  const Promise promise = PromiseOf(settings_, state_, role, processors_);
  std::vector<std::string> words = WordsOf(rows, promise);
  const bool is_first = role == state_.images.begin()->first;
  if (group == Group::kFacts && promise.kernel == Kernel::kOwn && is_first) {
    words.insert(words.end(), {",", "kernel-log"});
  }
  const bool wants_socket = group == Group::kFacts && is_first;
  Trial trial = run_({.role = role,
                      .what = ProbeWords{std::move(words)},
                      .host_socket = wants_socket ? HostSocket::kMounted : HostSocket::kNone});
  auto found = ParseFindings(trial.steps.empty() ? std::string_view() : trial.steps[0].stdout_bytes);
  if (!found) {
    trial.failure = std::string(base::TextOf(found.error()));
    found = Findings();
  }
  LogKernel(*found);
  for (const Row* row : rows) {
    Add(role, row->id, row->tried, row->judge({.promise = promise, .trial = trial, .found = *found}));
  }
}

// One step that exited with 0 and printed the word.
bool PrintedTheWord(const Trial& trial, std::size_t step) {
  if (!trial.failure.empty() || trial.how != CallEnd::How::kDone || step >= trial.steps.size()) {
    return false;
  }
  const StepSeen& seen = trial.steps[step];
  return seen.exited && seen.exited->exit_code == 0 && seen.stdout_bytes == kWord;
}

void Battery::RunSnippet() {
  const Trial trial = run_({.role = Role::kSnippet, .what = SnippetCode{std::string(kSnippet)}});
  const bool ran = PrintedTheWord(trial, 0);
  if (ran) {
    result_.languages[Role::kSnippet] = {"javascript"};
  }
  Add(Role::kSnippet, "javascript", "Run a snippet that prints a fixed word.",
      ran ? Pass("it printed the word and exited with 0")
          : Fail("it did not print the word and exit with 0: " + HowItEnded(trial) + "; is node on the image's PATH?"));
}

void Battery::RunLanguages() {
  const Trial trial =
      run_({.role = Role::kProject, .what = ProjectSteps{{std::string(kNodeStep), std::string(kPythonStep)}}});
  const bool ended = trial.failure.empty() && trial.how == CallEnd::How::kDone && trial.steps.size() == 2;
  const std::array<std::pair<std::string_view, std::string_view>, 2> languages = {
      {{"javascript", "node"}, {"python", "python3"}}};
  for (std::size_t step = 0; step < languages.size(); ++step) {
    const auto& [language, program] = languages[step];
    Verdict verdict = Skip(std::string(program) + " does not answer in this image; the language is not stated");
    if (!ended) {
      verdict = Fail("a project of two steps was not carried out: " + HowItEnded(trial));
    } else if (PrintedTheWord(trial, step)) {
      result_.languages[Role::kProject].emplace_back(language);
      verdict = Pass(std::string(program) + " printed the word");
    }
    Add(Role::kProject, language, "Run a step that prints a fixed word in this language.", std::move(verdict));
  }
}

BatteryResult Battery::Run() {
  for (const auto& [role, image] : state_.images) {
    for (const Group group : kGroups) {
      if (!may_go_on_()) {
        return std::move(result_);
      }
      RunGroup(role, group);
    }
  }
  if (may_go_on_() && state_.images.contains(Role::kSnippet)) {
    RunSnippet();
  }
  if (may_go_on_() && state_.images.contains(Role::kProject)) {
    RunLanguages();
  }
  result_.is_complete = may_go_on_();
  return std::move(result_);
}

}  // namespace

std::string_view Name(Role role) {
  switch (role) {
    case Role::kSnippet: return "snippet";
    case Role::kProject: return "project";
    case Role::kModule: return "module";
  }
  return "";  // unreachable: the switch is complete and -Wswitch keeps it so
}

Promise PromiseOf(const Settings& settings, const State& state, Role role, std::uint32_t processors) {
  return {.work = role == Role::kSnippet ? Work::kNone : Work::kMounted,
          .kernel = state.runtime == kRunsc ? Kernel::kOwn : Kernel::kHosts,
          .filter = state.seccomp == kNoSeccomp ? Filter::kNone : Filter::kApplied,
          .uid = settings.guest_uid,
          .memory_mb = settings.memory_mb,
          .pids = settings.pids,
          .work_mb = state.work_mb,
          .cpus = settings.cpus,
          .processors = processors};
}

BatteryResult RunBattery(const Settings& settings, const State& state, std::uint32_t processors, const RunTrial& run,
                         const base::Clock& clock, base::LogSink& log, const std::function<bool()>& may_go_on) {
  return Battery(settings, state, processors, run, clock, log, may_go_on).Run();
}

}  // namespace plimsoll::docker
