#include "providers/docker/engine/bounded_json.h"

#include <string>
#include <utility>

namespace plimsoll::docker {
namespace {

using nlohmann::json;

// Walks a text and builds nothing; stops at the first value over a bound.
class Census final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return Count(); }
  bool boolean(bool /*value*/) override { return Count(); }
  bool number_integer(number_integer_t /*value*/) override { return Count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Count(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return Count(); }
  bool string(string_t& /*value*/) override { return Count(); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return Descend(); }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return Ascend(); }
  bool start_array(std::size_t /*elements*/) override { return Descend(); }
  bool end_array() override { return Ascend(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const json::exception& /*cause*/) override {
    return false;
  }

 private:
  bool Count() { return ++values_ <= kMaxJsonValues; }
  bool Descend() { return ++depth_ <= kMaxJsonDepth && Count(); }
  bool Ascend() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

std::optional<json> ParseBounded(std::string_view text) {
  Census census;
  if (!json::sax_parse(text.begin(), text.end(), &census)) {
    return std::nullopt;
  }
  json document = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    return std::nullopt;
  }
  return document;
}

}  // namespace plimsoll::docker
