#include <algorithm>
#include <array>

#include "base/base64.h"
#include "clients/cpp/details.h"
#include "clients/cpp/json_text.h"
#include "clients/cpp/messages.h"
#include "clients/cpp/names.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxMessage = 4096;

// The first bytes of a text, cut between two characters.
std::string Cut(std::string text) {
  if (text.size() > kMaxMessage) {
    std::size_t end = kMaxMessage;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;
    }
    text.resize(end);
  }
  return text;
}

// A text member, or empty. Errors are read leniently: what cannot be read states nothing.
std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<NotDispatched> MarkIn(const Json& detail) {
  if (!detail.is_object()) {
    return std::nullopt;
  }
  const std::string type = TextOf(detail, "type");
  if (std::string_view(type).substr(type.rfind('/') + 1) != "plimsoll.v1.NotDispatched") {
    return std::nullopt;
  }
  const auto value = base::Base64Decode(TextOf(detail, "value"));
  return value ? DecodeNotDispatched(*value) : std::nullopt;
}

}  // namespace

std::optional<ErrorBody> ReadErrorBody(std::string_view body) {
  const auto json = ParseStrictJson(body);
  if (!json || !json->is_object()) {
    return std::nullopt;
  }
  ErrorBody out{
      .code = CodeNamed(TextOf(*json, "code")), .message = Cut(TextOf(*json, "message")), .not_dispatched = {}};
  const auto details = json->find("details");
  if (details == json->end() || !details->is_array()) {
    return out;
  }
  for (const Json& detail : *details) {
    if (const auto mark = MarkIn(detail)) {
      out.not_dispatched = mark;
      break;
    }
  }
  return out;
}

}  // namespace plimsoll::client
