#include "guest/agent/probe_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace plimsoll::guest {

std::optional<std::string> ReadFile(const std::string& path, std::size_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return std::nullopt;
  }
  std::string content;
  ssize_t now = 1;
  while (now != 0 && content.size() < limit) {
    const std::size_t before = content.size();
    content.resize(std::min(limit, before + 16384));
    now = ::read(file, content.data() + before, content.size() - before);
    content.resize(before + (now > 0 ? static_cast<std::size_t>(now) : 0));
    if (now < 0 && errno != EINTR) {
      break;
    }
  }
  ::close(file);
  return now < 0 ? std::nullopt : std::optional(content);
}

std::vector<std::string> Words(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  std::vector<std::string> words;
  std::size_t at = text.find_first_not_of(kBlank);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlank, end);
  }
  return words;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string UnescapeMount(std::string_view field) {
  const auto octal = [&](std::size_t at) { return at < field.size() && field[at] >= '0' && field[at] <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
      i += 3;
    } else {
      plain += field[i];
    }
  }
  return plain;
}

}  // namespace plimsoll::guest
