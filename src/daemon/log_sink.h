#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"

namespace plimsoll::daemon {

enum class LogFormat : std::uint8_t { kJson, kText };

// No text of one field is longer in the log, in bytes before escaping (daemon.md 9).
inline constexpr std::size_t kMaxLogText = 4096;

// RFC 3339 in UTC with microseconds, of which the clock gives no more.
std::string Rfc3339(base::WallTime time);

// One record as one line, newline included: time, level, msg, then the fields in their order. Text is cut to
// kMaxLogText, made valid UTF-8, and every control, line separator and direction override escaped, so that nothing in
// it can start a record or steer a terminal (LOG-1).
std::string LogLine(LogFormat format, base::WallTime time, base::Severity severity, std::string_view message,
                    std::span<const base::LogField> fields);

// Writes each record whole, in the order of the calls. Any thread.
class LineLog final : public base::LogSink {
 public:
  // `write` gets one line at a time and is never called by two threads at once. `clock` must outlive the log.
  LineLog(LogFormat format, const base::Clock& clock, std::function<void(std::string_view)> write)
      : format_(format), clock_(clock), write_(std::move(write)) {}

  void Write(base::Severity severity, std::string_view message, std::span<const base::LogField> fields) override;

 private:
  LogFormat format_;
  const base::Clock& clock_;
  std::mutex mutex_;  // guards write_ alone
  std::function<void(std::string_view)> write_;
};

}  // namespace plimsoll::daemon
