#pragma once

#include <string_view>

namespace plimsoll::os {

// Names the calling thread for profilers, debuggers and `top -H`. Linux keeps 15 bytes; the rest is cut off.
void NameThisThread(std::string_view name);

}  // namespace plimsoll::os
