#pragma once

#include <mutex>
#include <utility>

namespace plimsoll::base {

// A value that can be reached only while its lock is held.
template <typename T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  class Locked {
   public:
    T* operator->() { return &value_; }
    T& operator*() { return value_; }
    // For waiting on a condition variable; the value must not be touched while the lock is given up.
    std::unique_lock<std::mutex>& lock() { return lock_; }

   private:
    friend class Guarded;
    Locked(std::mutex& mutex, T& value) : lock_(mutex), value_(value) {}
    std::unique_lock<std::mutex> lock_;
    T& value_;
  };

  [[nodiscard]] Locked Lock() { return Locked(mutex_, value_); }

 private:
  std::mutex mutex_;
  T value_{};  // never indeterminate, whatever T is
};

}  // namespace plimsoll::base
