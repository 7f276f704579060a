#pragma once

#include <cstdint>
#include <optional>

namespace plimsoll::wasm {

// What the host says on the worker's command line: SOCKET PAGES.
struct Arguments {
  int socket;           // the descriptor of a connected stream socket to the host
  std::uint32_t pages;  // cap on linear memory, in pages of 64 KiB
};

// Nothing unless there are exactly two plain numbers: a socket of 0 to 255, and pages of kMinPages to 65536 (4 GiB).
std::optional<Arguments> ReadArguments(int argc, const char* const* argv);

}  // namespace plimsoll::wasm
