#include <algorithm>

#include "base/utf8.h"
#include "os/folder.h"
#include "run/check.h"
#include "run/limits.h"
#include "tools/plimsoll/source.h"

namespace plimsoll::tool {
namespace {

using os::FileKind;
using os::Folder;

constexpr std::size_t kMaxDepth = 64;          // folders held open at once
constexpr std::size_t kMaxEntries = 10'000;    // looked at in all
constexpr std::string_view kHistory = ".git";  // of the project, not part of it, and never all text

NothingRan Refused(std::string message) { return {.reason = "request", .message = std::move(message)}; }

// One walk over a folder. Each step gives what is wrong, or nothing.
class Walk {
 public:
  explicit Walk(FolderContent& out) : out_(out) {}

  // Recursion is bounded by kMaxDepth.
  std::optional<NothingRan> Into(const Folder& folder, const std::string& path, std::size_t depth) {
    const auto entries = folder.List(kMaxEntries);
    if (!entries) {
      return Refused("the folder " + Shown(path) + " cannot be read: " + std::string(base::TextOf(entries.error())));
    }
    seen_ += entries->size();
    if (seen_ > kMaxEntries) {
      return Refused("the project has more than " + std::to_string(kMaxEntries) + " files and folders to look through");
    }
    for (const Folder::Entry& entry : *entries) {
      if (auto refused = Take(folder, entry, path.empty() ? entry.name : path + "/" + entry.name, depth)) {
        return refused;
      }
    }
    return std::nullopt;
  }

 private:
  static std::string Shown(const std::string& path) { return path.empty() ? "." : path; }

  std::optional<NothingRan> Take(const Folder& folder, const Folder::Entry& entry, std::string path,
                                 std::size_t depth) {
    const bool history = entry.name == kHistory;
    if (entry.kind == FileKind::kFile && !history) {
      return TakeFile(folder, entry.name, std::move(path));
    }
    if (entry.kind != FileKind::kDirectory || history) {
      out_.skipped.push_back(std::move(path));
      return std::nullopt;
    }
    if (depth == kMaxDepth) {
      return Refused("the folder " + path + " is nested deeper than " + std::to_string(kMaxDepth) + " folders");
    }
    const auto below = folder.Below(entry.name);
    if (!below) {
      return Refused("the folder " + path + " cannot be read: " + std::string(base::TextOf(below.error())));
    }
    return Into(*below, path, depth + 1);
  }

  std::optional<NothingRan> TakeFile(const Folder& folder, const std::string& name, std::string path) {
    if (!base::IsUtf8(path)) {
      return Refused("the name of the file " + path + " is not UTF-8 and cannot be sent");
    }
    if (const base::Status fit = run::CheckPath("the path " + path, path); !fit) {
      return Refused(std::string(base::TextOf(fit.error())));
    }
    if (out_.files.size() == run::kMaxFiles) {
      return Refused("the project has more files than the limit of " + std::to_string(run::kMaxFiles) + "; " + path +
                     " is one too many");
    }
    auto content = folder.ReadFile(name, run::kMaxFileBytesTogether - bytes_);
    if (!content) {
      return Refused("the file " + path + " cannot be read: " + std::string(base::TextOf(content.error())));
    }
    bytes_ += content->size();
    if (bytes_ > run::kMaxFileBytesTogether) {
      return Refused("the project's files are longer together than the limit of " +
                     std::to_string(run::kMaxFileBytesTogether) + " bytes; " + path + " is where it is passed");
    }
    if (!base::IsUtf8(*content)) {
      return Refused("the file " + path + " is not UTF-8 text, and only text can be sent; move it out of the folder");
    }
    out_.files.push_back({std::move(path), *std::move(content)});
    return std::nullopt;
  }

  FolderContent& out_;
  std::size_t seen_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::variant<FolderContent, NothingRan> ReadProject(const std::string& folder) {
  const auto opened = Folder::Open(folder);
  if (!opened) {
    return Refused("the folder " + folder + " cannot be read: " + std::string(base::TextOf(opened.error())));
  }
  FolderContent out;
  if (auto refused = Walk(out).Into(*opened, "", 0)) {
    return *std::move(refused);
  }
  std::ranges::sort(out.files, {}, &ProjectFile::path);
  return out;
}

}  // namespace plimsoll::tool
