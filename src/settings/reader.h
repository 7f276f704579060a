#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/environment.h"
#include "settings/table.h"
#include "settings/value_syntax.h"

namespace plimsoll::settings {

// Why the daemon does not start. `setting` is the variable to change; the message never holds a secret.
struct StartError {
  std::string setting;
  std::string message;
  friend bool operator==(const StartError&, const StartError&) = default;
};

// Reads settings by the syntax and the bounds of the table. Each bad value becomes one StartError and reads as unset,
// so one pass finds all of them (SET-2). A setting read as absent was unset and has no default.
class SettingsReader {
 public:
  // Both must outlive the reader.
  SettingsReader(const Environment& environment, std::vector<StartError>& errors)
      : environment_(environment), errors_(errors) {}

  std::optional<std::int64_t> Int(Id id);  // kInt and kMegabytes
  std::optional<double> Float(Id id);
  bool Bool(Id id);
  std::optional<std::chrono::nanoseconds> Duration(Id id);  // kSessionIdle: 0 is allowed below its range
  std::optional<Address> ListenAddress(Id id);              // absent for `off` too
  std::optional<std::string> Choice(Id id);                 // in lower case, one of the choices
  std::optional<std::string> Text(Id id);                   // kString and kPath: as it is; absent when empty

  // The text in force before parsing: the variable when set, else the default; absent without either.
  std::optional<std::string_view> Source(Id id) const;
  // True when the variable holds more than white space; for kString and kPath, anything at all.
  bool IsSet(Id id) const;

 private:
  template <typename T>
  std::optional<T> Take(Id id, base::Result<T> parsed);

  const Environment& environment_;
  std::vector<StartError>& errors_;
};

}  // namespace plimsoll::settings
