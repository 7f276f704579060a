#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plimsoll::wasm {

// Promises that were rejected and have no handler yet, in order. Bounded: past kMost only their number is kept, so that
// a guest cannot make the host's side grow. Trivially destructible.
class Rejections {
 public:
  static constexpr std::size_t kMost = 256;

  struct Entry {
    std::uint64_t promise;         // the engine's value; names the promise while the handle keeps it alive
    std::uint32_t promise_handle;  // owned by this list
    std::uint32_t reason_handle;   // owned by this list
  };

  void Clear() { *this = Rejections(); }

  // Keeps the entry, or says false when there is no room; then the caller keeps the handles.
  bool Add(const Entry& entry) {
    if (count_ == kMost) {
      ++uncounted_;
      return false;
    }
    entries_[count_++] = entry;
    return true;
  }

  // Takes out the entry of `promise`; false when it is not listed. Then it was one of those past kMost.
  bool Remove(std::uint64_t promise, Entry& removed) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (entries_[i].promise == promise) {
        removed = entries_[i];
        for (std::size_t j = i + 1; j < count_; ++j) {
          entries_[j - 1] = entries_[j];
        }
        --count_;
        return true;
      }
    }
    uncounted_ -= uncounted_ == 0 ? 0 : 1;
    return false;
  }

  bool empty() const { return count_ == 0 && uncounted_ == 0; }
  // The oldest entry that is kept, or null when none is.
  const Entry* first() const { return count_ == 0 ? nullptr : entries_.data(); }

 private:
  std::array<Entry, kMost> entries_{};
  std::size_t count_ = 0;
  std::uint64_t uncounted_ = 0;
};

}  // namespace plimsoll::wasm
