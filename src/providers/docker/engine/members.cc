#include "providers/docker/engine/members.h"

namespace plimsoll::docker {

using nlohmann::json;

void Breach::Note(std::string_view member, std::string_view rule) {
  if (!found()) {
    why_.append("`").append(member).append("` ").append(rule);
  }
}

Members::Members(const json& value, std::string_view where, Breach& breach) : where_(where), breach_(breach) {
  if (value.is_object()) {
    object_ = &value;
  } else {
    breach_.Note(where, "is not an object");
  }
}

void Members::Note(std::string_view name, std::string_view rule) const {
  breach_.Note(where_ + "." + std::string(name), rule);
}

const json* Members::Find(std::string_view name, Need need) const {
  if (object_ == nullptr) {
    return nullptr;
  }
  const auto found = object_->find(name);
  if (found == object_->end() || found->is_null()) {
    if (need == Need::kRequired) {
      Note(name, "is missing");
    }
    return nullptr;
  }
  return &*found;
}

std::string Members::TextIn(const json& value, std::string_view name, std::size_t most) const {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) {
    Note(name, "is not a text");
    return {};
  }
  if (text->size() > most) {
    Note(name, "has more than " + std::to_string(most) + " bytes");
    return {};
  }
  if (text->find('\0') != std::string::npos) {
    Note(name, "holds a NUL");
    return {};
  }
  return *text;
}

std::string Members::Text(std::string_view name, Need need, std::size_t most) const {
  const json* value = Find(name, need);
  return value == nullptr ? std::string() : TextIn(*value, name, most);
}

bool Members::Flag(std::string_view name) const {
  const json* value = Find(name, Need::kRequired);
  if (value == nullptr) {
    return false;
  }
  if (!value->is_boolean()) {
    Note(name, "is not true or false");
    return false;
  }
  return *value->get_ptr<const bool*>();
}

std::int64_t Members::Integer(std::string_view name) const {
  const json* value = Find(name, Need::kRequired);
  if (value == nullptr) {
    return 0;
  }
  // Signed covers what fits; an unsigned number above that has its own type and is refused.
  const auto* number = value->get_ptr<const json::number_integer_t*>();
  const auto* large = value->get_ptr<const json::number_unsigned_t*>();
  if (number == nullptr || (large != nullptr && *large > std::uint64_t{INT64_MAX})) {
    Note(name, "is not an integer of 64 bits");
    return 0;
  }
  return *number;
}

const json* Members::Object(std::string_view name, Need need) const {
  const json* value = Find(name, need);
  if (value == nullptr || value->is_object()) {
    return value;
  }
  Note(name, "is not an object");
  return nullptr;
}

const json* Members::Array(std::string_view name) const {
  const json* value = Find(name, Need::kOptional);
  if (value == nullptr) {
    return nullptr;
  }
  if (!value->is_array()) {
    Note(name, "is not a list");
    return nullptr;
  }
  if (value->size() > kMaxItems) {
    Note(name, "has more than " + std::to_string(kMaxItems) + " items");
    return nullptr;
  }
  return value;
}

std::vector<std::string> Members::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  if (const json* list = Array(name); list != nullptr) {
    texts.reserve(list->size());
    for (const json& item : *list) {
      texts.push_back(TextIn(item, name, kMaxText));
    }
  }
  return texts;
}

std::map<std::string, std::string> Members::TextsByName(std::string_view name) const {
  std::map<std::string, std::string> texts;
  const json* object = Object(name, Need::kOptional);
  if (object == nullptr) {
    return texts;
  }
  if (object->size() > kMaxItems) {
    Note(name, "has more than " + std::to_string(kMaxItems) + " items");
    return texts;
  }
  for (const auto& item : object->items()) {
    texts.emplace(item.key(), TextIn(item.value(), name, kMaxText));
  }
  return texts;
}

std::vector<std::string> Members::Keys(std::string_view name) const {
  std::vector<std::string> keys;
  if (const json* object = Object(name, Need::kOptional); object != nullptr) {
    for (const auto& item : object->items()) {
      keys.push_back(item.key());
    }
  }
  return keys;
}

}  // namespace plimsoll::docker
