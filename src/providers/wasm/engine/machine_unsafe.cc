#include "providers/wasm/engine/machine_unsafe.h"

#include <sys/mman.h>

#include <cstring>

#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {
namespace {

// What the runtime reserves for one memory: any 32-bit address plus any 32-bit offset falls inside.
constexpr std::uintptr_t kReservedBytes = 0x200000000;

base::Fault Unusable(const char* what) { return {base::FaultKind::kInternal, what}; }

}  // namespace

base::Status Machine::Start(void* host, std::uint32_t max_pages, Initialise initialise) {
  env_.host = host;
  wasi_.host = host;
  Z_quickjs_init_module();
  Z_quickjs_instantiate(&instance_, &env_, &wasi_);
  wasm_rt_memory_t& memory = instance_.w2c_memory;
  if (memory.pages != kModulePages || table_size() != kModuleTableSize ||
      instance_.w2c___stack_pointer != kModuleStackTop) {
    return Unusable("the engine module has another memory, table or stack than the pinned one");
  }
  memory.max_pages = max_pages;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data);
  SetGuestMemory(begin, begin + kReservedBytes);
  const auto body = [](void* self) { Z_quickjsZ__initialize(static_cast<Machine*>(self)->instance()); };
  if (initialise == Initialise::kRun && EnterGuest(body, this) != Stop::kNone) {
    return Unusable("the engine module trapped while it was initialised");
  }
  if (!Grow(1 + kStackPages)) {
    return Unusable("the memory cap is too small for the engine's stack");
  }
  // SAFETY: both ranges lie in linear memory, hold nothing that is used again, and end where other data begins. The
  // runtime makes only pages past the end accessible when memory grows, so they stay as they are.
  if (mprotect(memory.data, kModuleStackTop, PROT_NONE) != 0 ||
      mprotect(memory.data + kStackGuard, kPageSize, PROT_NONE) != 0 ||
      madvise(memory.data, kReservedBytes, MADV_NOHUGEPAGE) != 0) {
    return Unusable("the guard pages of the engine's stack could not be made");
  }
  ResetStack();
  return base::Ok();
}

bool Machine::Grow(std::uint32_t pages) {
  const std::uint32_t before = this->pages();
  return wasm_rt_grow_memory(&instance_.w2c_memory, pages) == before;
}

Machine::~Machine() {
  if (instance_.w2c_memory.data != nullptr) {
    SetGuestMemory(0, 0);
    Z_quickjs_free(&instance_);
  }
}

std::optional<std::span<std::uint8_t>> Machine::Bytes(Address address, std::uint32_t size) {
  const std::span<std::uint8_t> all = memory();
  if (address > all.size() || size > all.size() - address) {
    return std::nullopt;
  }
  return all.subspan(address, size);
}

std::uint8_t* Machine::At(Address address, std::uint32_t size) {
  const auto bytes = Bytes(address, size);
  if (!bytes) {
    LeaveGuest(Stop::kMemoryFault);
  }
  return bytes->data();
}

std::uint32_t Machine::Load32(Address address) {
  std::uint32_t value = 0;
  std::memcpy(&value, At(address, sizeof(value)), sizeof(value));
  return value;
}

std::uint64_t Machine::Load64(Address address) {
  std::uint64_t value = 0;
  std::memcpy(&value, At(address, sizeof(value)), sizeof(value));
  return value;
}

void Machine::Store32(Address address, std::uint32_t value) {
  std::memcpy(At(address, sizeof(value)), &value, sizeof(value));
}

void Machine::Store64(Address address, std::uint64_t value) {
  std::memcpy(At(address, sizeof(value)), &value, sizeof(value));
}

}  // namespace plimsoll::wasm
