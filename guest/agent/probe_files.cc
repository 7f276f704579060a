#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "guest/agent/probe_attempts.h"
#include "guest/agent/probe_fact.h"
#include "guest/agent/probe_text.h"

namespace plimsoll::guest {
namespace {

constexpr const char* kMounts = "/proc/self/mounts";
constexpr std::size_t kMaxMounts = std::size_t{256} * 1024;  // bytes of the table
constexpr std::size_t kMaxOptions = 512;
constexpr std::size_t kPiece = std::size_t{64} * 1024;

std::string ProbeName(const std::string& directory) {
  return (directory == "/" ? "" : directory) + "/.plimsoll-probe-" + std::to_string(::getpid());
}

// 0, or why no file could be created in `directory`. It is removed again.
int CreateFile(const std::string& directory) {
  const std::string path = ProbeName(directory);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    return errno;
  }
  ::close(file);
  ::unlink(path.c_str());
  return 0;
}

int CreateDirectory(const std::string& directory) {
  const std::string path = ProbeName(directory);
  if (::mkdir(path.c_str(), 0700) != 0) {
    return errno;
  }
  ::rmdir(path.c_str());
  return 0;
}

enum class Writable { kYes, kNo, kNotStorage };

Writable TryToWrite(const std::string& target) {
  struct stat info = {};
  if (::stat(target.c_str(), &info) != 0) {
    return Writable::kNo;
  }
  if (S_ISDIR(info.st_mode)) {
    return CreateFile(target) == 0 || CreateDirectory(target) == 0 ? Writable::kYes : Writable::kNo;
  }
  if (!S_ISREG(info.st_mode)) {
    return Writable::kNotStorage;
  }
  const int file = ::open(target.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    return Writable::kNo;
  }
  ::close(file);
  return Writable::kYes;
}

// The rows of the mount table that have their first four fields.
std::vector<std::vector<std::string>> MountRows() {
  std::vector<std::vector<std::string>> rows;
  const std::string table = ReadFile(kMounts, kMaxMounts).value_or("");
  for (const std::string_view line : Lines(table)) {
    std::vector<std::string> words = Words(line);
    if (words.size() >= 4) {
      rows.push_back({UnescapeMount(words[1]), words[2], words[3].substr(0, kMaxOptions)});
    }
  }
  return rows;
}

}  // namespace

void ProbeRootWrite() { Fact("root-write").Error("result", CreateFile("/")).Print(); }

void ProbeMounts() { Fact("mounts").Rows("rows", MountRows()).Print(); }

void ProbeWritable() {
  std::set<std::string> targets;
  for (const std::vector<std::string>& row : MountRows()) {
    targets.insert(row[0]);
  }
  std::vector<std::string> writable;
  std::int64_t tried = 0;
  for (const std::string& target : targets) {
    const Writable result = TryToWrite(target);
    tried += result == Writable::kNotStorage ? 0 : 1;
    if (result == Writable::kYes) {
      writable.push_back(target);
    }
  }
  Fact("writable").Number("tried", tried).Texts("writable", writable).Print();
}

void ProbeFill(const std::string& directory, std::uint32_t mib) {
  const std::string path = ProbeName(directory);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int error = file < 0 ? errno : 0;
  const std::vector<char> piece(kPiece, 'x');
  const std::uint64_t wanted = std::uint64_t{mib} << 20;
  std::uint64_t bytes = 0;
  while (error == 0 && bytes < wanted) {
    const std::size_t size = std::min<std::uint64_t>(piece.size(), wanted - bytes);
    const ssize_t now = ::write(file, piece.data(), size);
    if (now < 0 && errno != EINTR) {
      error = errno;
    }
    bytes += now > 0 ? static_cast<std::uint64_t>(now) : 0;
  }
  if (file >= 0) {
    ::close(file);
    ::unlink(path.c_str());
  }
  Fact("fill")
      .Text("directory", directory)
      .Number("bytes", static_cast<std::int64_t>(bytes))
      .Error("result", error)
      .Print();
}

}  // namespace plimsoll::guest
