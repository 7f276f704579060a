#pragma once

#include <string>
#include <string_view>

#include "callers/registry.h"

namespace plimsoll::callers {

// `text` without ASCII white space at either end.
std::string_view Trimmed(std::string_view text);

// True when valid UTF-8 `text` holds no control character (C0, DEL, C1).
bool HasNoControl(std::string_view text);

// Trims id and hash, lower-cases the hash, and checks every rule that needs this entry alone. The rule broken, as the
// end of a sentence about the client, or empty when all hold.
std::string NormalizeEntry(Entry& entry);

}  // namespace plimsoll::callers
