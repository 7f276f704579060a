#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rpc/decode.h"
#include "rpc/json_value.h"

namespace plimsoll::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// nlohmann reads the number `-0` as the integer 0, and its sign, which digests cover, is lost. This gives it a
// fraction. The text is copied only when it holds such a number.
std::optional<std::string> KeepSignOfZero(std::string_view text) {
  std::optional<std::string> kept;
  std::size_t copied = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_string) {
      if (text[at] == '\\') {
        ++at;  // whatever is escaped does not end the string
      } else {
        in_string = text[at] != '"';
      }
      continue;
    }
    in_string = text[at] == '"';
    const bool zero = text[at] == '-' && text.substr(at + 1, 1) == "0";
    if (zero && text.substr(at + 2, 1).find_first_of(".eE0123456789") == std::string_view::npos) {
      kept = std::move(kept).value_or("").append(text.substr(copied, at + 2 - copied)).append(".0");
      copied = at + 2;
    }
  }
  if (kept) {
    kept->append(text.substr(copied));
  }
  return kept;
}

// A key as a message may show it: its first 64 visible ASCII characters.
std::string Shown(std::string_view key) {
  std::string shown;
  for (const char c : key.substr(0, 64)) {
    shown.push_back(c > 0x20 && c < 0x7f ? c : '?');
  }
  return shown;
}

// Fills a message from the events of a parser that keeps its own stack, so that nesting costs no call depth. After a
// false answer the parser stops and problem() says why.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(Message& root, Unknown unknown) : root_(root), unknown_(unknown) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return Put(JsonValue(nullptr)); }
  bool boolean(bool value) override { return Put(JsonValue(value)); }
  bool number_integer(std::int64_t value) override { return Put(JsonValue(value)); }
  bool number_unsigned(std::uint64_t value) override { return Put(JsonValue(value)); }
  bool number_float(double value, const std::string&) override { return Put(JsonValue(value)); }
  bool string(std::string& value) override { return Put(JsonValue(&value)); }
  bool binary(nlohmann::json::binary_t&) override { return Fail("a value of no JSON type"); }

  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override;
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return Fail("malformed JSON at byte " + std::to_string(position));
  }

 private:
  enum class Shape { kObject, kArray, kIgnored };
  struct Frame {
    Shape shape = Shape::kIgnored;
    Message* message = nullptr;              // kObject: it; kArray: the one that has the list
    const FieldDescriptor* field = nullptr;  // the member the next value is for; kArray: the list
    std::uint64_t fields_seen = 0;           // by index in the message
    std::uint64_t oneofs_seen = 0;
    std::set<std::string, std::less<>> unknown_keys;
  };

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool Enter(Shape shape, Message* message = nullptr, const FieldDescriptor* field = nullptr);
  bool Leave() {
    frames_.pop_back();
    return true;
  }
  bool Put(JsonValue value);
  bool Spend();
  bool UnknownKey(std::string& name);
  // The message that an object opening now is to fill, null when it opens where none belongs.
  Message* MessageHere();
  bool ClaimOneof(Frame& frame);

  Message& root_;
  const Unknown unknown_;
  std::vector<Frame> frames_;
  int elements_ = 0;
  std::string problem_ = "the body is not one JSON object";
};

bool Builder::Spend() {
  return ++elements_ <= kMaxElements || Fail("the body holds more than " + std::to_string(kMaxElements) + " elements");
}

bool Builder::Enter(Shape shape, Message* message, const FieldDescriptor* field) {
  if (frames_.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
    return Fail("JSON nested deeper than " + std::to_string(kMaxJsonDepth));
  }
  Frame& frame = frames_.emplace_back();
  frame.shape = shape;
  frame.message = message;
  frame.field = field;
  return true;
}

bool Builder::ClaimOneof(Frame& frame) {
  const auto* oneof = frame.field->real_containing_oneof();
  if (oneof == nullptr || frame.shape == Shape::kArray) {
    return true;
  }
  const std::uint64_t bit = std::uint64_t{1} << oneof->index();
  if ((frame.oneofs_seen & bit) != 0) {
    return Fail("two members of " + oneof->full_name());
  }
  frame.oneofs_seen |= bit;
  return true;
}

Message* Builder::MessageHere() {
  if (frames_.empty()) {
    return &root_;
  }
  const Frame& top = frames_.back();
  if (top.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
      top.field->is_repeated() != (top.shape == Shape::kArray)) {
    return nullptr;
  }
  const auto* reflection = top.message->GetReflection();
  return top.field->is_repeated() ? reflection->AddMessage(top.message, top.field)
                                  : reflection->MutableMessage(top.message, top.field);
}

bool Builder::start_object(std::size_t) {
  if (!frames_.empty()) {
    Frame& top = frames_.back();
    if (top.shape == Shape::kIgnored || top.field == nullptr) {
      return Enter(Shape::kIgnored);
    }
    if ((top.shape == Shape::kArray && !Spend()) || !ClaimOneof(top)) {
      return false;
    }
  }
  Message* message = MessageHere();
  if (message == nullptr) {
    return Fail(frames_.back().field->full_name() + ": an object where none belongs");
  }
  return Enter(Shape::kObject, message);
}

bool Builder::start_array(std::size_t) {
  if (frames_.empty()) {
    return false;
  }
  const Frame& top = frames_.back();
  if (top.shape == Shape::kIgnored || top.field == nullptr) {
    return Enter(Shape::kIgnored);
  }
  if (top.shape == Shape::kArray || !top.field->is_repeated()) {
    return Fail(top.field->full_name() + ": a list where none belongs");
  }
  return Enter(Shape::kArray, top.message, top.field);
}

bool Builder::UnknownKey(std::string& name) {
  Frame& top = frames_.back();
  top.field = nullptr;
  if (unknown_ == Unknown::kRefused) {
    return Fail("unknown key `" + Shown(name) + "`");
  }
  if (!Spend()) {
    return false;
  }
  return top.unknown_keys.insert(std::move(name)).second || Fail("a repeated key");
}

bool Builder::key(std::string& name) {
  Frame& top = frames_.back();
  if (top.shape == Shape::kIgnored) {
    return UnknownKey(name);
  }
  const auto* type = top.message->GetDescriptor();
  const FieldDescriptor* field = type->FindFieldByCamelcaseName(name);
  if (field == nullptr) {
    field = type->FindFieldByName(name);
  }
  if (field == nullptr) {
    return UnknownKey(name);
  }
  const std::uint64_t bit = std::uint64_t{1} << field->index();
  if ((top.fields_seen & bit) != 0) {
    return Fail("repeated key `" + field->json_name() + "`");
  }
  top.fields_seen |= bit;
  top.field = field;
  return true;
}

bool Builder::Put(JsonValue value) {
  if (frames_.empty()) {
    return false;
  }
  Frame& top = frames_.back();
  if (top.shape == Shape::kIgnored || top.field == nullptr) {
    return true;
  }
  const bool in_list = top.shape == Shape::kArray;
  if (std::holds_alternative<std::nullptr_t>(value) && !in_list) {
    return true;  // null is the default, whatever the type
  }
  const bool counted = in_list && top.field->cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE;
  if ((counted && !Spend()) || !ClaimOneof(top)) {
    return false;
  }
  if (top.field->is_repeated() != in_list || !SetFromJson(*top.message, *top.field, value)) {
    return Fail(top.field->full_name() + ": a value of the wrong type or out of range");
  }
  return true;
}

}  // namespace

base::Status DecodeJson(std::string_view text, Unknown unknown, Message& out) {
  // The parser takes a zero byte for the end of its input; no JSON holds one.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return base::Refusal{base::Rule::kInvalidRequest, "malformed JSON at byte " + std::to_string(zero + 1)};
  }
  std::optional<std::string> kept;
  if (text.find("-0") != std::string_view::npos) {
    kept = KeepSignOfZero(text);
  }
  const std::string_view source = kept ? std::string_view(*kept) : text;
  Builder builder(out, unknown);
  if (!nlohmann::json::sax_parse(source.begin(), source.end(), &builder)) {
    return base::Refusal{base::Rule::kInvalidRequest, builder.problem()};
  }
  return base::Ok();
}

}  // namespace plimsoll::rpc
