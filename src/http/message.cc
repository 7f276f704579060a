#include "http/message.h"

#include <algorithm>

namespace plimsoll::http {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// RFC 9110 5.6.2, lowercase letters only.
bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// RFC 9110 5.5: visible bytes, bytes above 0x7F, space and tab.
bool IsValueByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7F) || c == '\t';
}

}  // namespace

void Headers::Add(std::string_view name, std::string_view value) {
  Header& field = fields_.emplace_back();
  field.name.resize(name.size());
  std::transform(name.begin(), name.end(), field.name.begin(), Lower);
  field.value = value;
}

std::optional<std::string_view> Headers::Only(std::string_view lowercase_name) const {
  std::optional<std::string_view> found;
  for (const Header& field : fields_) {
    if (field.name != lowercase_name) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = field.value;
  }
  return found;
}

std::optional<std::string_view> Headers::First(std::string_view lowercase_name) const {
  for (const Header& field : fields_) {
    if (field.name == lowercase_name) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::size_t Headers::Count(std::string_view lowercase_name) const {
  return static_cast<std::size_t>(
      std::count_if(fields_.begin(), fields_.end(), [&](const Header& field) { return field.name == lowercase_name; }));
}

bool Headers::Sendable() const {
  return std::all_of(fields_.begin(), fields_.end(), [](const Header& field) {
    return !field.name.empty() && std::all_of(field.name.begin(), field.name.end(), IsNameByte) &&
           std::all_of(field.value.begin(), field.value.end(), IsValueByte);
  });
}

}  // namespace plimsoll::http
