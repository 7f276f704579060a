#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace plimsoll::base {

enum class Severity { kInfo, kWarn, kError };

// One typed field of a log record. Views must live until Write returns. Text may hold hostile bytes: the sink bounds
// and escapes it, so that it can never start a new record.
struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;
};

// Where log records go. `message` and keys are our own constant words, never text made by a guest or a caller.
// Implementations may be called from any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Write(Severity severity, std::string_view message, std::span<const LogField> fields) = 0;
};

}  // namespace plimsoll::base
