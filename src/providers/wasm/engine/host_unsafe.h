#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/unique_function.h"
#include "providers/wasm/engine/machine_unsafe.h"
#include "providers/wasm/engine/rejections.h"
#include "providers/wasm/engine/seed_stream.h"

namespace plimsoll::wasm {

enum class Stream : std::uint8_t { kStdout, kStderr };

// No stream keeps more than this; the engine hands on one byte more so that the receiver can tell that it was cut.
inline constexpr std::size_t kMostOutput = 65536;

// One run as the engine sees it.
struct RunInput {
  std::string_view code;
  base::SteadyTime start;     // where the guest's monotonic clock stands at its first value
  base::SteadyTime deadline;  // polled
  base::WallTime wall;        // the calendar's time at `start`
  SeedStream::Seed seed{};
};

// What the module's imports do: host functions of the prelude, clocks, randomness, output, the polled deadline. Every
// function here is called below guest code unless it says otherwise.
class Host {
 public:
  using Write = base::UniqueFunction<void(Stream, std::string_view)>;
  using WaitUntil = base::UniqueFunction<void(base::SteadyTime)>;
  Host(Machine& machine, const base::Clock& clock, Write write, WaitUntil wait_until);

  // The host functions, by the names the prelude calls them; an index into this list is what Call switches over.
  static std::span<const std::string_view> FunctionNames();

  // Outside guest code. `context` and `scratch` (64 bytes) are the engine's and live as long as it does.
  void SetEngine(Address context, Address scratch);
  void BeginRun(const RunInput& run);
  Rejections& rejections() { return rejections_; }
  SeedStream& random() { return random_; }
  std::int32_t exit_code() const { return exit_code_; }
  bool wrote(Stream stream) const { return wrote_[static_cast<std::size_t>(stream)]; }

  // While the engine starts, before any run: the fixed answer of the calendar's clock, by which the place of the
  // engine's random state is found.
  static constexpr std::uint64_t kStartWallUs = 1'577'836'800'123'457;

  // Hands bytes to the receiver, at most kMostOutput + 1 of them.
  void Emit(Stream stream, std::string_view bytes);

  // Hands on the text of a value, lone surrogates as U+FFFD. False when an exception is pending.
  bool EmitValue(Stream stream, Address value);

  // A host function of the prelude. Returns a handle, or 0 when an exception is pending.
  Address Call(std::string_view name, std::uint32_t argc, Address argv);
  // Leaves the guest when the deadline has passed.
  void PollDeadline();
  void Rejection(Address promise, Address reason, bool handled);
  Address NormalizeModule(Address name);
  Address LoadModule(Address name, Address size);
  std::uint32_t Clock(std::uint32_t id, Address result);
  std::uint32_t FdWrite(std::uint32_t fd, Address vectors, std::uint32_t count, Address written);
  std::uint32_t RandomGet(Address buffer, std::uint32_t size);

  Machine& machine() { return machine_; }

 private:
  struct Arguments {
    std::uint32_t count;
    Address list;
  };
  Address Argument(const Arguments& arguments, std::uint32_t index);
  Stream StreamOf(const Arguments& arguments);
  double Number(const Arguments& arguments, std::uint32_t index);
  Address WriteText(const Arguments& arguments);
  Address WriteBytes(const Arguments& arguments);
  Address SleepUntil(const Arguments& arguments);
  Address Random(const Arguments& arguments);
  Address MemoryUsed();
  Address Peek(const Arguments& arguments);
  Address Array(std::initializer_list<Address> values);
  Address Undefined();
  Address NumberHandle(double number);
  std::string_view CString(Address text);
  std::uint64_t MonotonicNs();
  std::uint64_t WallNs();
  Z_quickjs_instance_t* js() { return machine_.instance(); }

  Machine& machine_;
  const base::Clock& clock_;
  Write write_;
  WaitUntil wait_until_;
  Address context_ = 0;
  Address scratch_ = 0;
  enum class Phase { kStarting, kRunning };
  Phase phase_ = Phase::kStarting;
  base::SteadyTime start_{};
  base::SteadyTime deadline_{};
  base::WallTime wall_{};
  SeedStream random_;
  Rejections rejections_;
  std::int32_t exit_code_ = 0;
  bool wrote_[2] = {false, false};
};

}  // namespace plimsoll::wasm
