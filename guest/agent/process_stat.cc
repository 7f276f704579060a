#include "guest/agent/process_stat.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "os/unique_fd.h"

namespace plimsoll::guest {
namespace {

// Fields of proc(5) by their number.
constexpr std::size_t kState = 3;
constexpr std::size_t kParent = 4;
constexpr std::size_t kFlags = 9;
constexpr std::size_t kStart = 22;

template <typename Number>
bool IsNumber(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<ProcessStat> ParseStat(std::string_view text) {
  // `pid (name) state parent ...`; the name is the process's own and may hold anything, so the last parenthesis counts.
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos || text.size() < close + 2 || text[close + 1] != ' ') {
    return std::nullopt;
  }
  std::string_view rest = text.substr(close + 2);
  ProcessStat stat;
  for (std::size_t number = kState; number <= kStart; ++number) {
    const std::string_view field = rest.substr(0, rest.find_first_of(" \n"));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    if (field.empty() || (number == kState && field.size() != 1) ||
        (number == kParent && !IsNumber(field, stat.parent)) || (number == kFlags && !IsNumber(field, stat.flags))) {
      return std::nullopt;
    }
    if (number == kState) {
      stat.state = field.front();
    } else if (number == kStart) {
      stat.start = field;
    }
  }
  return stat;
}

Look ReadStat(const std::string& path, ProcessStat& into) {
  const os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> bytes;
  const ssize_t count = file.is_open() ? ::read(file.get(), bytes.data(), bytes.size()) : -1;
  if (count < 0) {
    return errno == ENOENT || errno == ESRCH ? Look::kGone : Look::kUnreadable;
  }
  auto stat = ParseStat(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
  if (!stat) {
    return Look::kUnreadable;
  }
  into = std::move(*stat);
  return Look::kThere;
}

}  // namespace plimsoll::guest
