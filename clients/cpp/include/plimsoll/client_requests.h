#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/client_annex.h"

// What a program asks of a daemon. Plain values; they are checked when they are sent.
namespace plimsoll::client {

using Milliseconds = std::chrono::duration<double, std::milli>;

struct CallOptions {
  // Ends the call: before the first byte left as a refusal, later with an error that cannot say whether the code ran.
  std::stop_token cancel = {};
};

// Which images may run a request. No identities: any.
struct SoftwareRule {
  std::string mode = {};  // `exact` with one identity, `approved` with 1 to 32
  std::vector<std::string> identities = {};

  static SoftwareRule Exact(std::string identity) { return {"exact", {std::move(identity)}}; }
  static SoftwareRule Approved(std::vector<std::string> identities) { return {"approved", std::move(identities)}; }
};

// In a session, floor and rule add to those it was opened with: a call can ask for more and never for less.
struct RunOptions {
  // The run's time; 0 or less: the daemon's default. Above 0 at least one millisecond is sent.
  Milliseconds timeout{0};
  // The floor, the weakest tier accepted: `process`, `container`, `kernel`, `vm`, or empty for any.
  std::string minimum_isolation = {};
  SoftwareRule software = {};
  // For snippets and projects.
  std::string grant_profile = {};
  // For the daemon's log: 1 to 64 of `[A-Za-z0-9._:-]`, or empty.
  std::string trace_id = {};
  // Asks for the annex, which is then in Evidence::annex or Error::annex, checked.
  AskForAnnex annex = AskForAnnex::kNo;
  std::stop_token cancel = {};
};

struct File {
  std::string path = {};
  std::string content = {};  // text
};

struct Project {
  std::vector<File> files = {};
  std::vector<std::string> steps = {};      // shell commands, run in order
  std::vector<std::string> artifacts = {};  // paths to bring back
};

struct Module {
  std::string model = {};
  std::vector<std::vector<double>> rows = {};
  double end_time = 0;
  double step = 0;
};

// Code for the interpreter of a session, which keeps its variables from one cell to the next.
struct Cell {
  std::string code = {};
  std::string language = "python";  // or `javascript`
  std::vector<File> files = {};     // written before the code runs
};

struct OpenSessionOptions {
  // The floor and the rule of every call, and of the sandbox that is opened.
  std::string minimum_isolation = {};
  SoftwareRule software = {};
  // How long it may live and how long it may rest; 0 or less: the daemon's times, which can be shortened only.
  Milliseconds lifetime{0};
  Milliseconds idle_timeout{0};
  std::string trace_id = {};
  // Interpreters to have ready: `javascript`, `python`. A hint.
  std::vector<std::string> languages = {};
  // On whose behalf, for the daemon's caps: text that is not empty. It is never sent: the daemon sees a keyed digest.
  std::optional<std::string> owner = {};
};

}  // namespace plimsoll::client
