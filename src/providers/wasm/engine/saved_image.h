#pragma once

#include <cstdint>
#include <span>

namespace plimsoll::wasm {

// The image every run begins from: made by BuildImage when the program was built, and part of its read-only data, which
// all workers share.
std::span<const std::uint8_t> SavedImage();

}  // namespace plimsoll::wasm
