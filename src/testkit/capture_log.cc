#include "testkit/capture_log.h"

#include <algorithm>
#include <sstream>
#include <variant>

namespace plimsoll::testkit {

void CaptureLog::Write(base::Severity severity, std::string_view message, std::span<const base::LogField> fields) {
  std::ostringstream text;
  text << message << std::boolalpha;
  for (const base::LogField& field : fields) {
    text << ' ' << field.key << '=';
    std::visit([&text](const auto& value) { text << value; }, field.value);
  }
  records_.Lock()->push_back({severity, text.str()});
}

bool CaptureLog::Contains(std::string_view text) {
  auto records = records_.Lock();
  return std::any_of(records->begin(), records->end(),
                     [text](const Record& record) { return record.text.find(text) != std::string::npos; });
}

}  // namespace plimsoll::testkit
