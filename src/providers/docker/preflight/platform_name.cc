#include "providers/docker/preflight/platform_name.h"

#include <array>
#include <span>

#include "providers/docker/engine/platform.h"

namespace plimsoll::docker {
namespace {

struct Alias {
  std::string_view architecture;
  std::string_view variant;
  std::string_view normal_architecture;
  std::string_view normal_variant;
};

// Names of an architecture, then names of a variant within one. `*` stands for the variant given.
constexpr std::array kArchitectures = {
    Alias{"aarch64", "*", "arm64", "*"}, Alias{"x86_64", "*", "amd64", "*"}, Alias{"x86-64", "*", "amd64", "*"},
    Alias{"i386", "*", "386", "*"},      Alias{"armhf", "*", "arm", "v7"},   Alias{"armel", "*", "arm", "v6"},
};
constexpr std::array kVariants = {
    Alias{"arm", "", "arm", "v7"},     Alias{"arm64", "v8", "arm64", ""},     Alias{"arm64", "v8.0", "arm64", ""},
    Alias{"amd64", "v1", "amd64", ""}, Alias{"arm64", "v9.0", "arm64", "v9"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

void Apply(std::span<const Alias> aliases, std::string& architecture, std::string& variant) {
  for (const Alias& alias : aliases) {
    if (architecture == alias.architecture && (alias.variant == "*" || variant == alias.variant)) {
      architecture = alias.normal_architecture;
      variant = alias.normal_variant == "*" ? variant : std::string(alias.normal_variant);
      return;
    }
  }
}

}  // namespace

std::string PlatformName(std::string_view os, std::string_view architecture, std::string_view variant) {
  std::string normal_architecture = Lower(architecture);
  std::string normal_variant = Lower(variant);
  Apply(kArchitectures, normal_architecture, normal_variant);
  Apply(kVariants, normal_architecture, normal_variant);
  std::string name = Lower(os) + "/" + normal_architecture;
  return normal_variant.empty() ? name : name + "/" + normal_variant;
}

std::optional<std::string> ParsePlatformName(std::string_view text) {
  const auto platform = ParsePlatform(text);
  if (!platform) {
    return std::nullopt;
  }
  return PlatformName(platform->os, platform->architecture, platform->variant);
}

}  // namespace plimsoll::docker
