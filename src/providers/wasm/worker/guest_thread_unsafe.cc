#include "providers/wasm/worker/guest_thread_unsafe.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>

namespace plimsoll::wasm {
namespace {

// Larger than any frame of translated code; stack probes touch every page of it in order.
constexpr std::size_t kGuardBytes = 1024 * 1024;

struct Start {
  void (*body)(void*);
  void* context;
};

void* Main(void* given) {
  const auto* start = static_cast<const Start*>(given);
  start->body(start->context);
  return nullptr;
}

}  // namespace

bool RunOnGuestThread(void (*body)(void*), void* context) {
  constexpr std::size_t kAll = kGuardBytes + kGuestStackBytes;
  // SAFETY: the mapping is private to this thread and lives until the process ends; the thread is joined before `start`
  // leaves its scope.
  void* mapping = mmap(nullptr, kAll, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) {
    return false;
  }
  auto* stack = static_cast<std::uint8_t*>(mapping) + kGuardBytes;
  pthread_attr_t attributes;
  if (mprotect(stack, kGuestStackBytes, PROT_READ | PROT_WRITE) != 0 || pthread_attr_init(&attributes) != 0 ||
      pthread_attr_setstack(&attributes, stack, kGuestStackBytes) != 0) {
    return false;
  }
  const auto guard = reinterpret_cast<std::uintptr_t>(mapping);
  SetStackGuard(guard, guard + kGuardBytes);
  Start start{body, context};
  pthread_t thread;
  return pthread_create(&thread, &attributes, Main, &start) == 0 && pthread_join(thread, nullptr) == 0;
}

}  // namespace plimsoll::wasm
