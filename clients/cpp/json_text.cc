#include "clients/cpp/json_text.h"

#include <string>
#include <utility>
#include <vector>

namespace plimsoll::client {
namespace {

using Json = nlohmann::json;

// Builds a value from parser events. A method that returns false ends the reading.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  Json Take() { return std::move(root_); }

  bool null() override { return Add(nullptr) != nullptr; }
  bool boolean(bool value) override { return Add(value) != nullptr; }
  // The parser calls this for numbers with a minus sign only.
  bool number_integer(number_integer_t value) override { return (value == 0 ? Add(-0.0) : Add(value)) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return Add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return Add(value) != nullptr; }
  bool string(string_t& value) override { return Add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  Json* Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[std::move(key_)] = std::move(value));
  }

  bool Open(Json empty) {
    if (open_.size() == kMaxJsonDepth) {
      return false;
    }
    open_.push_back(Add(std::move(empty)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  // The containers around the next value, outermost first. A pointer stays good while it is here: its parent grows only
  // after it was closed.
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

std::optional<Json> ParseStrictJson(std::string_view text) {
  StrictBuilder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return builder.Take();
}

}  // namespace plimsoll::client
