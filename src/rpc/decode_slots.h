#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cleanup.h"

namespace plimsoll::rpc {

// How many requests are read and decoded at once, of all callers and of one. A slot is never waited for: what is not
// free is refused, before a byte of the body is read. Methods may be called from any thread.
class DecodeSlots {
 public:
  // One caller may hold half of `total`, and at least one.
  explicit DecodeSlots(int total);

  // A slot, given back when the Cleanup is released, which may be after this object is gone; nothing when none is free.
  std::optional<base::Cleanup> Take(std::string_view principal);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the slots that are out, which an open connection may hold longer
};

}  // namespace plimsoll::rpc
