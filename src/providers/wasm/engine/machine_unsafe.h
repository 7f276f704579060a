#pragma once

#include <quickjs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"

// What the translated module hands back to its host functions; ours holds the one object that answers them.
struct Z_env_instance_t {
  void* host;
};
struct Z_wasi_snapshot_preview1_instance_t {
  void* host;
};

namespace plimsoll::wasm {

// An address in linear memory.
using Address = std::uint32_t;

inline constexpr std::uint32_t kPageSize = 65536;

// The shape of the pinned module, checked when it is loaded: restoring linear memory and the stack pointer is sound
// only while these are all its state.
inline constexpr std::uint32_t kModulePages = 18;
inline constexpr std::uint32_t kModuleTableSize = 532;
inline constexpr Address kModuleStackTop = 1048576;

// Our own stack for the engine's C code: above the module's data, with one inaccessible page below it.
inline constexpr std::uint32_t kStackPages = 32;
inline constexpr Address kStackGuard = kModulePages * kPageSize;
inline constexpr Address kStackBottom = kStackGuard + kPageSize;
inline constexpr Address kStackTop = kStackBottom + kStackPages * kPageSize;

// One instance of the module: its linear memory, stack pointer and table. Lives on the guest's thread; not movable.
// The module's own stack at the bottom of memory is inaccessible once the instance is made, so that a null pointer of
// the engine is a trap.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // Makes the instance. `host` is handed to every host function; `max_pages` caps linear memory. Fault kInternal where
  // the module has another shape than the pinned one, or memory cannot be had. kSkip leaves out the module's own
  // initialiser, for a memory that an image is written over.
  enum class Initialise { kRun, kSkip };
  base::Status Start(void* host, std::uint32_t max_pages, Initialise initialise);

  // Adds pages to linear memory; false past the cap.
  bool Grow(std::uint32_t pages);

  Z_quickjs_instance_t* instance() { return &instance_; }
  std::uint32_t pages() const { return instance_.w2c_memory.pages; }
  std::uint32_t table_size() const { return instance_.w2c___indirect_function_table.size; }
  void ResetStack() { instance_.w2c___stack_pointer = kStackTop; }

  // All of linear memory, the inaccessible parts included.
  std::span<std::uint8_t> memory() { return {instance_.w2c_memory.data, instance_.w2c_memory.size}; }

  // `size` bytes at `address`; nothing when they are not all inside memory. An inaccessible part inside is a trap on
  // use.
  std::optional<std::span<std::uint8_t>> Bytes(Address address, std::uint32_t size);

  // One number at an address; a trap when it is outside memory. Only below EnterGuest.
  std::uint32_t Load32(Address address);
  std::uint64_t Load64(Address address);
  void Store32(Address address, std::uint32_t value);
  void Store64(Address address, std::uint64_t value);

 private:
  std::uint8_t* At(Address address, std::uint32_t size);

  Z_env_instance_t env_{};
  Z_wasi_snapshot_preview1_instance_t wasi_{};
  Z_quickjs_instance_t instance_{};
};

}  // namespace plimsoll::wasm
