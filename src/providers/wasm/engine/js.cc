#include "providers/wasm/engine/js.h"

#include <cstring>

namespace plimsoll::wasm {

Address Js::StringIn(std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const Address copy = Z_quickjsZ_wasm_malloc(api(), size + 1);
  const auto room = copy == 0 ? std::nullopt : machine_.Bytes(copy, size + 1);
  if (!room) {
    return 0;
  }
  std::memcpy(room->data(), text.data(), size);
  room->back() = 0;
  return copy;
}

bool Js::Threw(Address handle) { return handle == 0 || Z_quickjsZ_qjs_is_exception(api(), handle) != 0; }

bool Js::Evaluate(std::string_view text, Address file_name, std::uint32_t flags) {
  const Address code = StringIn(text);
  if (code == 0) {
    return false;
  }
  const Address result = Z_quickjsZ_qjs_eval(api(), code, static_cast<std::uint32_t>(text.size()), file_name, flags);
  Z_quickjsZ_wasm_free(api(), code);
  if (Threw(result)) {
    return false;
  }
  Z_quickjsZ_qjs_free_value(api(), result);
  return true;
}

bool Js::RunJobs() {
  while (Z_quickjsZ_qjs_is_job_pending(api()) != 0) {
    if (static_cast<std::int32_t>(Z_quickjsZ_qjs_execute_pending_job(api())) < 0) {
      return false;
    }
  }
  return true;
}

Address Js::Property(Address object, std::string_view name) {
  const Address text = StringIn(name);
  const Address value = Z_quickjsZ_qjs_get_prop_string(api(), object, text);
  Z_quickjsZ_wasm_free(api(), text);
  return value;
}

}  // namespace plimsoll::wasm
