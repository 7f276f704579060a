// Any bytes a worker may send: the judge never holds more than its caps, and a violation is for ever.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "providers/wasm/intake.h"

using plimsoll::wasm::Intake;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Intake intake;
  bool broken = false;
  std::size_t at = 0;
  while (at < size) {
    // The first byte of each piece is its length, so that frames are cut anywhere.
    const std::size_t piece = std::size_t{data[at]} + 1;
    const std::size_t begin = at + 1;
    const std::size_t length = begin < size ? (piece < size - begin ? piece : size - begin) : 0;
    intake.Feed({reinterpret_cast<const char*>(data + begin), length});  // NOLINT: the fuzzer's type
    at = begin + length;
    for (Intake::Heard heard = intake.Next(); heard != Intake::Heard::kNothing; heard = intake.Next()) {
      PLIMSOLL_CHECK(!broken || heard == Intake::Heard::kViolation);
      if (heard == Intake::Heard::kViolation) {
        broken = true;
        break;
      }
      if (heard == Intake::Heard::kEnded) {
        const Intake::Output output = intake.TakeOutput();
        PLIMSOLL_CHECK(output.stdout_bytes.size() <= plimsoll::frames::kMaxOutput);
        PLIMSOLL_CHECK(output.stderr_bytes.size() <= plimsoll::frames::kMaxOutput);
        PLIMSOLL_CHECK(intake.ended().exit_code >= 0 && intake.ended().exit_code <= 255);
      }
      if (!intake.has_unjudged_bytes()) {
        intake.BeginRun();
      }
    }
  }
  return 0;
}
