#include "providers/docker/probes/flat_json.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

namespace plimsoll::docker {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxKeys = 32;
constexpr std::size_t kMaxMembers = 1024;
constexpr std::size_t kMaxText = 1024;

bool IsPlain(std::string_view text) {
  return text.size() <= kMaxText && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Follows the one shape there is and stops at the first event outside it.
class FlatReader final : public nlohmann::json_sax<json> {
 public:
  bool is_whole() const { return place_ == Place::kEnd; }
  FlatObject TakeObject() { return std::move(object_); }

  bool start_object(std::size_t /*size*/) override {
    const bool fits = place_ == Place::kStart;
    place_ = Place::kKey;
    return fits;
  }
  bool key(string_t& key) override {
    if (place_ != Place::kKey || object_.size() == kMaxKeys || !IsPlain(key) || object_.contains(key)) {
      return false;
    }
    key_ = key;
    place_ = Place::kValue;
    return true;
  }
  bool end_object() override {
    const bool fits = place_ == Place::kKey;
    place_ = Place::kEnd;
    return fits;
  }

  bool string(string_t& value) override {
    if (!IsPlain(value)) {
      return false;
    }
    switch (place_) {
      case Place::kValue: return Put(std::move(value));
      case Place::kList: list_.push_back(std::move(value)); return rows_.empty() && list_.size() <= kMaxMembers;
      case Place::kRow: rows_.back().push_back(std::move(value)); return rows_.back().size() <= kMaxMembers;
      case Place::kStart:
      case Place::kKey:
      case Place::kEnd: return false;
    }
    return false;
  }
  bool number_integer(number_integer_t value) override { return place_ == Place::kValue && Put(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    return place_ == Place::kValue && value <= static_cast<number_unsigned_t>(INT64_MAX) &&
           Put(static_cast<std::int64_t>(value));
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ == Place::kValue) {
      list_.clear();
      rows_.clear();
      place_ = Place::kList;
      return true;
    }
    if (place_ != Place::kList || !list_.empty() || rows_.size() == kMaxMembers) {
      return false;
    }
    rows_.emplace_back();
    place_ = Place::kRow;
    return true;
  }
  bool end_array() override {
    if (place_ == Place::kRow) {
      place_ = Place::kList;
      return true;
    }
    if (place_ != Place::kList) {
      return false;
    }
    return rows_.empty() ? Put(std::move(list_)) : Put(std::move(rows_));
  }

  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return false; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  enum class Place { kStart, kKey, kValue, kList, kRow, kEnd };

  bool Put(FlatValue value) {
    object_.emplace(std::exchange(key_, {}), std::move(value));
    place_ = Place::kKey;
    return true;
  }

  Place place_ = Place::kStart;
  std::string key_;
  FlatList list_;
  FlatRows rows_;
  FlatObject object_;
};

}  // namespace

std::optional<FlatObject> ParseFlat(std::string_view text) {
  FlatReader reader;
  if (!json::sax_parse(text, &reader) || !reader.is_whole()) {
    return std::nullopt;
  }
  return reader.TakeObject();
}

}  // namespace plimsoll::docker
