#include "providers/wasm/engine/saved_image.h"

// SAFETY: the assembler puts the file between the two symbols, in read-only data; nothing else is named here.
asm(".section .rodata\n"
    ".balign 4096\n"
    "plimsoll_saved_image_begin:\n"
    ".incbin \"" PLIMSOLL_SAVED_IMAGE
    "\"\n"
    "plimsoll_saved_image_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the assembler's labels
extern const std::uint8_t plimsoll_saved_image_begin[];
extern const std::uint8_t plimsoll_saved_image_end[];
// NOLINTEND(readability-identifier-naming)
}

namespace plimsoll::wasm {

std::span<const std::uint8_t> SavedImage() { return {plimsoll_saved_image_begin, plimsoll_saved_image_end}; }

}  // namespace plimsoll::wasm
