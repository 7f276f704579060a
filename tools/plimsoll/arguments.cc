#include "tools/plimsoll/arguments.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "tools/plimsoll/duration.h"
#include "tools/plimsoll/report.h"
#include "tools/plimsoll/version.h"

namespace plimsoll::tool {
namespace {

constexpr int kExitUsage = 2;

void AddDaemonOptions(CLI::App& command, Daemon& daemon, std::string& token_file) {
  command.add_option("--token-file", token_file, "File whose first line is the caller's token (else PLIMSOLL_TOKEN)");
  command.add_option("--ca-file", daemon.ca_file, "PEM file of the authorities an https daemon is verified against");
  command.add_flag("--insecure-http", daemon.insecure_http, "Allow plain http to another machine");
}

// An option that takes one value each time it is given.
void AddEach(CLI::App& command, const char* name, std::vector<std::string>& values, const char* what) {
  command.add_option(name, values, what)->allow_extra_args(false);
}

// What no single option can tell; empty when all is well.
std::string_view Contradiction(const RunCommand& run) {
  if (run.steps.empty() && (!run.artifacts.empty() || !run.out.empty())) {
    return "--artifact and --out are for a project: give --steps too";
  }
  if (!run.out.empty() && run.artifacts.empty()) {
    return "--out has nothing to write: give --artifact too";
  }
  return !run.steps.empty() && run.file == "-" ? "a project is a folder, not standard input" : "";
}

void AddRun(CLI::App& app, RunCommand& run, std::string& timeout, bool& json) {
  CLI::App& command = *app.add_subcommand("run", "Run one JavaScript file, or a project, in a sandbox");
  command.add_option("FILE", run.file, "The file to run, - for standard input, or with --steps a folder")->required();
  AddEach(command, "--steps", run.steps, "A shell command to run in the folder; several are run in order");
  AddEach(command, "--artifact", run.artifacts, "A path to bring back after the steps; may be given several times");
  command.add_option("--out", run.out, "The folder that artifacts are written to");
  command.add_option("--url", run.daemon.url, "The daemon to run on; without it, a sandbox inside this program");
  AddDaemonOptions(command, run.daemon, run.token_file);
  command.add_option("--floor", run.minimum_isolation, "The weakest tier accepted: process, container, kernel or vm");
  command.add_option("--timeout", timeout,
                     "The run's time, like 500ms, 2s or 1m30s; without it, the provider's default");
  command.add_flag("--json", json, "Print one JSON object and nothing else");
}

void AddDescribe(CLI::App& app, DescribeCommand& describe, bool& probes, bool& json) {
  CLI::App& command = *app.add_subcommand("describe", "Say what a daemon, or the sandbox inside this program, can do");
  command.add_option("--url", describe.daemon.url, "The daemon to ask; without it, the sandbox inside this program");
  AddDaemonOptions(command, describe.daemon, describe.token_file);
  command.add_flag("--probes", probes,
                   "Say what was tried from inside a sandbox before it served, and what came of it");
  command.add_flag("--json", json, "Print one JSON object and nothing else");
}

// The run, when its options make sense together; else what is wrong with them.
Command Checked(RunCommand run, const std::string& timeout, int exit_code) {
  if (const std::string_view problem = Contradiction(run); !problem.empty()) {
    return Say{"plimsoll: " + std::string(problem) + "\n", exit_code};
  }
  if (!timeout.empty()) {
    const auto parsed = ParseDuration(timeout);
    if (!parsed || parsed->count() == 0) {
      return Say{"plimsoll: --timeout: not a time like 500ms, 2s or 1m30s\n", exit_code};
    }
    run.timeout = *parsed;
  }
  return run;
}

}  // namespace

Command ParseArguments(int argc, const char* const* argv) {
  CLI::App app("Runs untrusted code behind a wall you choose.", "plimsoll");
  app.set_version_flag("--version", "plimsoll " + std::string(kToolVersion));
  app.require_subcommand(1);
  RunCommand run;
  DescribeCommand describe;
  std::string timeout;
  bool json = false;
  AddRun(app, run, timeout, json);
  bool probes = false;
  AddDescribe(app, describe, probes, json);
  const bool is_run = argc > 1 && std::string_view(argv[1]) == "run";
  const int usage = is_run ? kExitNothingRan : kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return Say{std::string(version.what()) + "\n"};
  } catch (const CLI::CallForHelp&) {
    return Say{app.get_subcommands().empty() ? app.help() : app.get_subcommands().front()->help("plimsoll")};
  } catch (const CLI::Error& error) {
    return Say{"plimsoll: " + std::string(error.what()) + "; see plimsoll --help\n", usage};
  }
  if (app.got_subcommand("describe")) {
    describe.what = probes ? Describe::kProbes : Describe::kOffer;
    describe.format = json ? Format::kJson : Format::kHuman;
    return describe;
  }
  run.format = json ? Format::kJson : Format::kHuman;
  return Checked(std::move(run), timeout, usage);
}

}  // namespace plimsoll::tool
