#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The value syntax of daemon.md 2.1: one function a type, each total over any bytes. A failure is Fault kInternal whose
// text shows the value, cut and quoted, and the rule; none is called with a secret.
namespace plimsoll::settings {

// `text` without ASCII white space at either end; a value that is empty after this counts as unset.
std::string_view TrimmedValue(std::string_view text);

// ASCII letters in lower case, the rest unchanged.
std::string LowerCase(std::string_view text);

// `text` in double quotes for a message, at most 64 bytes of it.
std::string Quoted(std::string_view text);

// Base 10 digits with an optional sign, within 64 bits.
base::Result<std::int64_t> ParseInt(std::string_view text);

// A finite decimal number of 0 or more; no hex form, no NaN, no infinity.
base::Result<double> ParseFloat(std::string_view text);

// `0`, `false`, `1`, `true` in any case. Nothing else: a typo never switches a safeguard off.
base::Result<bool> ParseBool(std::string_view text);

// Decimal numbers with a unit each, `ns us ms s m h`, or a bare `0`; within 64 bits of nanoseconds, not negative.
base::Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

// `90s`, `1h30m`, `500ms`: the shortest form that ParseDuration reads back to the same value.
std::string DurationText(std::chrono::nanoseconds value);

// Where to listen. An empty host is every interface.
struct Address {
  std::string host;  // a name or an address, without brackets
  std::uint16_t port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

// `host:port`, `:port` or `[v6]:port`; port 0 to 65535.
base::Result<Address> ParseAddress(std::string_view text);

// The form ParseAddress reads, with `port` in place of the address's own.
std::string AddressText(const Address& address);

// True for `localhost`, 127.0.0.0/8 and ::1. An empty host is not loopback.
bool IsLoopback(const Address& address);

}  // namespace plimsoll::settings
