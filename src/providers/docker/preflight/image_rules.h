#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "providers/docker/engine/engine.h"

namespace plimsoll::docker {

// What an image must be so that a container of it is what we asked for and no more (providers-local.md 6.1 step 8): an
// id of sha256, no volume (docker would make an unbounded writable folder of the host for it), environment entries of
// the form NAME=value, and none that a loader or C library reads before main. Refuses kNotProven, naming `reference`.
base::Status CheckImage(std::string_view reference, const EngineImage& image);

// Whether the loader or the C library reads the variable before main.
bool IsReadBeforeMain(std::string_view name);

// `oci-manifest:<platform>@sha256:<64 hex>` where the engine proves which manifest the image is (11.1); empty on the
// classic store. `platform` is the normal form of the platform that was asked for. Refuses kNotProven when a
// containerd store proves none: identity never disappears by an error.
enum class ImageStore { kClassic, kContainerd };
base::Result<std::string> SoftwareIdentity(std::string_view reference, const EngineImage& image, ImageStore store,
                                           std::string_view platform);

}  // namespace plimsoll::docker
