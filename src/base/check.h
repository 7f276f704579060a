#pragma once

namespace plimsoll::base {

// Prints the failed condition and aborts. Only PLIMSOLL_CHECK calls it.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace plimsoll::base

// Aborts in every build when `condition` is false. For our own mistakes only, never for input or environment.
#define PLIMSOLL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::plimsoll::base::CheckFailed(#condition, __FILE__, __LINE__))

// Marks a function whose returned view lives as long as its argument. Empty on g++, which rejects the attribute.
#if defined(__clang__)
#define PLIMSOLL_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define PLIMSOLL_LIFETIMEBOUND
#endif
