// Any text as a log field: one line, valid UTF-8, no control byte before its end, in both formats.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "daemon/log_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::array<plimsoll::base::LogField, 1> fields = {{{"error", text}}};
  for (const auto format : {plimsoll::daemon::LogFormat::kJson, plimsoll::daemon::LogFormat::kText}) {
    const std::string line =
        plimsoll::daemon::LogLine(format, {}, plimsoll::base::Severity::kError, "code run failed", fields);
    PLIMSOLL_CHECK(line.back() == '\n' && plimsoll::base::IsUtf8(line));
    PLIMSOLL_CHECK(std::all_of(line.begin(), line.end() - 1, [](char c) { return c < 0 || c >= 0x20; }));
    PLIMSOLL_CHECK(line.size() <= 6 * plimsoll::daemon::kMaxLogText + 128);
  }
  return 0;
}
