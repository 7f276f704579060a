#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "run/result.h"

namespace plimsoll::wasm {

// A run that happened: what the guest left and how long its code ran, from the order's hand-over to its end.
struct RunEnd {
  run::JavaScriptResult result;
  std::chrono::microseconds duration{0};
};

// A RunEnd; a Refusal, when no guest code ran; or a Fault, after which it may have.
using Outcome = base::Result<RunEnd>;
using OutcomeDone = base::UniqueFunction<void(Outcome)>;

// One run from the moment the pool took it until its outcome is told.
struct Ticket {
  std::uint64_t id = 0;
  std::string principal;
  std::string_view code;  // borrowed until `done` has returned
  std::array<std::byte, 32> seed{};
  base::SteadyTime deadline{};
  base::SteadyTime handed_at{};  // when the order left for a worker
  OutcomeDone done;
  // Tells the pool when the caller leaves. Reset before `done` is called, and never under the pool's lock: its
  // destructor waits for a call that is under way, which may want that lock.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

}  // namespace plimsoll::wasm
