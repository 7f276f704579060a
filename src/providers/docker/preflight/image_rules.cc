#include "providers/docker/preflight/image_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "providers/docker/engine/names.h"
#include "providers/docker/preflight/platform_name.h"
#include "providers/docker/preflight/wording.h"

namespace plimsoll::docker {
namespace {

constexpr std::array<std::string_view, 4> kReadBeforeMain = {"GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "GCONV_PATH"};
constexpr std::array<std::string_view, 2> kManifestTypes = {"application/vnd.oci.image.manifest.v1+json",
                                                            "application/vnd.docker.distribution.manifest.v2+json"};

std::string Subject(std::string_view reference) { return "image " + Shown(reference); }

base::Status CheckEnvironment(std::string_view reference, const EngineImage& image) {
  for (const std::string& entry : image.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      return NotProven(Subject(reference), "its environment has an entry that is not NAME=value, " + Shown(entry) +
                                               "; build it without that entry");
    }
    if (IsReadBeforeMain(std::string_view(entry).substr(0, equals))) {
      return NotProven(Subject(reference), "its environment sets " + Shown(entry.substr(0, equals)) +
                                               ", which is read before a program begins; build it without that entry");
    }
  }
  return base::Ok();
}

}  // namespace

bool IsReadBeforeMain(std::string_view name) {
  return name.starts_with("LD_") ||
         std::find(kReadBeforeMain.begin(), kReadBeforeMain.end(), name) != kReadBeforeMain.end();
}

base::Status CheckImage(std::string_view reference, const EngineImage& image) {
  if (!IsSha256Id(image.id)) {
    return NotProven(Subject(reference), "its id is not sha256: and 64 hex digits; use an engine that states one");
  }
  if (image.os != "linux") {
    return NotProven(Subject(reference), "is for " + Shown(image.os) + ", linux is needed; use another image");
  }
  if (!image.volumes.empty()) {
    return NotProven(Subject(reference), "declares VOLUME " + Shown(image.volumes.front()) +
                                             ", for which docker makes a writable folder without a bound on the host; "
                                             "build it without VOLUME");
  }
  return CheckEnvironment(reference, image);
}

base::Result<std::string> SoftwareIdentity(std::string_view reference, const EngineImage& image, ImageStore store,
                                           std::string_view platform) {
  if (store == ImageStore::kClassic) {
    return std::string();
  }
  const bool is_manifest =
      std::find(kManifestTypes.begin(), kManifestTypes.end(), image.descriptor_media_type) != kManifestTypes.end();
  const std::string stated = PlatformName(image.os, image.architecture, image.variant);
  if (!is_manifest || image.descriptor_digest != image.id || stated != platform) {
    return NotProven(Subject(reference), "the engine's containerd store does not prove its manifest for " +
                                             std::string(platform) +
                                             "; use Engine 28.1 or newer and an image of this platform");
  }
  return "oci-manifest:" + stated + "@" + image.descriptor_digest;
}

}  // namespace plimsoll::docker
