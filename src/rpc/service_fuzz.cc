// W52: any head and body through the whole service keeps every promise of BrokenPromise. The input is what
// ServeAnyRequest takes; the token of the tests, when the input has it, is a valid one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "rpc/any_request_for_test.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  PLIMSOLL_CHECK(plimsoll::rpc::test::BrokenPromise(plimsoll::rpc::test::ServeAnyRequest(input)).empty());
  return 0;
}
