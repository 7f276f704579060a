#include "tools/plimsoll/artifacts.h"

#include <algorithm>
#include <string_view>

#include "os/folder.h"
#include "os/system_random.h"
#include "run/check.h"

namespace plimsoll::tool {
namespace {

using os::Folder;

// `path` has passed run::CheckPath, so each of its parts is a plain name.
base::Status WriteBelow(const Folder& folder, std::string_view path, std::string_view content, base::Random& random) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    return folder.WriteFile(std::string(path), content, random);
  }
  const auto below = folder.BelowOrMake(std::string(path.substr(0, slash)));
  return below ? WriteBelow(*below, path.substr(slash + 1), content, random) : base::Status(below.error());
}

// An answer from elsewhere names these paths: what it says is checked again before anything is opened.
base::Status MayWrite(const std::vector<std::string>& asked, const std::string& path) {
  if (base::Status fit = run::CheckPath("its path", path); !fit) {
    return fit;
  }
  if (std::ranges::find(asked, path) == asked.end()) {
    return base::Fault{base::FaultKind::kInternal, "it was not asked for"};
  }
  return base::Ok();
}

}  // namespace

std::optional<std::string> WriteArtifacts(const std::string& out, const std::vector<std::string>& asked,
                                          std::vector<Artifact>& artifacts) {
  std::optional<std::string> problem;
  const auto folder = Folder::OpenOrMake(out);
  if (!folder) {
    return "the folder " + out + " cannot be written to: " + std::string(base::TextOf(folder.error()));
  }
  os::SystemRandom random;
  for (Artifact& artifact : artifacts) {
    base::Status status = MayWrite(asked, artifact.path);
    status = status ? WriteBelow(*folder, artifact.path, artifact.content, random) : std::move(status);
    if (status) {
      artifact.written = out + (out.ends_with('/') ? "" : "/") + artifact.path;
    } else if (!problem) {
      problem = "the artifact " + artifact.path + " was not written: " + std::string(base::TextOf(status.error()));
    }
  }
  return problem;
}

}  // namespace plimsoll::tool
