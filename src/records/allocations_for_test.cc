// Replaces the global allocation functions with counting ones. In a file of its own: inlined into a caller they trip
// g++'s warning about mismatched allocation functions.
#include "records/allocations_for_test.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
constinit std::atomic<std::size_t> allocated_bytes{0};
}  // namespace

void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace plimsoll::records {

std::size_t AllocatedBytes() { return allocated_bytes; }

}  // namespace plimsoll::records
