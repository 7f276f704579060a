// Any bytes an engine may answer with: parsed whole within the bounds, or malformed, and nothing else.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "providers/docker/engine/answers.h"
#include "providers/docker/engine/members.h"
#include "providers/docker/engine/names.h"

namespace {

using namespace plimsoll::docker;  // NOLINT(google-build-using-namespace): one target, one file

template <typename T>
void WhyIsShort(const Parsed<T>& parsed) {
  if (const auto* malformed = std::get_if<Malformed>(&parsed)) {
    PLIMSOLL_CHECK(!malformed->why.empty() && malformed->why.size() < 200);
  }
}

void CheckList(std::string_view text) {
  const auto parsed = ParseList(text);
  WhyIsShort(parsed);
  if (const auto* listed = std::get_if<std::vector<ContainerListed>>(&parsed)) {
    for (const ContainerListed& one : *listed) {
      PLIMSOLL_CHECK(IsContainerId(one.id));
      PLIMSOLL_CHECK(one.names.size() <= kMaxItems && one.labels.size() <= kMaxItems);
    }
  }
}

void CheckImage(std::string_view text) {
  const auto parsed = ParseImage(text);
  WhyIsShort(parsed);
  if (const auto* image = std::get_if<EngineImage>(&parsed)) {
    PLIMSOLL_CHECK(IsSha256Id(image->id));
    for (const std::string& entry : image->environment) {
      PLIMSOLL_CHECK(entry.size() <= kMaxText && entry.find('\0') == std::string::npos);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);  // NOLINT: the fuzzer's type
  switch (data[0]) {
    case 'v': WhyIsShort(ParseVersion(text)); break;
    case 'i': WhyIsShort(ParseInfo(text)); break;
    case 'm': CheckImage(text); break;
    case 'c': WhyIsShort(ParseCreated(text)); break;
    case 's': WhyIsShort(ParseContainer(text)); break;
    case 'r': WhyIsShort(ParseRecord(text)); break;
    case 'l': CheckList(text); break;
    default: PLIMSOLL_CHECK(ErrorText(text).size() <= 1024); break;
  }
  return 0;
}
