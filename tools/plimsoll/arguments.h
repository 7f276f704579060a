#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "tools/plimsoll/remote.h"

namespace plimsoll::tool {

enum class Format { kHuman, kJson };

// `plimsoll run`
struct RunCommand {
  std::string file;
  Daemon daemon;  // an empty URL: in this program
  std::string token_file;
  std::string minimum_isolation;
  std::chrono::milliseconds timeout{0};
  Format format = Format::kHuman;
};

// `plimsoll describe`
struct DescribeCommand {
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
