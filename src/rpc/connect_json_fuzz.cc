// Any text through the JSON reader: it answers or refuses, and what it accepts it writes in a form that it reads back
// as the same message.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/decode.h"
#include "rpc/encode_json.h"

namespace plimsoll::rpc {
namespace {

template <typename Message>
void Check(std::string_view text) {
  Message message;
  const base::Status decoded = DecodeJson(text, Unknown::kIgnored, message);
  Message strict;
  const bool strictly = DecodeJson(text, Unknown::kRefused, strict).has_value();
  PLIMSOLL_CHECK(!strictly || decoded.has_value());
  if (!decoded) {
    PLIMSOLL_CHECK(base::IsUtf8(base::TextOf(decoded.error())));
    return;
  }
  const std::string written = EncodeJson(message);
  Message again;
  PLIMSOLL_CHECK(DecodeJson(written, Unknown::kRefused, again).has_value());
  // As bytes, so that the sign of a zero and the bits of a NaN count.
  PLIMSOLL_CHECK(message.SerializeAsString() == again.SerializeAsString());
}

}  // namespace
}  // namespace plimsoll::rpc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plimsoll::rpc::Check<plimsoll::v1::RunRequest>(text);
  plimsoll::rpc::Check<plimsoll::v1::RunResponse>(text);
  return 0;
}
