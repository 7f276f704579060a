#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// The text of FILE, or of standard input for `-`. Reads no more than a run may hold. Refuses a file that cannot be
// read, is too long or is not JavaScript.
std::variant<std::string, NothingRan> ReadSource(const std::string& file);

// What a folder holds that can be sent, and what was left out.
struct FolderContent {
  std::vector<ProjectFile> files;
  std::vector<std::string> skipped;  // paths: links, and what is neither file nor folder, and `.git`
};

// Every regular file below `folder`, by its path from there, sorted. No link is followed. Refuses, before anything is
// sent, what the protocol's limits refuse: the number of files, their bytes together, a path's form, a file that is not
// UTF-8 text; and a folder nested too deep or with too many entries to look through.
std::variant<FolderContent, NothingRan> ReadProject(const std::string& folder);

// The caller's token: the first line of `token_file`, else the variable PLIMSOLL_TOKEN, else empty. Never from the
// command line, which every user of the machine can read.
std::variant<std::string, NothingRan> ReadToken(const std::string& token_file);

}  // namespace plimsoll::tool
