#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plimsoll::docker {

// One JSON object whose values are texts, whole numbers, lists of texts, or lists of lists of texts.
using FlatList = std::vector<std::string>;
using FlatRows = std::vector<std::vector<std::string>>;
using FlatValue = std::variant<std::string, std::int64_t, FlatList, FlatRows>;
using FlatObject = std::map<std::string, FlatValue, std::less<>>;

// The object in `text`, which must be exactly one. Nothing on any other JSON, a repeated key, more than 32 keys, more
// than 1024 members of a list, or a text of more than 1024 bytes or with a byte outside printable ASCII. An empty list
// is a FlatList. Not engine/bounded_json, which ignores what it is not asked for and keeps the last of a repeated key:
// here everything that was said is of its form or the whole is refused (PRB-2).
std::optional<FlatObject> ParseFlat(std::string_view text);

}  // namespace plimsoll::docker
