#pragma once

#include <string>
#include <string_view>

namespace plimsoll::daemon {

// The release number of VERSION, and the commit built from (`unknown` outside a repository).
std::string_view Version();
std::string_view Commit();

// The one line of --version: version, protocol numbers, record version, commit.
std::string VersionLine();

}  // namespace plimsoll::daemon
