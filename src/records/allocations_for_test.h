#pragma once

#include <cstddef>

namespace plimsoll::records {

// All bytes this program has ever asked `operator new` for. Linked into tests that promise to copy nothing.
std::size_t AllocatedBytes();

}  // namespace plimsoll::records
