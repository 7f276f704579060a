#include "daemon/log_sink.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <variant>

#include "daemon/log_escape.h"

namespace plimsoll::daemon {
namespace {

std::string_view Name(base::Severity severity) {
  switch (severity) {
    case base::Severity::kInfo: return "INFO";
    case base::Severity::kWarn: return "WARN";
    case base::Severity::kError: return "ERROR";
  }
  return "UNKNOWN";  // unreachable: the switch is complete and -Wswitch keeps it so
}

template <typename Number>
void AppendNumber(std::string& line, Number value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  line.append(text.data(), error == std::errc{} ? end : text.data());
}

// Words that text format shows as they are: anything else is quoted.
bool IsPlainWord(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLogText && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("._:/@+-[]").find(c) != std::string_view::npos;
  });
}

void AppendText(std::string& line, LogFormat format, std::string_view text) {
  if (format == LogFormat::kText && IsPlainWord(text)) {
    line += text;
  } else {
    AppendJsonText(line, text);
  }
}

void AppendValue(std::string& line, LogFormat format, const base::LogField& field) {
  std::visit(
      [&](auto value) {
        using T = decltype(value);
        if constexpr (std::is_same_v<T, std::string_view>) {
          AppendText(line, format, value);
        } else if constexpr (std::is_same_v<T, bool>) {
          line += value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, double>) {
          std::isfinite(value) ? AppendNumber(line, value) : void(line += "null");  // JSON has no word for the others
        } else {
          AppendNumber(line, value);
        }
      },
      field.value);
}

void AppendField(std::string& line, LogFormat format, const base::LogField& field) {
  if (format == LogFormat::kJson) {
    line += line.empty() ? "{" : ",";
    AppendJsonText(line, field.key);
    line += ':';
  } else {
    line += line.empty() ? "" : " ";
    line += field.key;
    line += '=';
  }
  AppendValue(line, format, field);
}

}  // namespace

std::string Rfc3339(base::WallTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(time - days);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

std::string LogLine(LogFormat format, base::WallTime time, base::Severity severity, std::string_view message,
                    std::span<const base::LogField> fields) {
  std::string line;
  const std::string stamp = Rfc3339(time);
  AppendField(line, format, {"time", stamp});
  AppendField(line, format, {"level", Name(severity)});
  AppendField(line, format, {"msg", message});
  for (const base::LogField& field : fields) {
    AppendField(line, format, field);
  }
  line += format == LogFormat::kJson ? "}\n" : "\n";
  return line;
}

void LineLog::Write(base::Severity severity, std::string_view message, std::span<const base::LogField> fields) {
  const std::string line = LogLine(format_, clock_.Wall(), severity, message, fields);
  const std::scoped_lock lock(mutex_);
  write_(line);
}

}  // namespace plimsoll::daemon
