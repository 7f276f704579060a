#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "records/record.h"

namespace plimsoll::records {

// How far one session has come (records.md 6): how many calls its chain holds, and the digest of the last one's record.
// A value; not thread-safe.
class Chain {
 public:
  // The chain of a session without calls. `fingerprint` is that of its ID.
  explicit Chain(std::string fingerprint) : fingerprint_(std::move(fingerprint)) {}

  const std::string& fingerprint() const PLIMSOLL_LIFETIMEBOUND { return fingerprint_; }
  std::uint64_t calls() const { return calls_; }
  // Empty before the first call.
  const std::string& last_sha256() const PLIMSOLL_LIFETIMEBOUND { return last_sha256_; }

  // Why `record` is not the next of this chain, in a few words; empty when it is.
  std::string_view BreakAt(const Record& record) const;
  // `record`, which names no session, as the next of this chain: with its place and its own digest anew.
  Record Next(Record record) const;
  // Moves the chain on to `record`, which must be the next: another one aborts (REC-6).
  void Advance(const Record& record);

 private:
  std::string fingerprint_;
  std::uint64_t calls_ = 0;
  std::string last_sha256_;
};

}  // namespace plimsoll::records
