// plimsoll: runs a file in a sandbox from the command line. docs/reference/cli.md is its reference.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/plimsoll/arguments.h"
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

Outcome RunAsAsked(RunCommand& command) {
  auto code = ReadSource(command.file);
  if (auto* refusal = std::get_if<NothingRan>(&code)) {
    return std::move(*refusal);
  }
  auto token = ReadToken(command.token_file);
  if (auto* refusal = std::get_if<NothingRan>(&token)) {
    return std::move(*refusal);
  }
  const RunRequest request{.code = std::get<std::string>(std::move(code)),
                           .minimum_isolation = command.minimum_isolation,
                           .timeout = command.timeout};
  if (command.daemon.url.empty()) {
    return RunInProcess(request);
  }
  command.daemon.token = std::get<std::string>(std::move(token));
  return RunOnDaemon(command.daemon, request);
}

// A full disk or a closed pipe must not look like success.
int ExitCodeAfterWriting(const Outcome& outcome) {
  if (std::ferror(stdout) == 0) {
    return ExitCodeOf(outcome);
  }
  Write(stderr, "plimsoll: the result could not be written to standard output to its end\n");
  return kExitOutputLost;
}

int Execute(RunCommand command) {
  const Outcome outcome = RunAsAsked(command);
  if (command.format == Format::kJson) {
    Write(stdout, JsonOf(outcome) + "\n");
    return ExitCodeAfterWriting(outcome);
  }
  if (const auto* ran = std::get_if<Ran>(&outcome)) {
    WriteGuestBytes(stdout, ran->stdout_bytes);
    WriteGuestBytes(stderr, ran->stderr_bytes);
  }
  Write(stderr, SummaryOf(outcome, ColourOf(stderr)) + "\n");
  return ExitCodeAfterWriting(outcome);
}

std::variant<client::Info, NothingRan> DescribeAsAsked(DescribeCommand& command) {
  if (command.daemon.url.empty()) {
    return DescribeInProcess();
  }
  auto token = ReadToken(command.token_file);
  if (auto* refusal = std::get_if<NothingRan>(&token)) {
    return std::move(*refusal);
  }
  command.daemon.token = std::get<std::string>(std::move(token));
  return DescribeDaemon(command.daemon);
}

int Execute(DescribeCommand command) {
  const auto described = DescribeAsAsked(command);
  if (const auto* refusal = std::get_if<NothingRan>(&described)) {
    Write(stderr, "plimsoll: " + EscapeOnOneLine(refusal->message) + "\n");
    return kExitFailed;
  }
  const auto& info = std::get<client::Info>(described);
  Write(stdout, command.format == Format::kJson ? JsonOf(info) + "\n" : DescriptionOf(info, ColourOf(stdout)));
  return EXIT_SUCCESS;
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
