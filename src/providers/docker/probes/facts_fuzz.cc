// Any bytes a probe may say: what is accepted is within its bounds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "providers/docker/probes/facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::docker::kMaxFacts;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: the fuzzer's type
  const auto found = plimsoll::docker::ParseFindings(text);
  if (!found) {
    PLIMSOLL_CHECK(plimsoll::base::FaultIn(found) != nullptr);
    return 0;
  }
  PLIMSOLL_CHECK(size <= kMaxFacts);
  if (found->mounts) {
    PLIMSOLL_CHECK(found->mounts->size() <= 1024);
  }
  if (found->memory) {
    PLIMSOLL_CHECK(found->memory->mib >= 0);
  }
  for (const auto& [directory, fill] : found->fills) {
    PLIMSOLL_CHECK(fill.bytes >= 0 && directory.size() <= 1024);
  }
  // Lines are independent: the same facts twice are a probe twice.
  PLIMSOLL_CHECK(!found->root_write ||
                 !plimsoll::docker::ParseFindings(std::string(text) + std::string(text)).has_value());
  return 0;
}
