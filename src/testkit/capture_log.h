#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"

namespace plimsoll::testkit {

// Keeps every record as text: the message, then ` key=value` for each field. Thread-safe.
class CaptureLog final : public base::LogSink {
 public:
  struct Record {
    base::Severity severity;
    std::string text;
  };

  void Write(base::Severity severity, std::string_view message, std::span<const base::LogField> fields) override;

  // What was written so far, oldest first.
  std::vector<Record> Records() { return *records_.Lock(); }
  // Whether any record holds `text`.
  bool Contains(std::string_view text);

 private:
  base::Guarded<std::vector<Record>> records_;
};

}  // namespace plimsoll::testkit
