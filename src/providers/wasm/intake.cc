#include "providers/wasm/intake.h"

#include <utility>

#include "base/check.h"

namespace plimsoll::wasm {

void Intake::Feed(std::string_view bytes) {
  if (phase_ == Phase::kBroken) {
    return;
  }
  decoder_.Feed(bytes);
  unjudged_ += bytes.size();
}

Intake::Heard Intake::Next() {
  while (phase_ != Phase::kBroken) {
    frames::Frame frame;
    const auto state = decoder_.Next(frame);
    if (!state) {
      return Break(std::string(base::TextOf(state.error())));
    }
    if (*state == frames::Decoder::State::kNeedMore) {
      return Heard::kNothing;
    }
    unjudged_ -= frames::kHeaderSize + frame.body.size();
    if (const Heard heard = Judge(frame); heard != Heard::kNothing) {
      return heard;
    }
  }
  return Heard::kViolation;
}

void Intake::BeginRun() {
  PLIMSOLL_CHECK(phase_ == Phase::kIdle && !has_unjudged_bytes());
  phase_ = Phase::kRunning;
  output_ = {};
  stdout_sent_ = 0;
  stderr_sent_ = 0;
}

Intake::Output Intake::TakeOutput() {
  output_.stdout_truncated |= stdout_sent_ > frames::kMaxOutput;
  output_.stderr_truncated |= stderr_sent_ > frames::kMaxOutput;
  return std::exchange(output_, {});
}

Intake::Output Intake::TakeOutputOfKilled() {
  Output output = TakeOutput();
  output.stdout_truncated |= output.stdout_bytes.size() == frames::kMaxOutput;
  output.stderr_truncated |= output.stderr_bytes.size() == frames::kMaxOutput;
  return output;
}

Intake::Heard Intake::Judge(const frames::Frame& frame) {
  switch (frame.type) {
    case frames::Type::kReady:
      if (phase_ != Phase::kStarting) {
        return Break("a second ready frame");
      }
      phase_ = Phase::kIdle;
      return Heard::kReady;
    case frames::Type::kRun: return Break("a run frame, which only the host sends");
    case frames::Type::kStdout: return Append(frame.body, output_.stdout_bytes, stdout_sent_);
    case frames::Type::kStderr: return Append(frame.body, output_.stderr_bytes, stderr_sent_);
    case frames::Type::kEnded: break;
  }
  if (phase_ != Phase::kRunning) {
    return Break("an end frame outside a run");
  }
  const auto ended = frames::ParseEnded(frame.body);
  if (!ended) {
    return Break(std::string(base::TextOf(ended.error())));
  }
  // Guests' exit codes are masked to a byte, and what trapped is never fit for use again.
  if (ended->exit_code < 0 || ended->exit_code > 255) {
    return Break("an exit code outside 0 to 255");
  }
  if (ended->end == frames::End::kTrapped && ended->next == frames::Next::kReuse) {
    return Break("reuse after a trap");
  }
  ended_ = *ended;
  output_.stdout_truncated |= ended_.stdout_truncated;
  output_.stderr_truncated |= ended_.stderr_truncated;
  phase_ = Phase::kIdle;
  return Heard::kEnded;
}

Intake::Heard Intake::Append(std::string_view body, std::string& kept, std::size_t& sent) {
  if (phase_ != Phase::kRunning) {
    return Break("output outside a run");
  }
  sent += body.size();
  if (sent > kMaxSent) {
    return Break("more than " + std::to_string(kMaxSent) + " bytes of output on one stream");
  }
  kept.append(body.substr(0, frames::kMaxOutput - kept.size()));
  return Heard::kNothing;
}

Intake::Heard Intake::Break(std::string why) {
  phase_ = Phase::kBroken;
  violation_ = std::move(why);
  decoder_ = {};
  return Heard::kViolation;
}

}  // namespace plimsoll::wasm
