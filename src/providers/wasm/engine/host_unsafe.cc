#include "providers/wasm/engine/host_unsafe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "providers/wasm/engine/embedded.h"
#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;

enum Function : std::size_t {
  kWrite,
  kWriteBytes,
  kNow,
  kMonotonic,
  kSleepUntil,
  kRandom,
  kExit,
  kMemoryUsed,
  kGc,
  kPeek
};
constexpr std::array<std::string_view, 10> kFunctionNames = {
    "write", "writeBytes", "now", "monotonic", "sleepUntil", "random", "exit", "memoryUsed", "gc", "peek"};

// WASI's error numbers.
constexpr std::uint32_t kSuccess = 0;
constexpr std::uint32_t kBadDescriptor = 8;
constexpr std::uint32_t kInvalid = 28;

// WASI's clocks.
constexpr std::uint32_t kRealtime = 0;
constexpr std::uint32_t kMonotonicClock = 1;

// Where the guest's monotonic clock stands when a run starts, and during the whole start of the engine.
constexpr std::uint64_t kMonotonicOriginNs = 1'000'000'000;

// What crypto.getRandomValues may ask for at once, by its standard.
constexpr double kMostRandom = 65536;

constexpr std::size_t kUsageFields = 26;

// The engine writes a lone surrogate as three bytes that are not UTF-8; U+FFFD has three bytes as well.
void ReplaceSurrogates(std::span<std::uint8_t> text) {
  for (std::size_t i = 0; i + 2 < text.size();) {
    const auto* found = static_cast<std::uint8_t*>(std::memchr(text.data() + i, 0xed, text.size() - i - 2));
    if (found == nullptr) {
      return;
    }
    const auto at = static_cast<std::size_t>(found - text.data());
    if (text[at + 1] >= 0xa0) {
      text[at] = 0xef;
      text[at + 1] = 0xbf;
      text[at + 2] = 0xbd;
    }
    i = at + 3;
  }
}

std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Host::Host(Machine& machine, const base::Clock& clock, Write write, WaitUntil wait_until)
    : machine_(machine),
      clock_(clock),
      write_(std::move(write)),
      wait_until_(std::move(wait_until)),
      random_(SeedStream::Seed{}) {}

std::span<const std::string_view> Host::FunctionNames() { return kFunctionNames; }

void Host::SetEngine(Address context, Address scratch) {
  context_ = context;
  scratch_ = scratch;
}

void Host::BeginRun(const RunInput& run) {
  phase_ = Phase::kRunning;
  start_ = run.start;
  deadline_ = run.deadline;
  wall_ = run.wall;
  random_ = SeedStream(run.seed);
  rejections_.Clear();
  exit_code_ = 0;
  std::fill(std::begin(wrote_), std::end(wrote_), false);
}

void Host::Emit(Stream stream, std::string_view bytes) {
  if (!bytes.empty()) {
    wrote_[static_cast<std::size_t>(stream)] = true;
    write_(stream, bytes.substr(0, kMostOutput + 1));
  }
}

Address Host::Call(std::string_view name, std::uint32_t argc, Address argv) {
  const Arguments arguments{.count = argc, .list = argv};
  const auto found = std::find(kFunctionNames.begin(), kFunctionNames.end(), name);
  switch (static_cast<Function>(found - kFunctionNames.begin())) {
    case kWrite: return WriteText(arguments);
    case kWriteBytes: return WriteBytes(arguments);
    case kNow:  // NOLINTNEXTLINE(bugprone-integer-division): whole microseconds, told in milliseconds
      return NumberHandle(static_cast<double>(WallNs() / 1000) / 1000.0);
    case kMonotonic: return NumberHandle(static_cast<double>(MonotonicNs()) / 1e6);
    case kSleepUntil: return SleepUntil(arguments);
    case kRandom: return Random(arguments);
    case kExit:
      exit_code_ =
          static_cast<std::int32_t>(static_cast<std::int64_t>(std::fmod(Number(arguments, 0), 4294967296.0)) & 255);
      LeaveGuest(Stop::kExit);
    case kMemoryUsed: return MemoryUsed();
    case kPeek: return Peek(arguments);
    case kGc: Z_quickjsZ_qjs_run_gc(js()); return Undefined();
  }
  return Undefined();  // no other name is ever registered
}

// The handle of an argument. Precondition: there are more than `index`.
Address Host::Argument(const Arguments& arguments, std::uint32_t index) {
  return machine_.Load32(arguments.list + index * static_cast<std::uint32_t>(sizeof(Address)));
}

Stream Host::StreamOf(const Arguments& arguments) {
  return Number(arguments, 0) == 2 ? Stream::kStderr : Stream::kStdout;
}

// NaN and infinities count as 0, as does what is no number.
double Host::Number(const Arguments& arguments, std::uint32_t index) {
  if (index >= arguments.count) {
    return 0;
  }
  const double number = Z_quickjsZ_qjs_get_float64(js(), Argument(arguments, index));
  return std::isfinite(number) ? number : 0;
}

bool Host::EmitValue(Stream stream, Address value) {
  const Address text = Z_quickjsZ_JS_ToCStringLen2(js(), context_, scratch_, machine_.Load64(value), 0);
  if (text == 0) {
    return false;
  }
  // Two bytes more than can be kept, so that a surrogate at the cut is seen whole.
  const std::uint32_t size = std::min<std::uint32_t>(machine_.Load32(scratch_), kMostOutput + 3);
  const auto bytes = machine_.Bytes(text, size);
  if (!bytes) {
    LeaveGuest(Stop::kMemoryFault);
  }
  ReplaceSurrogates(*bytes);
  Emit(stream, AsText(*bytes));
  Z_quickjsZ_JS_FreeCString(js(), context_, text);
  return true;
}

Address Host::WriteText(const Arguments& arguments) {
  if (arguments.count < 2) {
    return Undefined();
  }
  return EmitValue(StreamOf(arguments), Argument(arguments, 1)) ? Undefined() : 0;
}

Address Host::WriteBytes(const Arguments& arguments) {
  if (arguments.count < 2) {
    return Undefined();
  }
  const Address data = Z_quickjsZ_qjs_get_array_buffer(js(), Argument(arguments, 1), scratch_);
  if (data == 0) {
    return Undefined();
  }
  const auto bytes = machine_.Bytes(data, std::min<std::uint32_t>(machine_.Load32(scratch_), kMostOutput + 1));
  if (!bytes) {
    LeaveGuest(Stop::kMemoryFault);
  }
  Emit(StreamOf(arguments), AsText(*bytes));
  return Undefined();
}

Address Host::SleepUntil(const Arguments& arguments) {
  const double until_ms = std::clamp(Number(arguments, 0), 0.0, 1e12);
  const auto offset =
      nanoseconds(static_cast<std::int64_t>(until_ms * 1e6) - static_cast<std::int64_t>(kMonotonicOriginNs));
  if (phase_ == Phase::kRunning) {
    wait_until_(std::min(start_ + duration_cast<base::SteadyTime::duration>(offset), deadline_));
    PollDeadline();
  }
  return Undefined();
}

Address Host::Random(const Arguments& arguments) {
  const auto size = static_cast<std::uint32_t>(std::clamp(Number(arguments, 0), 0.0, kMostRandom));
  const Address buffer = Z_quickjsZ_wasm_malloc(js(), std::max<std::uint32_t>(size, 1));
  if (buffer == 0 || RandomGet(buffer, size) != kSuccess) {
    Z_quickjsZ_JS_ThrowOutOfMemory(js(), context_);
    return 0;
  }
  const Address result = Z_quickjsZ_qjs_new_array_buffer(js(), buffer, size);
  Z_quickjsZ_wasm_free(js(), buffer);
  return result;
}

// `[state, value]` of a promise, `[3, target, handler]` of a proxy (target null once it is revoked), undefined of
// anything else: what no program can learn, and what printing an object needs.
Address Host::Peek(const Arguments& arguments) {
  constexpr double kProxy = 3;
  if (arguments.count < 1) {
    return Undefined();
  }
  const Address value = Argument(arguments, 0);
  if (Z_quickjsZ_qjs_is_promise(js(), value) != 0) {
    const std::uint32_t state = Z_quickjsZ_qjs_promise_state(js(), value);
    return Array({NumberHandle(state), state == 0 ? Undefined() : Z_quickjsZ_qjs_promise_result(js(), value)});
  }
  if (Z_quickjsZ_qjs_is_proxy(js(), value) == 0) {
    return Undefined();
  }
  const Address target = Z_quickjsZ_qjs_get_proxy_target(js(), value);
  const bool revoked = target == 0 || Z_quickjsZ_qjs_is_object(js(), target) == 0;
  return Array({NumberHandle(kProxy), revoked ? Z_quickjsZ_qjs_get_null(js()) : target,
                Z_quickjsZ_qjs_get_proxy_handler(js(), value)});
}

// Takes the handles over.
Address Host::Array(std::initializer_list<Address> values) {
  const Address array = Z_quickjsZ_qjs_new_array(js());
  std::uint32_t index = 0;
  for (const Address value : values) {
    if (array == 0 || value == 0) {
      Z_quickjsZ_JS_ThrowOutOfMemory(js(), context_);
      return 0;
    }
    Z_quickjsZ_qjs_set_prop_uint32(js(), array, index++, value);
    Z_quickjsZ_qjs_free_value(js(), value);
  }
  return array;
}

Address Host::MemoryUsed() {
  const Address usage = Z_quickjsZ_wasm_malloc(js(), kUsageFields * sizeof(std::uint64_t));
  if (usage == 0) {
    Z_quickjsZ_JS_ThrowOutOfMemory(js(), context_);
    return 0;
  }
  Z_quickjsZ_qjs_compute_memory_usage(js(), usage);
  const auto bytes = static_cast<double>(machine_.Load64(usage));
  Z_quickjsZ_wasm_free(js(), usage);
  return NumberHandle(bytes);
}

Address Host::Undefined() { return Z_quickjsZ_qjs_get_undefined(js()); }

Address Host::NumberHandle(double number) { return Z_quickjsZ_qjs_new_number(js(), number); }

void Host::PollDeadline() {
  if (phase_ == Phase::kRunning && clock_.Steady() >= deadline_) {
    LeaveGuest(Stop::kDeadline);
  }
}

void Host::Rejection(Address promise, Address reason, bool handled) {
  const std::uint64_t value = machine_.Load64(promise);
  if (!handled && rejections_.Add({.promise = value, .promise_handle = promise, .reason_handle = reason})) {
    return;
  }
  Rejections::Entry entry;
  if (handled && rejections_.Remove(value, entry)) {
    Z_quickjsZ_qjs_free_value(js(), entry.promise_handle);
    Z_quickjsZ_qjs_free_value(js(), entry.reason_handle);
  }
  Z_quickjsZ_qjs_free_value(js(), promise);
  Z_quickjsZ_qjs_free_value(js(), reason);
}

std::string_view Host::CString(Address text) {
  const std::span<std::uint8_t> memory = machine_.memory();
  if (text >= memory.size()) {
    LeaveGuest(Stop::kMemoryFault);
  }
  const auto rest = memory.subspan(text);
  const void* end = std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) {
    LeaveGuest(Stop::kMemoryFault);
  }
  return AsText(rest.first(static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - rest.data())));
}

// A name is what it is: nothing is resolved against the importing script.
Address Host::NormalizeModule(Address name) {
  const std::string_view text = CString(name);
  const Address copy = Z_quickjsZ_wasm_malloc(js(), static_cast<std::uint32_t>(text.size() + 1));
  const auto room = copy == 0 ? std::nullopt : machine_.Bytes(copy, static_cast<std::uint32_t>(text.size() + 1));
  if (!room) {
    Z_quickjsZ_JS_ThrowOutOfMemory(js(), context_);
    return 0;
  }
  std::memcpy(room->data(), text.data(), text.size());
  room->back() = 0;
  return copy;
}

// The shell's modules are loaded while the engine starts and found by name from then on; no other module exists.
Address Host::LoadModule(Address name, Address size) {
  constexpr std::string_view kPrefix = "qjs:";
  const std::string_view wanted = CString(name);
  for (const EmbeddedFile& module : ShellModules()) {
    if (wanted.starts_with(kPrefix) && wanted.substr(kPrefix.size()) == module.name) {
      const auto length = static_cast<std::uint32_t>(module.text.size());
      const Address copy = Z_quickjsZ_wasm_malloc(js(), length + 1);
      const auto room = copy == 0 ? std::nullopt : machine_.Bytes(copy, length + 1);
      if (!room) {
        return 0;
      }
      std::memcpy(room->data(), module.text.data(), length);
      room->back() = 0;
      machine_.Store32(size, length);
      return copy;
    }
  }
  return 0;
}

std::uint64_t Host::MonotonicNs() {
  if (phase_ == Phase::kStarting) {
    return kMonotonicOriginNs;
  }
  return kMonotonicOriginNs + static_cast<std::uint64_t>(duration_cast<nanoseconds>(clock_.Steady() - start_).count());
}

std::uint64_t Host::WallNs() {
  if (phase_ == Phase::kStarting) {
    return kStartWallUs * 1000;
  }
  const auto now = duration_cast<nanoseconds>(wall_.time_since_epoch()) + (clock_.Steady() - start_);
  return static_cast<std::uint64_t>(now.count());
}

std::uint32_t Host::Clock(std::uint32_t id, Address result) {
  if (id != kRealtime && id != kMonotonicClock) {
    return kInvalid;
  }
  machine_.Store64(result, id == kRealtime ? WallNs() : MonotonicNs());
  return kSuccess;
}

std::uint32_t Host::FdWrite(std::uint32_t fd, Address vectors, std::uint32_t count, Address written) {
  if (fd != 1 && fd != 2) {
    return kBadDescriptor;
  }
  std::uint32_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t size = machine_.Load32(vectors + i * 8 + 4);
    const auto bytes = machine_.Bytes(machine_.Load32(vectors + i * 8), size);
    if (!bytes) {
      return kInvalid;
    }
    Emit(fd == 2 ? Stream::kStderr : Stream::kStdout, AsText(*bytes));
    total += size;
  }
  machine_.Store32(written, total);
  return kSuccess;
}

std::uint32_t Host::RandomGet(Address buffer, std::uint32_t size) {
  const auto bytes = machine_.Bytes(buffer, size);
  if (!bytes) {
    return kInvalid;
  }
  random_.Fill(*bytes);
  return kSuccess;
}

}  // namespace plimsoll::wasm
