#include <algorithm>
#include <array>

#include "base/base64.h"
#include "clients/cpp/details.h"
#include "clients/cpp/json_text.h"
#include "clients/cpp/messages.h"
#include "clients/cpp/names.h"
#include "clients/cpp/read_annex.h"

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

// A text member, or empty. Errors are read leniently: what cannot be read states nothing.
std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// What the details of an error say. The first of a type that can be decoded counts.
class ReadDetail {
 public:
  ReadDetail(ErrorBody& out, AskForAnnex annex) : out_(out), annex_(annex) {}

  void operator()(const Json& detail) const {
    if (!detail.is_object()) {
      return;
    }
    const auto bytes = base::Base64Decode(TextOf(detail, "value"));
    if (!bytes) {
      return;
    }
    const std::string type = TextOf(detail, "type");
    const std::string_view name = std::string_view(type).substr(type.rfind('/') + 1);
    if (name == "plimsoll.v1.NotDispatched" && !out_.not_dispatched) {
      out_.not_dispatched = DecodeNotDispatched(*bytes);
    } else if (name == "plimsoll.v1.SessionEnded" && !out_.session_ended) {
      out_.session_ended = DecodeSessionEnded(*bytes);
    } else if (name == "plimsoll.v1.UnansweredCall" && !out_.unanswered) {
      out_.unanswered = DecodeUnansweredCall(*bytes);
    } else if (name == "plimsoll.ext.v1.Annex" && annex_ == AskForAnnex::kYes && !out_.annex) {
      out_.annex = DecodeAnnex(*bytes);
    }
  }

 private:
  ErrorBody& out_;
  AskForAnnex annex_;
};

}  // namespace

std::string Bounded(std::string text) {
  constexpr std::size_t kMost = 4096;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;
    }
    text.resize(end);
  }
  return text;
}

std::optional<ErrorBody> ReadErrorBody(std::string_view body, AskForAnnex annex) {
  const auto json = ParseStrictJson(body);
  if (!json || !json->is_object()) {
    return std::nullopt;
  }
  ErrorBody out{.code = CodeNamed(TextOf(*json, "code")), .message = Bounded(TextOf(*json, "message"))};
  const auto details = json->find("details");
  if (details != json->end() && details->is_array()) {
    std::ranges::for_each(*details, ReadDetail(out, annex));
  }
  return out;
}

}  // namespace plimsoll::client
