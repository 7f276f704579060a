#pragma once

#include <string>

namespace plimsoll::daemon {

// The full settings reference of --help, ending with a newline.
std::string HelpText();

// docs/reference/settings.md, whole. `plimsolld settings-reference` prints it; a test compares it with the file.
std::string ReferencePage();

}  // namespace plimsoll::daemon
