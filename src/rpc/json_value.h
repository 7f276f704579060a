#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace plimsoll::rpc {

// One JSON value that is no object and no list. A text is borrowed and may be moved from.
using JsonValue = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string*>;

// Sets a field of `message`, or appends to it when it is repeated, by the proto3 JSON mapping: integers and doubles as
// number or text, `NaN` and `Infinity` as text, bytes as base64 of any form, enums by name or number. False when the
// value is of the wrong type or out of range, and for a field that holds messages.
bool SetFromJson(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, JsonValue value);

}  // namespace plimsoll::rpc
