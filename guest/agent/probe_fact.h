#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::guest {

// One line of JSON, `{"probe":"<name>",...}`: what a probe found, in the order it was added. Keys are plain words of
// ours.
class Fact {
 public:
  explicit Fact(std::string_view probe);

  Fact& Text(std::string_view key, std::string_view value);
  Fact& Number(std::string_view key, std::int64_t value);
  Fact& Texts(std::string_view key, std::span<const std::string> values);
  // A list of lists of texts, one inner list for each row.
  Fact& Rows(std::string_view key, std::span<const std::vector<std::string>> rows);
  // `"ok"` for 0, else the name of the error, `"EROFS"`.
  Fact& Error(std::string_view key, int error);

  // Writes the line to stdout whole. What cannot be written ends the process with 74: nobody hears it.
  void Print() const;

 private:
  void Key(std::string_view key);
  std::string line_;
};

}  // namespace plimsoll::guest
