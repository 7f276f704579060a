#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "run/session_end.h"
#include "sessions/registry.h"

namespace plimsoll::sessions {

// A session that was closed and collected: the end of its chain, and why it ended.
struct Closed {
  std::string fingerprint;
  std::uint64_t calls = 0;
  std::string last_record_sha256;
  run::SessionEnd end = run::SessionEnd::kClosed;
};

// A Closed; a Refusal; or a Fault kCanceled or kDeadline when the caller did not wait for the end: closing again
// collects the count.
using CloseDone = base::UniqueFunction<void(base::Result<Closed>)>;

// One close: waits for the turn, so that a call in flight is counted, then for the sandbox to be gone. Keeps itself
// until it has answered.
class Closing : public std::enable_shared_from_this<Closing> {
 public:
  Closing(Registry& registry, std::shared_ptr<Session> session, Patience patience, CloseDone done);
  void Start();

 private:
  struct Left {
    std::weak_ptr<Closing> closing;
    void operator()() const;
  };
  void OnTurn();
  void OnGone();
  void OnCallerLeft();
  void Refuse(const base::Refusal& refusal);
  // True for the first who asks: it answers.
  bool Claim() { return !std::exchange(*answered_.Lock(), true); }

  Registry& registry_;
  const std::shared_ptr<Session> session_;
  const Patience patience_;
  CloseDone done_;
  base::Guarded<bool> answered_{false};
  std::optional<std::stop_callback<Left>> on_left_;
};

}  // namespace plimsoll::sessions
