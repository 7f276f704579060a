#include "providers/wasm/engine/trap_unsafe.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wasm-rt.h>

#include <csetjmp>

#include "base/check.h"

// The runtime's jump target, which wasm_rt_trap of the translated code jumps to.
extern "C" jmp_buf wasm_rt_jmp_buf;

namespace plimsoll::wasm {
namespace {

constexpr std::size_t kAltStackSize = 64 * 1024;
// Told apart from the runtime's trap numbers, which are small.
constexpr int kStopOffset = 1000;
constexpr int kFaultElsewhereStatus = 86;

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool Holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

// A signal handler is given no context of its own, hence the one mutable global. Written before guest code runs, and
// from then on by the guest's thread only.
struct FaultState {
  AddressRange memory;
  AddressRange stack_guard;
  volatile sig_atomic_t inside = 0;
};
FaultState fault_state;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): see above

extern "C" void HandleFault(int, siginfo_t* info, void*) {
  // SAFETY: runs on the alternate stack and calls only _exit and siglongjmp. The jump leaves either translated code or
  // a host function below EnterGuest, none of which holds an object with a destructor; the alternate stack is free
  // again after the jump because the signal is not blocked (SA_NODEFER) and the kernel derives its use from the stack
  // pointer.
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (fault_state.inside != 0 && info->si_code > 0) {
    if (fault_state.memory.Holds(address)) {
      siglongjmp(wasm_rt_jmp_buf, WASM_RT_TRAP_OOB);
    }
    if (fault_state.stack_guard.Holds(address)) {
      siglongjmp(wasm_rt_jmp_buf, WASM_RT_TRAP_EXHAUSTION);
    }
  }
  _exit(kFaultElsewhereStatus);
}

Stop FromCode(int code) {
  if (code >= kStopOffset) {
    return static_cast<Stop>(code - kStopOffset);
  }
  switch (static_cast<wasm_rt_trap_t>(code)) {
    case WASM_RT_TRAP_NONE: return Stop::kNone;
    case WASM_RT_TRAP_OOB: return Stop::kMemoryFault;
    case WASM_RT_TRAP_INT_OVERFLOW:
    case WASM_RT_TRAP_DIV_BY_ZERO:
    case WASM_RT_TRAP_INVALID_CONVERSION: return Stop::kArithmetic;
    case WASM_RT_TRAP_CALL_INDIRECT: return Stop::kIndirectCall;
    case WASM_RT_TRAP_EXHAUSTION: return Stop::kStackOverflow;
    case WASM_RT_TRAP_UNREACHABLE:
    case WASM_RT_TRAP_UNCAUGHT_EXCEPTION: return Stop::kUnreachable;
  }
  return Stop::kUnreachable;
}

}  // namespace

const char* TrapName(Stop stop) {
  switch (stop) {
    case Stop::kMemoryFault: return "memory fault";
    case Stop::kUnreachable: return "unreachable";
    case Stop::kStackOverflow: return "native stack overflow";
    case Stop::kIndirectCall: return "bad indirect call";
    case Stop::kArithmetic: return "arithmetic fault";
    case Stop::kNone:
    case Stop::kExit:
    case Stop::kDeadline: return "";
  }
  return "";
}

void TakeFaults() {
  wasm_rt_init();
  // SAFETY: the alternate stack is mapped for the life of the process and belongs to this thread; the runtime's own
  // handler, which takes every fault for a trap, is replaced before any guest code exists.
  void* stack = mmap(nullptr, kAltStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  PLIMSOLL_CHECK(stack != MAP_FAILED);
  const stack_t alternate = {.ss_sp = stack, .ss_flags = 0, .ss_size = kAltStackSize};
  PLIMSOLL_CHECK(sigaltstack(&alternate, nullptr) == 0);
  struct sigaction action = {};
  action.sa_sigaction = HandleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  PLIMSOLL_CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
  PLIMSOLL_CHECK(sigaction(SIGBUS, &action, nullptr) == 0);
}

void SetGuestMemory(std::uintptr_t begin, std::uintptr_t end) { fault_state.memory = {begin, end}; }
void SetStackGuard(std::uintptr_t begin, std::uintptr_t end) { fault_state.stack_guard = {begin, end}; }

Stop EnterGuest(void (*body)(void*), void* context) {
  PLIMSOLL_CHECK(fault_state.inside == 0);
  // SAFETY: the target lives until this function returns, and `inside` is set only while it does. No local of this
  // function changes between the two returns of sigsetjmp. The signal mask is not saved: no handler changes it.
  const int code = sigsetjmp(wasm_rt_jmp_buf, 0);
  if (code == 0) {
    fault_state.inside = 1;
    body(context);
  }
  fault_state.inside = 0;
  return FromCode(code);
}

void LeaveGuest(Stop stop) {
  PLIMSOLL_CHECK(fault_state.inside != 0 && stop != Stop::kNone);
  // SAFETY: `inside` says that the frame of EnterGuest is below us on this stack.
  siglongjmp(wasm_rt_jmp_buf, kStopOffset + static_cast<int>(stop));
}

}  // namespace plimsoll::wasm
