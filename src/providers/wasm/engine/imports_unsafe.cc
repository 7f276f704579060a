// The twelve functions the engine module imports, each handed to the Host that its instance carries. They are called by
// translated code on the guest's stack. SAFETY: `host` is the Host that outlives the machine; no function here or below
// it holds an object with a destructor while it may leave the guest.
#include "providers/wasm/engine/host_unsafe.h"
#include "providers/wasm/engine/trap_unsafe.h"

namespace {

using plimsoll::wasm::Host;

constexpr u32 kWasiBadDescriptor = 8;
constexpr u32 kWasiNotSeekable = 70;
constexpr u32 kWasiCharacterDevice = 2;

Host& HostOf(Z_env_instance_t* instance) { return *static_cast<Host*>(instance->host); }
Host& HostOf(Z_wasi_snapshot_preview1_instance_t* instance) { return *static_cast<Host*>(instance->host); }

}  // namespace

extern "C" {

u32 Z_envZ_host_call(Z_env_instance_t* env, u32 name, u32 name_size, u32 /*self*/, u32 argc, u32 argv) {
  Host& host = HostOf(env);
  const auto bytes = host.machine().Bytes(name, name_size);
  if (!bytes) {
    plimsoll::wasm::LeaveGuest(plimsoll::wasm::Stop::kMemoryFault);
  }
  return host.Call({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, argc, argv);
}

u32 Z_envZ_host_interrupt(Z_env_instance_t* env) {
  HostOf(env).PollDeadline();
  return 0;
}

// The guest lives in UTC.
u32 Z_envZ_host_get_timezone_offset(Z_env_instance_t*, u32, u32) { return 0; }

void Z_envZ_host_promise_rejection(Z_env_instance_t* env, u32 promise, u32 reason, u32 handled) {
  HostOf(env).Rejection(promise, reason, handled != 0);
}

u32 Z_envZ_host_module_normalize(Z_env_instance_t* env, u32 /*base*/, u32 name) {
  return HostOf(env).NormalizeModule(name);
}

u32 Z_envZ_host_module_load(Z_env_instance_t* env, u32 name, u32 size) { return HostOf(env).LoadModule(name, size); }

u32 Z_wasi_snapshot_preview1Z_clock_time_get(Z_wasi_snapshot_preview1_instance_t* wasi, u32 id, u64, u32 result) {
  return HostOf(wasi).Clock(id, result);
}

u32 Z_wasi_snapshot_preview1Z_fd_close(Z_wasi_snapshot_preview1_instance_t*, u32) { return kWasiBadDescriptor; }

u32 Z_wasi_snapshot_preview1Z_fd_fdstat_get(Z_wasi_snapshot_preview1_instance_t* wasi, u32 fd, u32 stat) {
  if (fd != 1 && fd != 2) {
    return kWasiBadDescriptor;
  }
  auto& machine = HostOf(wasi).machine();
  machine.Store64(stat, kWasiCharacterDevice);
  machine.Store64(stat + 8, 0);
  machine.Store64(stat + 16, 0);
  return 0;
}

u32 Z_wasi_snapshot_preview1Z_fd_seek(Z_wasi_snapshot_preview1_instance_t*, u32, u64, u32, u32) {
  return kWasiNotSeekable;
}

u32 Z_wasi_snapshot_preview1Z_fd_write(Z_wasi_snapshot_preview1_instance_t* wasi, u32 fd, u32 vectors, u32 count,
                                       u32 written) {
  return HostOf(wasi).FdWrite(fd, vectors, count, written);
}

u32 Z_wasi_snapshot_preview1Z_random_get(Z_wasi_snapshot_preview1_instance_t* wasi, u32 buffer, u32 size) {
  return HostOf(wasi).RandomGet(buffer, size);
}

}  // extern "C"
