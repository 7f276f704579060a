#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::docker {

// `os/arch` or `os/arch/variant` in the one form that stands for the platform whatever it is called elsewhere
// (providers-local.md 11.1): lower case; aarch64 is arm64; x86_64 and x86-64 are amd64; i386 is 386; armhf is arm/v7,
// armel arm/v6, arm alone arm/v7; arm64's v8 and v8.0 and amd64's v1 are left out; arm64's v9.0 is v9.
std::string PlatformName(std::string_view os, std::string_view architecture, std::string_view variant);

// The same for a platform as written (engine/platform.h); nothing for any other text.
std::optional<std::string> ParsePlatformName(std::string_view text);

}  // namespace plimsoll::docker
