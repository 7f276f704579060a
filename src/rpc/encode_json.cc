#include "rpc/encode_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "base/base64.h"
#include "base/check.h"

namespace plimsoll::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

template <typename Number>
void AppendNumber(std::string& out, Number number) {
  char digits[32];
  const auto [end, problem] = std::to_chars(std::begin(digits), std::end(digits), number);
  PLIMSOLL_CHECK(problem == std::errc());
  out.append(digits, end);
}

template <typename Number>
void AppendQuoted(std::string& out, Number number) {
  out.push_back('"');
  AppendNumber(out, number);
  out.push_back('"');
}

void AppendDouble(std::string& out, double number) {
  if (std::isnan(number)) {
    out.append("\"NaN\"");
  } else if (std::isinf(number)) {
    out.append(number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else {
    AppendNumber(out, number);
  }
}

void AppendEnum(std::string& out, const FieldDescriptor& field, int number) {
  const auto* value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) {
    AppendNumber(out, number);
  } else {
    AppendJsonText(out, value->name());
  }
}

void AppendString(std::string& out, const FieldDescriptor& field, const std::string& value) {
  if (field.type() == FieldDescriptor::TYPE_BYTES) {
    out.append("\"").append(base::Base64Encode(value, base::Padding::kPadded)).append("\"");
  } else {
    AppendJsonText(out, value);
  }
}

void AppendMessage(std::string& out, const Message& message);

void AppendSingle(std::string& out, const Message& message, const FieldDescriptor& field) {
  const Reflection& of = *message.GetReflection();
  std::string scratch;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: return AppendNumber(out, of.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32: return AppendNumber(out, of.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64: return AppendQuoted(out, of.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64: return AppendQuoted(out, of.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE: return AppendDouble(out, of.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_FLOAT: return AppendDouble(out, static_cast<double>(of.GetFloat(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL: out.append(of.GetBool(message, &field) ? "true" : "false"); return;
    case FieldDescriptor::CPPTYPE_ENUM: return AppendEnum(out, field, of.GetEnumValue(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return AppendString(out, field, of.GetStringReference(message, &field, &scratch));
    case FieldDescriptor::CPPTYPE_MESSAGE: return AppendMessage(out, of.GetMessage(message, &field));
  }
}

void AppendElement(std::string& out, const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& of = *message.GetReflection();
  std::string scratch;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: return AppendNumber(out, of.GetRepeatedInt32(message, &field, index));
    case FieldDescriptor::CPPTYPE_UINT32: return AppendNumber(out, of.GetRepeatedUInt32(message, &field, index));
    case FieldDescriptor::CPPTYPE_INT64: return AppendQuoted(out, of.GetRepeatedInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_UINT64: return AppendQuoted(out, of.GetRepeatedUInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE: return AppendDouble(out, of.GetRepeatedDouble(message, &field, index));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return AppendDouble(out, static_cast<double>(of.GetRepeatedFloat(message, &field, index)));
    case FieldDescriptor::CPPTYPE_BOOL:
      out.append(of.GetRepeatedBool(message, &field, index) ? "true" : "false");
      return;
    case FieldDescriptor::CPPTYPE_ENUM: return AppendEnum(out, field, of.GetRepeatedEnumValue(message, &field, index));
    case FieldDescriptor::CPPTYPE_STRING:
      return AppendString(out, field, of.GetRepeatedStringReference(message, &field, index, &scratch));
    case FieldDescriptor::CPPTYPE_MESSAGE: return AppendMessage(out, of.GetRepeatedMessage(message, &field, index));
  }
}

void AppendList(std::string& out, const Message& message, const FieldDescriptor& field) {
  const int size = message.GetReflection()->FieldSize(message, &field);
  out.push_back('[');
  for (int i = 0; i < size; ++i) {
    out.append(i == 0 ? "" : ",");
    AppendElement(out, message, field, i);
  }
  out.push_back(']');
}

// The recursion is bounded by the schema, which is not recursive.
void AppendMessage(std::string& out, const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  out.push_back('{');
  for (const FieldDescriptor* field : fields) {
    out.append(field == fields.front() ? "\"" : ",\"").append(field->json_name()).append("\":");
    if (field->is_repeated()) {
      AppendList(out, message, *field);
    } else {
      AppendSingle(out, message, *field);
    }
  }
  out.push_back('}');
}

}  // namespace

void AppendJsonText(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out.append("\\u00");
          out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out.push_back(kHex[static_cast<unsigned char>(c) & 15]);
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

std::string EncodeJson(const Message& message) {
  std::string out;
  AppendMessage(out, message);
  return out;
}

}  // namespace plimsoll::rpc
