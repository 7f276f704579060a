#include "clients/cpp/json_message.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/base64.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

// Up to here every whole number is a double of its own.
constexpr double kMaxExactInteger = 9007199254740992.0;

const Json& EmptyList() {
  static const Json empty = Json::array();
  return empty;
}
const Json& EmptyObject() {
  static const Json empty = Json::object();
  return empty;
}

std::string SnakeOf(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    if (c >= 'A' && c <= 'Z') {
      out += '_';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  return out;
}

template <typename T>
std::optional<T> Parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// A whole number of type T, given as a number or in quotes. `1.0` and `1e3` are whole numbers.
template <typename T>
std::optional<T> WholeNumber(const Json& value) {
  if (value.is_string()) {
    return Parse<T>(value.get_ref<const std::string&>());
  }
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::trunc(number) != number || std::abs(number) > kMaxExactInteger || (std::is_unsigned_v<T> && number < 0)) {
      return std::nullopt;
    }
    return static_cast<T>(number);
  }
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
  }
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> AnyNumber(const Json& value) {
  if (value.is_number()) {
    return value.get<double>();
  }
  if (!value.is_string()) {
    return std::nullopt;
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") {
    return std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  }
  if (text == "Infinity") {
    return std::numeric_limits<double>::infinity();
  }
  if (text == "-Infinity") {
    return -std::numeric_limits<double>::infinity();
  }
  const auto number = Parse<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

JsonMessage::JsonMessage(const Json& object, std::string_view name, Problems& problems)
    : object_(&object), problems_(&problems) {
  if (!object.is_object()) {
    problems.Note(name);
    object_ = &EmptyObject();
  }
}

const Json* JsonMessage::Find(std::string_view camel) const {
  const auto found = object_->find(camel);
  const std::string snake = SnakeOf(camel);
  const auto original = snake == camel ? object_->end() : object_->find(snake);
  if (found != object_->end() && original != object_->end()) {
    problems_->Note(camel);
    return nullptr;
  }
  const auto& field = found != object_->end() ? found : original;
  return field == object_->end() || field->is_null() ? nullptr : &*field;
}

std::string JsonMessage::Text(std::string_view camel) const {
  const Json* value = Find(camel);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string()) {
    problems_->Note(camel);
    return {};
  }
  return value->get<std::string>();
}

std::string JsonMessage::Bytes(std::string_view camel) const {
  std::optional<std::string> bytes = base::Base64Decode(Text(camel));
  if (!bytes) {
    problems_->Note(camel);
    return {};
  }
  return *std::move(bytes);
}

bool JsonMessage::Flag(std::string_view camel) const {
  const Json* value = Find(camel);
  if (value != nullptr && !value->is_boolean()) {
    problems_->Note(camel);
    return false;
  }
  return value != nullptr && value->get<bool>();
}

std::int64_t JsonMessage::Signed(std::string_view camel, Range range) const {
  const Json* value = Find(camel);
  const auto number = value == nullptr ? std::int64_t{0} : WholeNumber<std::int64_t>(*value);
  if (!number || *number < range.low || *number > range.high) {
    problems_->Note(camel);
    return 0;
  }
  return *number;
}

std::uint64_t JsonMessage::Unsigned(std::string_view camel, std::uint64_t high) const {
  const Json* value = Find(camel);
  const auto number = value == nullptr ? std::uint64_t{0} : WholeNumber<std::uint64_t>(*value);
  if (!number || *number > high) {
    problems_->Note(camel);
    return 0;
  }
  return *number;
}

double JsonMessage::Number(std::string_view camel) const {
  const Json* value = Find(camel);
  const auto number = value == nullptr ? 0.0 : AnyNumber(*value);
  if (!number) {
    problems_->Note(camel);
    return 0;
  }
  return *number;
}

std::size_t JsonMessage::Enum(std::string_view camel, std::string_view prefix,
                              std::span<const std::string_view> names) const {
  const std::optional<std::size_t> index = GrowingEnum(camel, prefix, names);
  if (!index) {
    problems_->Note(camel);
  }
  return index.value_or(0);
}

std::optional<std::size_t> JsonMessage::GrowingEnum(std::string_view camel, std::string_view prefix,
                                                    std::span<const std::string_view> names) const {
  const Json* value = Find(camel);
  if (value == nullptr) {
    return 0;
  }
  if (value->is_string()) {
    const std::string_view text = value->get_ref<const std::string&>();
    if (text.starts_with(prefix)) {
      const auto found = std::ranges::find(names, text.substr(prefix.size()));
      return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
    }
  } else if (const auto number = WholeNumber<std::int32_t>(*value)) {
    return *number >= 0 && static_cast<std::size_t>(*number) < names.size() ? std::optional<std::size_t>(*number)
                                                                            : std::nullopt;
  }
  problems_->Note(camel);
  return 0;
}

std::vector<std::string> JsonMessage::Texts(std::string_view camel) const {
  std::vector<std::string> out;
  for (const Json& element : List(camel)) {
    if (!element.is_string()) {
      problems_->Note(camel);
      return {};
    }
    out.push_back(element.get<std::string>());
  }
  return out;
}

std::vector<double> JsonMessage::Numbers(std::string_view camel) const {
  std::vector<double> out;
  for (const Json& element : List(camel)) {
    const auto number = AnyNumber(element);
    if (!number) {
      problems_->Note(camel);
      return {};
    }
    out.push_back(*number);
  }
  return out;
}

std::vector<std::uint32_t> JsonMessage::Uint32s(std::string_view camel) const {
  std::vector<std::uint32_t> out;
  for (const Json& element : List(camel)) {
    const auto number = WholeNumber<std::uint32_t>(element);
    if (!number) {
      problems_->Note(camel);
      return {};
    }
    out.push_back(*number);
  }
  return out;
}

JsonMessage JsonMessage::Message(std::string_view camel) const {
  const Json* value = Find(camel);
  return {value == nullptr ? EmptyObject() : *value, camel, *problems_};
}

const Json& JsonMessage::List(std::string_view camel) const {
  const Json* value = Find(camel);
  if (value == nullptr) {
    return EmptyList();
  }
  if (!value->is_array()) {
    problems_->Note(camel);
    return EmptyList();
  }
  return *value;
}

}  // namespace plimsoll::client
