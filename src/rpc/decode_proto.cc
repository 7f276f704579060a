#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/wire_format_lite.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rpc/decode.h"

namespace plimsoll::rpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CodedInputStream;

base::Refusal Malformed(std::string message) { return base::Refusal{base::Rule::kInvalidRequest, std::move(message)}; }

// Numbers of a table: they cost the parser no more than they cost on the wire.
bool IsNumberList(const FieldDescriptor* field, WireFormatLite::WireType wire) {
  return field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE && field->is_repeated() &&
         (wire == WireFormatLite::WIRETYPE_FIXED64 || wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

bool IsMessage(const FieldDescriptor* field, std::uint32_t tag) {
  return field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
}

enum class Walk { kOn, kNotProtobuf, kOverBudget };

Walk PassValue(const FieldDescriptor* field, std::uint32_t tag, CodedInputStream& input, int& budget);

// Counts what the parser would allocate for, without allocating; false when it is more than `budget`. Bytes that are
// not protobuf are left to the parser. The recursion is bounded by the schema, which is not recursive.
bool WithinBudget(const Descriptor& type, CodedInputStream& input, int& budget) {
  int open_groups = 0;  // groups are unknown to proto3: all that is in one is kept as unknown
  while (const std::uint32_t tag = input.ReadTag()) {
    const FieldDescriptor* field =
        open_groups == 0 ? type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag)) : nullptr;
    const WireFormatLite::WireType wire = WireFormatLite::GetTagWireType(tag);
    if (!IsNumberList(field, wire) && --budget < 0) {
      return false;
    }
    if (wire == WireFormatLite::WIRETYPE_START_GROUP) {
      ++open_groups;
      continue;
    }
    if (wire == WireFormatLite::WIRETYPE_END_GROUP) {
      --open_groups;
      continue;
    }
    const Walk walk = PassValue(field, tag, input, budget);
    if (walk != Walk::kOn) {
      return walk == Walk::kNotProtobuf;
    }
  }
  return true;
}

// Moves past the value that follows `tag`, and counts what is in it where it is a message of the schema.
Walk PassValue(const FieldDescriptor* field, std::uint32_t tag, CodedInputStream& input, int& budget) {
  if (!IsMessage(field, tag)) {
    return WireFormatLite::SkipField(&input, tag) ? Walk::kOn : Walk::kNotProtobuf;
  }
  std::uint32_t length = 0;
  if (!input.ReadVarint32(&length) || length > static_cast<std::uint32_t>(input.BytesUntilLimit())) {
    return Walk::kNotProtobuf;
  }
  const CodedInputStream::Limit outer = input.PushLimit(static_cast<int>(length));
  if (!WithinBudget(*field->message_type(), input, budget)) {
    return Walk::kOverBudget;
  }
  input.Skip(input.BytesUntilLimit());
  input.PopLimit(outer);
  return Walk::kOn;
}

bool WithinBudget(const Descriptor& type, std::string_view bytes) {
  ArrayInputStream source(bytes.data(), static_cast<int>(bytes.size()));
  CodedInputStream input(&source);
  input.PushLimit(static_cast<int>(bytes.size()));
  int budget = kMaxElements;
  return WithinBudget(type, input, budget);
}

// The first unknown field at any depth, as `field 99 of plimsoll.v1.RunRequest`. Recursion as above.
std::optional<std::string> UnknownFieldIn(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return "field " + std::to_string(unknown.field(0).number()) + " of " + message.GetDescriptor()->full_name();
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const Message& inner = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                  : reflection.GetMessage(message, field);
      if (auto found = UnknownFieldIn(inner)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

base::Status DecodeProto(std::string_view bytes, Unknown unknown, Message& out) {
  if (!WithinBudget(*out.GetDescriptor(), bytes)) {
    return Malformed("the body holds more than " + std::to_string(kMaxElements) + " elements");
  }
  // The parser checks the UTF-8 of strings, and would tell of a failure on the process's stderr.
  const google::protobuf::LogSilencer silence;
  if (!out.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Malformed("the body is not a " + out.GetDescriptor()->full_name() + " in binary form");
  }
  if (unknown == Unknown::kRefused) {
    if (auto found = UnknownFieldIn(out)) {
      return Malformed("unknown " + *found);
    }
  }
  return base::Ok();
}

base::Status Decode(Codec codec, std::string_view bytes, Unknown unknown, Message& out) {
  return codec == Codec::kProto ? DecodeProto(bytes, unknown, out) : DecodeJson(bytes, unknown, out);
}

}  // namespace plimsoll::rpc
