#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::wasm {

// Why control came back from guest code before it returned by itself.
enum class Stop : std::uint8_t {
  kNone,           // it returned
  kMemoryFault,    // an address outside linear memory, or in a part made inaccessible
  kUnreachable,    // the engine's own abort
  kStackOverflow,  // the native stack
  kIndirectCall,   // a call through the table with a wrong index or signature
  kArithmetic,     // division by zero, overflow, conversion of a value that has no integer
  kExit,           // the guest asked for its end
  kDeadline,       // the polled deadline passed
};

// `memory fault`, `unreachable`, ... ; empty for the stops that are no trap.
const char* TrapName(Stop stop);

// Starts the runtime and takes SIGSEGV and SIGBUS on an alternate stack of the calling thread, which is the only one
// that may run guest code. Once a process.
void TakeFaults();

// The addresses in which a fault is a trap of the guest: those its memory may use, and the guard below its native
// stack. A fault anywhere else is a bug of ours, and the process dies.
void SetGuestMemory(std::uintptr_t begin, std::uintptr_t end);
void SetStackGuard(std::uintptr_t begin, std::uintptr_t end);

// Runs `body(context)` and says how it came back. `body` and everything it calls hold only objects whose destructors do
// nothing: a stop leaves them without running any. Not re-entrant.
Stop EnterGuest(void (*body)(void*), void* context);

// Ends the call of EnterGuest that is running on this thread. Called from below it only.
[[noreturn]] void LeaveGuest(Stop stop);

}  // namespace plimsoll::wasm
