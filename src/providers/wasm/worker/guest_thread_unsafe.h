#pragma once

#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {

// Runs `body(context)` on a thread with 64 MiB of stack above an inaccessible guard, and waits for its end. False when
// the thread cannot be made. A fault in the guard is then a trap.
bool RunOnGuestThread(void (*body)(void*), void* context);

// The native stack of translated code. QuickJS's own limit ends recursion long before it.
inline constexpr std::size_t kGuestStackBytes = 64 * 1024 * 1024;

}  // namespace plimsoll::wasm
