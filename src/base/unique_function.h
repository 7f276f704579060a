#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace plimsoll::base {

template <typename Signature>
class UniqueFunction;

// A callable that may own what cannot be copied. Spelled like std::move_only_function so that it can become one.
// Calling an empty one aborts.
template <typename R, typename... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;

  template <typename F>
    requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction> && std::is_invocable_r_v<R, F&, Args...>)
  UniqueFunction(F&& function)  // NOLINT(google-explicit-constructor): lambdas are passed as they are
      : target_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return target_ != nullptr; }

  R operator()(Args... args) {
    PLIMSOLL_CHECK(target_ != nullptr);
    return target_->Call(std::forward<Args>(args)...);
  }

 private:
  struct Target {
    virtual ~Target() = default;
    virtual R Call(Args... args) = 0;
  };
  template <typename F>
  struct Holder final : Target {
    explicit Holder(F given) : function(std::move(given)) {}
    R Call(Args... args) override { return function(std::forward<Args>(args)...); }
    F function;
  };

  std::unique_ptr<Target> target_;
};

}  // namespace plimsoll::base
