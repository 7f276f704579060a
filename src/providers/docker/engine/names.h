#pragma once

#include <string>
#include <string_view>

namespace plimsoll::docker {

// What may stand in the path or the query of a call. Everything else is refused before it is written anywhere.

// 64 lowercase hex digits.
bool IsContainerId(std::string_view text);
// Docker's own rule for names, 2 to 128 bytes: [a-zA-Z0-9][a-zA-Z0-9_.-]+
bool IsContainerName(std::string_view text);
// A reference to an image, 1 to 512 bytes of [a-zA-Z0-9._:/@-], with no path segment that is empty, `.` or `..`, and
// not beginning with `-`. Narrow enough for a path; the engine judges the rest.
bool IsImageReference(std::string_view text);
// A label's name: 1 to 256 bytes of [a-zA-Z0-9._/-].
bool IsLabelName(std::string_view text);
// `sha256:` and 64 lowercase hex digits.
bool IsSha256Id(std::string_view text);

// Percent-encodes every byte outside [a-zA-Z0-9._~-].
std::string PercentEncode(std::string_view text);

}  // namespace plimsoll::docker
