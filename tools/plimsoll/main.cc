// plimsoll: runs a file in a sandbox from the command line. docs/reference/cli.md is its reference.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/plimsoll/arguments.h"
#include "tools/plimsoll/artifacts.h"
#include "tools/plimsoll/describe.h"
#include "tools/plimsoll/in_process.h"
#include "tools/plimsoll/report.h"
#include "tools/plimsoll/source.h"

namespace plimsoll::tool {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitOutputLost = 126;  // as for a run that may have happened: its result did not reach the caller whole

// Whether a stream is read by a person, and may be coloured.
bool IsTerminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }
Colour ColourOf(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool wanted = no_colour == nullptr || *no_colour == '\0';
  return wanted && IsTerminal(stream) ? Colour::kOn : Colour::kOff;
}

void Write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

// The guest's bytes as they are, but for a terminal, where they must not do anything.
void WriteGuestBytes(std::FILE* stream, std::string_view bytes) {
  Write(stream, IsTerminal(stream) ? EscapeForTerminal(bytes) : bytes);
}

// What is to be run: the code of one file, or the project in a folder.
std::variant<RunRequest, NothingRan> RequestOf(const RunCommand& command, std::vector<std::string>& skipped) {
  RunRequest request{.minimum_isolation = command.minimum_isolation, .timeout = command.timeout};
  if (command.steps.empty()) {
    auto code = ReadSource(command.file);
    if (auto* refusal = std::get_if<NothingRan>(&code)) {
      return std::move(*refusal);
    }
    request.payload = std::get<std::string>(std::move(code));
    return request;
  }
  auto content = ReadProject(command.file);
  if (auto* refusal = std::get_if<NothingRan>(&content)) {
    return std::move(*refusal);
  }
  auto& folder = std::get<FolderContent>(content);
  skipped = std::move(folder.skipped);
  request.payload = Project{std::move(folder.files), command.steps, command.artifacts};
  return request;
}

Outcome RunAsAsked(RunCommand& command, std::vector<std::string>& skipped) {
  auto request = RequestOf(command, skipped);
  if (auto* refusal = std::get_if<NothingRan>(&request)) {
    return std::move(*refusal);
  }
  auto token = ReadToken(command.token_file);
  if (auto* refusal = std::get_if<NothingRan>(&token)) {
    return std::move(*refusal);
  }
  if (command.daemon.url.empty()) {
    return RunInProcess(std::get<RunRequest>(request));
  }
  command.daemon.token = std::get<std::string>(std::move(token));
  return RunOnDaemon(command.daemon, std::get<RunRequest>(request));
}

void WriteLine(std::FILE* stream, const std::string& line) { Write(stream, line + "\n"); }

void WriteOutput(const Output& output) {
  WriteGuestBytes(stdout, output.stdout_bytes);
  WriteGuestBytes(stderr, output.stderr_bytes);
}

// The guest's output between lines of our own, which go to standard error.
void WriteProject(const ProjectRan& project, const std::vector<std::string>& asked) {
  const Colour colour = ColourOf(stderr);
  for (std::size_t i = 0; i < project.steps.size(); ++i) {
    WriteLine(stderr, StepHeadOf(project.steps[i], i + 1, colour));
    WriteOutput(project.steps[i].output);
    WriteLine(stderr, StepTailOf(project.steps[i], i + 1, colour));
  }
  for (const std::string& line : ArtifactLinesOf(project, asked)) {
    WriteLine(stderr, line);
  }
}

// A full disk or a closed pipe must not look like success.
int ExitCodeAfterWriting(const Outcome& outcome, const std::optional<std::string>& artifact_problem) {
  if (std::ferror(stdout) != 0) {
    WriteLine(stderr, "plimsoll: the result could not be written to standard output to its end");
    return kExitOutputLost;
  }
  if (artifact_problem) {
    WriteLine(stderr, "plimsoll: " + EscapeOnOneLine(*artifact_problem));
    return kExitOutputLost;
  }
  return ExitCodeOf(outcome);
}

int Execute(RunCommand command) {
  std::vector<std::string> skipped;
  Outcome outcome = RunAsAsked(command, skipped);
  std::optional<std::string> artifact_problem;
  auto* project = std::get_if<ProjectRan>(&outcome);
  if (project != nullptr) {
    project->skipped = skipped;
    if (!command.out.empty() && !project->artifacts.empty()) {
      artifact_problem = WriteArtifacts(command.out, command.artifacts, project->artifacts);
    }
  }
  if (command.format == Format::kJson) {
    WriteLine(stdout, JsonOf(outcome));
    return ExitCodeAfterWriting(outcome, artifact_problem);
  }
  for (const std::string& line : SkippedLinesOf(skipped)) {
    WriteLine(stderr, line);
  }
  if (const auto* ran = std::get_if<Ran>(&outcome)) {
    WriteOutput(ran->output);
  }
  if (project != nullptr) {
    WriteProject(*project, command.artifacts);
  }
  WriteLine(stderr, SummaryOf(outcome, ColourOf(stderr)));
  return ExitCodeAfterWriting(outcome, artifact_problem);
}

// Asks `in_process` where no daemon is named, and otherwise the daemon with the caller's token.
template <typename Answer>
std::variant<Answer, NothingRan> AskAsAsked(DescribeCommand& command, std::variant<Answer, NothingRan> (*in_process)(),
                                            std::variant<Answer, NothingRan> (*of_daemon)(const Daemon&)) {
  if (command.daemon.url.empty()) {
    return in_process();
  }
  auto token = ReadToken(command.token_file);
  if (auto* refusal = std::get_if<NothingRan>(&token)) {
    return std::move(*refusal);
  }
  command.daemon.token = std::get<std::string>(std::move(token));
  return of_daemon(command.daemon);
}

template <typename Answer>
int Tell(const std::variant<Answer, NothingRan>& answer, Format format,
         std::string (*for_a_person)(const Answer&, Colour)) {
  if (const auto* refusal = std::get_if<NothingRan>(&answer)) {
    WriteLine(stderr, "plimsoll: " + EscapeOnOneLine(refusal->message));
    return kExitFailed;
  }
  const auto& told = std::get<Answer>(answer);
  Write(stdout, format == Format::kJson ? JsonOf(told) + "\n" : for_a_person(told, ColourOf(stdout)));
  return std::ferror(stdout) == 0 ? EXIT_SUCCESS : kExitFailed;
}

int Execute(DescribeCommand command) {
  if (command.what == Describe::kProbes) {
    return Tell(AskAsAsked(command, ProbesInProcess, ProbesOfDaemon), command.format, ProbesTableOf);
  }
  return Tell(AskAsAsked(command, DescribeInProcess, DescribeDaemon), command.format, DescriptionOf);
}

int Execute(const Say& say) {
  Write(say.exit_code == 0 ? stdout : stderr, say.text);
  return say.exit_code;
}

}  // namespace
}  // namespace plimsoll::tool

int main(int argc, char** argv) {
  return std::visit([](auto&& command) { return plimsoll::tool::Execute(std::forward<decltype(command)>(command)); },
                    plimsoll::tool::ParseArguments(argc, argv));
}
