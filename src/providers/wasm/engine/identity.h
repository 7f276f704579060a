#pragma once

#include <string_view>

namespace plimsoll::wasm {

// Names the engine's module file by its bytes. The build reads the digest from here and refuses any other module, so
// the identity that is stated and the code that runs cannot part.
inline constexpr std::string_view kEngineIdentity =
    "quickjs-wasm:sha256:d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9";

// The engine in that module, by name and version.
inline constexpr std::string_view kEngineVersion = "quickjs-ng 0.17.0";

}  // namespace plimsoll::wasm
