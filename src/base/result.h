#pragma once

#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace plimsoll::base {

// A value, or the error that stands in its place. Spelled like std::expected so that it can become one.
// Reading the side that is not there aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor): reads as a return
  Result(Refusal refusal) : state_(Error(std::move(refusal))) {}  // NOLINT(google-explicit-constructor): same
  Result(Fault fault) : state_(Error(std::move(fault))) {}        // NOLINT(google-explicit-constructor): same
  Result(Error error) : state_(std::move(error)) {}               // NOLINT(google-explicit-constructor): same

  bool has_value() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return has_value(); }

  T& value() & PLIMSOLL_LIFETIMEBOUND {
    PLIMSOLL_CHECK(has_value());
    return *std::get_if<T>(&state_);
  }
  const T& value() const& PLIMSOLL_LIFETIMEBOUND {
    PLIMSOLL_CHECK(has_value());
    return *std::get_if<T>(&state_);
  }
  T&& value() && PLIMSOLL_LIFETIMEBOUND {
    PLIMSOLL_CHECK(has_value());
    return std::move(*std::get_if<T>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& PLIMSOLL_LIFETIMEBOUND {
    PLIMSOLL_CHECK(!has_value());
    return *std::get_if<Error>(&state_);
  }
  Error&& error() && PLIMSOLL_LIFETIMEBOUND {
    PLIMSOLL_CHECK(!has_value());
    return std::move(*std::get_if<Error>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

// The result of an action that has no value.
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};
using Status = Result<Done>;

inline Status Ok() { return Done{}; }

// The refusal inside a result that failed, or null when it holds a value or a fault.
template <typename T>
const Refusal* RefusalIn(const Result<T>& result) {
  return result.has_value() ? nullptr : std::get_if<Refusal>(&result.error());
}

// The fault inside a result that failed, or null when it holds a value or a refusal.
template <typename T>
const Fault* FaultIn(const Result<T>& result) {
  return result.has_value() ? nullptr : std::get_if<Fault>(&result.error());
}

}  // namespace plimsoll::base
