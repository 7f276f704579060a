#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::wasm {

// The workers that wait for work, least recently used first. A worker that has held one principal's code is given to
// that principal only (POOL-1). A pure value. Lookups walk the shelf from its young end: it holds about as many workers
// as runs are admitted at once.
class IdleShelf {
 public:
  // Holds at most `limit` workers; Overflow names those that are too many.
  explicit IdleShelf(std::size_t limit) : limit_(limit) {}

  // A worker that has never held anyone's code.
  void PutFresh(std::uint64_t worker);
  void PutUsed(std::uint64_t worker, std::string principal);

  // Takes the worker that `principal` used last, else the youngest fresh one, else nothing.
  std::optional<std::uint64_t> Take(std::string_view principal);
  // Takes a worker off the shelf, where it is on it.
  void Remove(std::uint64_t worker);
  // Takes any worker, to be let go.
  std::optional<std::uint64_t> TakeAny();
  // Takes one worker while there are more than the limit: the used one that waits longest, else a fresh one.
  std::optional<std::uint64_t> TakeOverflow();

  std::size_t size() const { return workers_.size(); }
  std::size_t fresh() const { return fresh_; }

 private:
  struct Entry {
    std::uint64_t worker;
    std::optional<std::string> principal;  // empty: fresh
  };
  std::uint64_t TakeAt(std::size_t index);

  std::size_t limit_;
  std::size_t fresh_ = 0;
  std::vector<Entry> workers_;
};

}  // namespace plimsoll::wasm
