#include "guest/agent/probe_fact.h"

#include <string.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace plimsoll::guest {
namespace {

// Bytes above 0x7e are written as the code point of the same number: what is said is ASCII whatever a path holds.
void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      std::array<char, 8> escape;
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      out += escape.data();
    } else {
      out += c;
    }
  }
  out += '"';
}

void AppendList(std::span<const std::string> values, std::string& out) {
  out += '[';
  for (const std::string& value : values) {
    if (out.back() != '[') {
      out += ',';
    }
    AppendQuoted(value, out);
  }
  out += ']';
}

}  // namespace

Fact::Fact(std::string_view probe) : line_("{\"probe\":") { AppendQuoted(probe, line_); }

void Fact::Key(std::string_view key) {
  line_ += ',';
  AppendQuoted(key, line_);
  line_ += ':';
}

Fact& Fact::Text(std::string_view key, std::string_view value) {
  Key(key);
  AppendQuoted(value, line_);
  return *this;
}

Fact& Fact::Number(std::string_view key, std::int64_t value) {
  Key(key);
  line_ += std::to_string(value);
  return *this;
}

Fact& Fact::Texts(std::string_view key, std::span<const std::string> values) {
  Key(key);
  AppendList(values, line_);
  return *this;
}

Fact& Fact::Rows(std::string_view key, std::span<const std::vector<std::string>> rows) {
  Key(key);
  line_ += '[';
  for (std::size_t i = 0; i < rows.size(); ++i) {
    line_ += i == 0 ? "" : ",";
    AppendList(rows[i], line_);
  }
  line_ += ']';
  return *this;
}

Fact& Fact::Error(std::string_view key, int error) {
  const char* name = error == 0 ? "ok" : ::strerrorname_np(error);
  return Text(key, name != nullptr ? name : "E" + std::to_string(error));
}

void Fact::Print() const {
  const std::string whole = line_ + "}\n";
  std::size_t written = 0;
  while (written < whole.size()) {
    const ssize_t now = ::write(STDOUT_FILENO, whole.data() + written, whole.size() - written);
    if (now < 0 && errno != EINTR) {
      ::_exit(74);
    }
    written += now > 0 ? static_cast<std::size_t>(now) : 0;
  }
}

}  // namespace plimsoll::guest
