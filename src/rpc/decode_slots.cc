#include "rpc/decode_slots.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/guarded.h"

namespace plimsoll::rpc {

struct DecodeSlots::State {
  struct Held {
    int all = 0;
    std::map<std::string, int, std::less<>> by_caller;  // only callers that hold a slot, so it is bounded by `total`
  };
  explicit State(int slots) : total(std::max(1, slots)), per_caller(std::max(1, total / 2)) {}

  const int total;
  const int per_caller;
  base::Guarded<Held> held;

  void GiveBack(const std::string& principal) {
    auto now = held.Lock();
    --now->all;
    const auto caller = now->by_caller.find(principal);
    if (--caller->second == 0) {
      now->by_caller.erase(caller);
    }
  }
};

DecodeSlots::DecodeSlots(int total) : state_(std::make_shared<State>(total)) {}

std::optional<base::Cleanup> DecodeSlots::Take(std::string_view principal) {
  {
    auto now = state_->held.Lock();
    const auto caller = now->by_caller.find(principal);
    const int own = caller == now->by_caller.end() ? 0 : caller->second;
    if (now->all >= state_->total || own >= state_->per_caller) {
      return std::nullopt;
    }
    ++now->all;
    if (caller == now->by_caller.end()) {
      now->by_caller.emplace(principal, 1);
    } else {
      ++caller->second;
    }
  }
  return base::Cleanup([state = state_, name = std::string(principal)] { state->GiveBack(name); });
}

}  // namespace plimsoll::rpc
