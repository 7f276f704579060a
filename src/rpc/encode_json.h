#pragma once

#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace plimsoll::rpc {

// The message in the JSON form of wire.md 5: lowerCamelCase names, defaults left out, 64-bit integers as text, bytes as
// padded base64, enums by name, doubles in the shortest form that reads back the same. Strings must be UTF-8.
std::string EncodeJson(const google::protobuf::Message& message);

// Appends `text` in quotes, escaped. `text` must be UTF-8.
void AppendJsonText(std::string& out, std::string_view text);

}  // namespace plimsoll::rpc
