#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::rpc {

enum class InflateProblem { kMalformed, kTooLarge };

struct Inflated {
  std::string bytes;
  std::optional<InflateProblem> problem;
};

// Unpacks one or more gzip members. Stops as soon as the output passes `limit` bytes, so that memory stays bounded by
// it whatever the input claims.
Inflated GzipInflate(std::string_view packed, std::size_t limit);

// Packs at the fastest level.
std::string GzipDeflate(std::string_view bytes);

}  // namespace plimsoll::rpc
