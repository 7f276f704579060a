#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::docker {

// Most bytes of one text: the kernel's own bound for one string of an environment.
inline constexpr std::size_t kMaxText = 128 * 1024;
inline constexpr std::size_t kMaxName = 4096;     // of a name, a path, a version
inline constexpr std::size_t kMaxItems = 10'000;  // of one list or map

// What was wrong first with one document, in words that hold none of it but the names of members that we asked for.
class Breach {
 public:
  void Note(std::string_view member, std::string_view rule);
  bool found() const { return !why_.empty(); }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

// Whether a member may be missing or null, which reads as empty.
enum class Need { kRequired, kOptional };

// Typed reading of one JSON object. A member of another type or over a bound is a breach, and reads as empty. Members
// that nobody asks for are ignored. Both arguments must outlive it.
class Members {
 public:
  // `value` that is no object is a breach named `where`.
  Members(const nlohmann::json& value, std::string_view where, Breach& breach);

  std::string Text(std::string_view name, Need need, std::size_t most = kMaxName) const;
  bool Flag(std::string_view name) const;                                       // required
  std::int64_t Integer(std::string_view name) const;                            // required
  std::vector<std::string> Texts(std::string_view name) const;                  // optional
  std::map<std::string, std::string> TextsByName(std::string_view name) const;  // optional
  std::vector<std::string> Keys(std::string_view name) const;                   // optional; values are not looked at
  // Null when it is missing, null or another type; the latter is a breach.
  const nlohmann::json* Object(std::string_view name, Need need) const;
  const nlohmann::json* Array(std::string_view name) const;  // optional

 private:
  // Null when it is missing or null, which is a breach when it is required.
  const nlohmann::json* Find(std::string_view name, Need need) const;
  void Note(std::string_view name, std::string_view rule) const;
  std::string TextIn(const nlohmann::json& value, std::string_view name, std::size_t most) const;

  const nlohmann::json* object_ = nullptr;
  std::string where_;
  Breach& breach_;
};

}  // namespace plimsoll::docker
