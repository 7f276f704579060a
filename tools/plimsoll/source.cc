#include "tools/plimsoll/source.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "run/limits.h"

namespace plimsoll::tool {
namespace {

constexpr std::size_t kMaxToken = 16 * 1024;

NothingRan Refused(std::string message) { return {.reason = "request", .message = std::move(message)}; }

// At most `limit` + 1 bytes, so that the caller sees that there are more.
std::string ReadSome(std::istream& in, std::size_t limit) {
  std::string out(limit + 1, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

}  // namespace

std::variant<std::string, NothingRan> ReadSource(const std::string& file) {
  if (file.ends_with(".py")) {
    return NothingRan{.reason = "unsupported", .message = "python files cannot be run yet: JavaScript only"};
  }
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) {
      return Refused("the file to run cannot be opened: " + file);
    }
  }
  std::string code = ReadSome(file == "-" ? std::cin : opened, run::kMaxCodeBytes);
  if (file != "-" && opened.bad()) {
    return Refused("the file to run cannot be read: " + file);
  }
  if (code.size() > run::kMaxCodeBytes) {
    return Refused("the code is longer than the limit of " + std::to_string(run::kMaxCodeBytes) + " bytes");
  }
  return code;
}

std::variant<std::string, NothingRan> ReadToken(const std::string& token_file) {
  if (token_file.empty()) {
    const char* token = std::getenv("PLIMSOLL_TOKEN");
    return std::string(token == nullptr ? "" : token);
  }
  std::ifstream opened(token_file, std::ios::binary);
  if (!opened) {
    return Refused("the token file cannot be opened: " + token_file);
  }
  const std::string text = ReadSome(opened, kMaxToken);
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace plimsoll::tool
