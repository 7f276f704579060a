#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace plimsoll::guest {

// The places a guest may write to, which a budget of a kept sandbox counts.
inline constexpr std::initializer_list<const char*> kWritablePlaces = {"/tmp", "/work", "/dev/shm"};

// The bytes taken on the file systems at `places`, summed, with those of files that are deleted and still open. Nothing
// when one of them cannot be asked.
std::optional<std::uint64_t> UsedBytes(std::initializer_list<const char*> places);

}  // namespace plimsoll::guest
