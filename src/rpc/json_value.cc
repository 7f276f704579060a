#include "rpc/json_value.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/base64.h"

namespace plimsoll::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

template <typename Number>
std::optional<Number> ParseWhole(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// A JSON number in quotes: from_chars alone would take `inf`, `nan` and a leading point.
std::optional<double> ParseNumber(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') {
    return std::nullopt;
  }
  return ParseWhole<double>(text);
}

template <std::integral Int>
std::optional<Int> Narrow(double value) {
  // 2^63 and 2^64 are exact as doubles, the largest integers are not.
  const double beyond = std::ldexp(1.0, std::numeric_limits<Int>::digits);
  const double least = std::is_signed_v<Int> ? -beyond : 0.0;
  if (!(value >= least && value < beyond) || std::trunc(value) != value) {
    return std::nullopt;
  }
  return static_cast<Int>(value);
}

template <std::integral Int, std::integral From>
std::optional<Int> Narrow(From value) {
  return std::in_range<Int>(value) ? std::optional(static_cast<Int>(value)) : std::nullopt;
}

template <std::integral Int>
std::optional<Int> ToInteger(const JsonValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return Narrow<Int>(*number);
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return Narrow<Int>(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return Narrow<Int>(*number);
  }
  if (auto* const* text = std::get_if<std::string*>(&value)) {
    if (const auto exact = ParseWhole<Int>(**text)) {
      return exact;
    }
    const auto number = ParseNumber(**text);
    return number ? Narrow<Int>(*number) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> ToDouble(const JsonValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return *number;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*number);
  }
  if (auto* const* text = std::get_if<std::string*>(&value)) {
    const std::string_view name = **text;
    if (name == "NaN") {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (name == "Infinity" || name == "-Infinity") {
      return name.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    return ParseNumber(name);
  }
  return std::nullopt;
}

std::optional<std::string> ToText(const FieldDescriptor& field, const JsonValue& value) {
  auto* const* text = std::get_if<std::string*>(&value);
  if (text == nullptr) {
    return std::nullopt;
  }
  if (field.type() == FieldDescriptor::TYPE_BYTES) {
    return base::Base64Decode(**text);
  }
  return std::move(**text);
}

std::optional<int> ToEnum(const FieldDescriptor& field, const JsonValue& value) {
  if (auto* const* text = std::get_if<std::string*>(&value)) {
    const auto* named = field.enum_type()->FindValueByName(**text);
    return named != nullptr ? std::optional(named->number()) : std::nullopt;
  }
  return ToInteger<std::int32_t>(value);
}

// Stores a converted value by whichever of Reflection's two functions fits the field.
template <typename T>
bool Store(Message& message, const FieldDescriptor& field, std::optional<T> value,
           void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
           void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
  if (!value) {
    return false;
  }
  (message.GetReflection()->*(field.is_repeated() ? add : set))(&message, &field, *std::move(value));
  return true;
}

}  // namespace

bool SetFromJson(Message& message, const FieldDescriptor& field, JsonValue value) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Store(message, field, ToInteger<std::int32_t>(value), &Reflection::SetInt32, &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return Store(message, field, ToInteger<std::int64_t>(value), &Reflection::SetInt64, &Reflection::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Store(message, field, ToInteger<std::uint32_t>(value), &Reflection::SetUInt32, &Reflection::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Store(message, field, ToInteger<std::uint64_t>(value), &Reflection::SetUInt64, &Reflection::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Store(message, field, ToDouble(value), &Reflection::SetDouble, &Reflection::AddDouble);
    case FieldDescriptor::CPPTYPE_BOOL: {
      const auto* flag = std::get_if<bool>(&value);
      return Store(message, field, flag != nullptr ? std::optional(*flag) : std::nullopt, &Reflection::SetBool,
                   &Reflection::AddBool);
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return Store(message, field, ToText(field, value), &Reflection::SetString, &Reflection::AddString);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Store(message, field, ToEnum(field, value), &Reflection::SetEnumValue, &Reflection::AddEnumValue);
    case FieldDescriptor::CPPTYPE_FLOAT:  // no message of ours has one
    case FieldDescriptor::CPPTYPE_MESSAGE: return false;
  }
  return false;  // unreachable: the switch is complete and -Wswitch keeps it so
}

}  // namespace plimsoll::rpc
