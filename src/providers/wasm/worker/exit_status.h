#pragma once

namespace plimsoll::wasm {

// How the worker program ends by itself. The host shows the number to an operator.
enum class ExitStatus : int {
  kHostGone = 0,       // the socket was closed: the ordinary end
  kUsage = 80,         // the page count on the command line is missing or out of range
  kNotConfined = 81,   // a protection could not be applied; which one is on standard error
  kEngineFailed = 82,  // the engine did not start; why is on standard error
  kBadFrame = 83,      // the host sent what is no order
  kNoThread = 84,      // the guest's thread could not be made
  kNotSealed = 85,     // the second half of the confinement could not be applied
  kFault = 86,         // a fault outside guest memory: a bug of ours or of the translator
};

}  // namespace plimsoll::wasm
