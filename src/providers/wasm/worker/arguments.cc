#include "providers/wasm/worker/arguments.h"

#include <charconv>
#include <string_view>

#include "providers/wasm/engine/limits.h"

namespace plimsoll::wasm {
namespace {

constexpr std::uint32_t kHighestSocket = 255;
// What an operator may set; the worker goes one page below (kMaxPages).
constexpr std::uint32_t kFourGiBPages = 65536;

std::optional<std::uint32_t> Number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<Arguments> ReadArguments(int argc, const char* const* argv) {
  if (argc != 3) {
    return std::nullopt;
  }
  const auto socket = Number(argv[1]);
  const auto pages = Number(argv[2]);
  if (!socket || *socket > kHighestSocket || !pages || *pages < kMinPages || *pages > kFourGiBPages) {
    return std::nullopt;
  }
  return Arguments{.socket = static_cast<int>(*socket), .pages = *pages};
}

}  // namespace plimsoll::wasm
