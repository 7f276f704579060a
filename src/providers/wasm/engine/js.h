#pragma once

#include <cstdint>
#include <string_view>

#include "providers/wasm/engine/machine_unsafe.h"

namespace plimsoll::wasm {

// How a script is evaluated: flags of the engine.
inline constexpr std::uint32_t kEvalScript = 0;
// An exception's stack begins at the script and not at what called it.
inline constexpr std::uint32_t kEvalBarrier = 64;

// The few steps of the engine's C interface that more than one caller takes. A handle is the address of a value that
// the engine keeps for us. Everything here runs below EnterGuest and may leave it. Trivially destructible.
class Js {
 public:
  explicit Js(Machine& machine) : machine_(machine) {}

  Z_quickjs_instance_t* api() { return machine_.instance(); }

  // A copy of `text` in linear memory, ended by a zero byte; 0 when there is no room. Freed with wasm_free.
  Address StringIn(std::string_view text);

  // True for an exception, and for the null handle that stands for no memory left.
  bool Threw(Address handle);

  // Evaluates and forgets the value. False when an exception is pending, or there is no memory for the text.
  bool Evaluate(std::string_view text, Address file_name, std::uint32_t flags);

  // Runs promise jobs until none is left. False when one left an exception pending.
  bool RunJobs();

  // The handle of a property of an object.
  Address Property(Address object, std::string_view name);

 private:
  Machine& machine_;
};

}  // namespace plimsoll::wasm
