#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "tools/plimsoll/remote.h"

namespace plimsoll::tool {

enum class Format { kHuman, kJson };

// `plimsoll run`
struct RunCommand {
  std::string file;                    // a folder when there are steps
  std::vector<std::string> steps;      // shell commands: FILE is a project
  std::vector<std::string> artifacts;  // paths to bring back from a project
  std::string out;                     // the folder they are written to; empty: they are not
  Daemon daemon;                       // an empty URL: in this program
  std::string token_file;
  std::string minimum_isolation;
  std::chrono::milliseconds timeout{0};
  Format format = Format::kHuman;
};

enum class Describe { kOffer, kProbes };

// `plimsoll describe`
struct DescribeCommand {
  Describe what = Describe::kOffer;
  Daemon daemon;
  std::string token_file;
  Format format = Format::kHuman;
};

// The tool has only something to say: the help, the version, or what is wrong with the command line.
struct Say {
  std::string text;
  int exit_code = 0;  // 0: to standard output; else to standard error
};

using Command = std::variant<RunCommand, DescribeCommand, Say>;

// Reads the command line. Faults in `run`'s arguments exit 125, since nothing ran; others exit 2.
Command ParseArguments(int argc, const char* const* argv);

}  // namespace plimsoll::tool
