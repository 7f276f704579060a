#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace plimsoll::wasm {

// Starts the engine from nothing, evaluates the prelude and its modules, and returns the state reached as the bytes of
// an Image: what every run begins from. The same program text gives the same bytes, whatever the clock. Run when the
// program is built, and by tests. On the guest's thread. Fault kInternal naming the step that failed.
base::Result<std::string> BuildImage(const base::Clock& clock);

}  // namespace plimsoll::wasm
