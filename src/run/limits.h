#pragma once

#include <chrono>
#include <cstddef>

// The limits of wire.md 7, inclusive, in bytes of UTF-8 where nothing else is said. The daemon and the clients read the
// same numbers here.
namespace plimsoll::run {

inline constexpr std::size_t kMaxCodeBytes = 262'144;
inline constexpr std::size_t kMaxGrantProfileBytes = 128;
inline constexpr std::size_t kMaxFiles = 200;
inline constexpr std::size_t kMaxFileBytesTogether = 4'194'304;
inline constexpr std::size_t kMaxPathBytes = 1024;
inline constexpr std::size_t kMaxSteps = 20;
inline constexpr std::size_t kMaxStepBytes = 16'384;
inline constexpr std::size_t kMaxArtifacts = 100;
inline constexpr std::size_t kMaxTraceIdBytes = 64;
inline constexpr std::size_t kMaxSoftwareIdentities = 32;
inline constexpr std::size_t kMaxSoftwareIdentityBytes = 256;
inline constexpr std::size_t kMaxModelBytes = 64;
inline constexpr std::size_t kMaxRows = 100'000;
inline constexpr std::size_t kMaxRowWidth = 64;
inline constexpr double kMaxModuleSteps = 1'000'000;
inline constexpr double kMaxModuleResultBytes = 8'388'608;
inline constexpr std::chrono::milliseconds kMaxTimeout{300'000};

}  // namespace plimsoll::run
