#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::client {

// Remembers the first field that could not be read. One for a whole message, shared by the readers of its parts.
class Problems {
 public:
  void Note(std::string_view field) {
    if (first_.empty()) {
      first_ = field;
    }
  }
  bool any() const { return !first_.empty(); }
  // Our own name of the field, never text of the answer.
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

// The fields of one proto3 JSON object, by their lowerCamel names; the original names are read as the same fields, and
// both at once is a problem. An absent field and a null have the default value. A field of the wrong type is noted in
// `problems` and read as the default.
class JsonMessage {
 public:
  // `object` and `problems` outlive the reader. Anything but an object is a problem of `name`.
  JsonMessage(const nlohmann::json& object, std::string_view name, Problems& problems);

  // The value of a field, or null when it is absent.
  const nlohmann::json* Find(std::string_view camel) const;
  bool Has(std::string_view camel) const { return Find(camel) != nullptr; }

  std::string Text(std::string_view camel) const;
  // Base64, standard or URL-safe, with or without padding.
  std::string Bytes(std::string_view camel) const;
  bool Flag(std::string_view camel) const;
  // A number or a quoted number.
  std::int32_t Int32(std::string_view camel) const {
    return static_cast<std::int32_t>(Signed(camel, Bound<std::int32_t>()));
  }
  std::int64_t Int64(std::string_view camel) const { return Signed(camel, Bound<std::int64_t>()); }
  std::uint32_t Uint32(std::string_view camel) const {
    return static_cast<std::uint32_t>(Unsigned(camel, std::numeric_limits<std::uint32_t>::max()));
  }
  std::uint64_t Uint64(std::string_view camel) const {
    return Unsigned(camel, std::numeric_limits<std::uint64_t>::max());
  }
  double Number(std::string_view camel) const;
  // The index of the value in `names`, given by name or by number. Any other is a problem.
  std::size_t Enum(std::string_view camel, std::string_view prefix, std::span<const std::string_view> names) const;

  // The same for an enum that grows: nothing for a number or a name with that prefix that is none of `names`.
  std::optional<std::size_t> GrowingEnum(std::string_view camel, std::string_view prefix,
                                         std::span<const std::string_view> names) const;

  std::vector<std::string> Texts(std::string_view camel) const;
  std::vector<double> Numbers(std::string_view camel) const;
  std::vector<std::uint32_t> Uint32s(std::string_view camel) const;
  // Calls `read` with a reader of each element of a repeated message.
  template <typename Read>
  void Each(std::string_view camel, Read read) const {
    for (const nlohmann::json& element : List(camel)) {
      read(JsonMessage(element, camel, *problems_));
    }
  }
  // A reader of a message field, which must be there.
  JsonMessage Message(std::string_view camel) const;

 private:
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };
  template <typename T>
  static constexpr Range Bound() {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  }
  std::int64_t Signed(std::string_view camel, Range range) const;
  std::uint64_t Unsigned(std::string_view camel, std::uint64_t high) const;
  // The elements of a repeated field; an empty list when it is absent or no list.
  const nlohmann::json& List(std::string_view camel) const;

  const nlohmann::json* object_;
  Problems* problems_;
};

}  // namespace plimsoll::client
