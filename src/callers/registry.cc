#include "callers/registry.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "callers/entry_rules.h"

namespace plimsoll::callers {
namespace {

using nlohmann::json;

// The fields of one client, as bits of a set.
enum Field : unsigned { kId = 1, kHash = 2, kScopes = 4, kPaid = 8 };
constexpr unsigned kRequired = kId | kHash | kScopes;

std::optional<Field> FieldNamed(std::string_view key) {
  if (key == "id") {
    return kId;
  }
  if (key == "token_sha256") {
    return kHash;
  }
  if (key == "scopes") {
    return kScopes;
  }
  if (key == "paid_seconds_per_day") {
    return kPaid;
  }
  return std::nullopt;
}

// Follows the one shape a registry has and stops at the first event outside it, so that nothing is built from what is
// not a registry. Keys compare byte for byte: another case is another, unknown, key.
class Reader final : public nlohmann::json_sax<json> {
 public:
  std::vector<Entry> TakeEntries() { return std::move(entries_); }
  const std::string& fault() const { return fault_; }

  bool start_object(std::size_t /*size*/) override {
    if (place_ == Place::kStart) {
      return Enter(Place::kTop);
    }
    if (place_ != Place::kClients) {
      return Misplaced();
    }
    if (entries_.size() == kMaxEntries) {
      return Fail("more than " + std::to_string(kMaxEntries) + " clients");
    }
    entries_.emplace_back();
    seen_ = 0;
    field_.reset();
    return Enter(Place::kClient);
  }

  bool key(string_t& key) override {
    if (place_ == Place::kTop) {
      if (key != "clients") {
        return Fail("an unknown key beside clients");
      }
      return have_clients_ ? Fail("the key clients is repeated") : (have_clients_ = true);
    }
    field_ = FieldNamed(key);
    if (!field_) {
      return FailClient("has an unknown key");
    }
    if ((seen_ & *field_) != 0) {
      return FailClient("repeats the key " + std::string(key));
    }
    seen_ |= *field_;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ == Place::kTop) {
      return Enter(Place::kClients);
    }
    return place_ == Place::kClient && field_ == kScopes ? Enter(Place::kScopeList) : Misplaced();
  }

  bool end_array() override { return Enter(place_ == Place::kScopeList ? Place::kClient : Place::kTop); }

  bool end_object() override {
    if (place_ == Place::kTop) {
      return have_clients_ ? Enter(Place::kEnd) : Fail("the key clients is missing");
    }
    if ((seen_ & kRequired) != kRequired) {
      return FailClient("lacks id, token_sha256 or scopes");
    }
    if (std::string fault = NormalizeEntry(entries_.back()); !fault.empty()) {
      return FailClient(fault);
    }
    return Enter(Place::kClients);
  }

  bool string(string_t& value) override {
    if (place_ == Place::kScopeList) {
      if (entries_.back().scopes.size() == kMaxScopes) {
        return FailClient("has more than " + std::to_string(kMaxScopes) + " scopes");
      }
      entries_.back().scopes.push_back(std::move(value));
      return true;
    }
    if (place_ != Place::kClient || (field_ != kId && field_ != kHash)) {
      return Misplaced();
    }
    (field_ == kId ? entries_.back().id : entries_.back().token_sha256) = std::move(value);
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kClient || field_ != kPaid) {
      return Misplaced();
    }
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) {
      return FailClient("has a paid_seconds_per_day above 9223372036854775807");
    }
    entries_.back().paid_seconds_per_day = static_cast<std::int64_t>(value);
    return true;
  }

  bool number_integer(number_integer_t /*value*/) override { return NotANumberHere(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return NotANumberHere(); }
  bool null() override { return Misplaced(); }
  bool boolean(bool /*value*/) override { return Misplaced(); }
  bool binary(binary_t& /*value*/) override { return Misplaced(); }

  // The parser's own text quotes the file, hashes included: only the position is kept.
  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& /*cause*/) override {
    return Fail("not one JSON object: wrong at byte " + std::to_string(position));
  }

 private:
  enum class Place { kStart, kTop, kClients, kClient, kScopeList, kEnd };

  bool Enter(Place place) {
    place_ = place;
    return true;
  }
  bool Fail(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }
  bool FailClient(std::string_view fault) {
    return Fail("client " + std::to_string(entries_.size()) + " " + std::string(fault));
  }
  bool Misplaced() {
    switch (place_) {
      case Place::kStart:
      case Place::kEnd: return Fail("not a JSON object");
      case Place::kTop: return Fail("clients is not an array");
      case Place::kClients: return Fail("clients holds something that is not an object");
      case Place::kClient:
      case Place::kScopeList: return FailClient("has a value of the wrong type");
    }
    return Fail("not a registry");  // unreachable: the switch is complete
  }
  bool NotANumberHere() {
    return place_ == Place::kClient && field_ == kPaid
               ? FailClient("has a paid_seconds_per_day that is not a whole number of 0 or more")
               : Misplaced();
  }

  Place place_ = Place::kStart;
  bool have_clients_ = false;
  unsigned seen_ = 0;
  std::optional<Field> field_;
  std::vector<Entry> entries_;
  std::string fault_;
};

// Rules between entries: one id, one hash, one caller.
std::string CollisionIn(const std::vector<Entry>& entries) {
  std::set<std::string_view> ids;
  std::set<std::string_view> hashes;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!ids.insert(entries[i].id).second) {
      return "client " + std::to_string(i + 1) + " has the id of an earlier one";
    }
    if (!hashes.insert(entries[i].token_sha256).second) {
      return "client " + std::to_string(i + 1) + " has the token of an earlier one";
    }
  }
  return {};
}

base::Fault Broken(std::string rule) { return {base::FaultKind::kInternal, std::move(rule)}; }

}  // namespace

base::Result<std::vector<Entry>> ParseRegistry(std::string_view text) {
  if (text.size() > kMaxRegistryBytes) {
    return Broken(std::to_string(text.size()) + " bytes, limit " + std::to_string(kMaxRegistryBytes));
  }
  Reader reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader)) {
    return Broken(reader.fault());
  }
  std::vector<Entry> entries = reader.TakeEntries();
  if (std::string collision = CollisionIn(entries); !collision.empty()) {
    return Broken(std::move(collision));
  }
  return entries;
}

}  // namespace plimsoll::callers
