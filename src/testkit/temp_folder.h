#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <stdlib.h>

#include "base/check.h"

namespace plimsoll::testkit {

// A new folder of the test's own below TMPDIR, else /tmp, that is removed with all it holds. Two tests, and two users
// of a machine, never meet in one.
class TempFolder {
 public:
  // Only the owner may enter it unless `mode` says otherwise.
  explicit TempFolder(std::filesystem::perms mode = std::filesystem::perms::owner_all)
      : path_((std::filesystem::temp_directory_path() / "plimsoll-test-XXXXXX").string()) {
    PLIMSOLL_CHECK(::mkdtemp(path_.data()) != nullptr);
    std::filesystem::permissions(path_, mode);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The path of `name` in it, whether or not there is such a thing.
  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file; its path.
  std::string Write(std::string_view name, std::string_view content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

 private:
  std::string path_;
};

}  // namespace plimsoll::testkit
