#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "frames/frame.h"

namespace plimsoll::wasm {

// Judges the bytes of one worker: what it may say, in which order and how much of it. Every byte is hostile. A pure
// state machine; it knows no descriptor and no clock, and is fuzzed as it is.
class Intake {
 public:
  // The most a worker may send on one stream in one run. Workers stop at the cap of the result; one frame across it is
  // how they show that the guest went on. More is an attempt to keep the host busy, and a violation.
  static constexpr std::size_t kMaxSent = 2 * frames::kMaxOutput;

  struct Output {
    std::string stdout_bytes;
    std::string stderr_bytes;
    bool stdout_truncated = false;
    bool stderr_truncated = false;
  };

  // Adds received bytes; they are judged by Next.
  void Feed(std::string_view bytes);

  // The next thing to act on. kReady comes at most once and first; kEnded once for each BeginRun; kViolation for ever
  // once it was answered.
  enum class Heard { kNothing, kReady, kEnded, kViolation };
  Heard Next();

  // An order goes to the worker: output and one end may follow. Only after kReady, and not during a run.
  void BeginRun();

  // Whether bytes were received that no answer of Next has accounted for. None may be left when a run begins.
  bool has_unjudged_bytes() const { return unjudged_ > 0; }

  // What the run has printed so far, cut to the caps; leaves nothing.
  Output TakeOutput();
  // The same for a run whose worker was killed before it could tell what it cut: a stream that is full counts as cut.
  Output TakeOutputOfKilled();
  // The end the worker told; meaningful after kEnded.
  const frames::Ended& ended() const { return ended_; }
  // Which rule was broken, in our own words and without the worker's bytes; meaningful after kViolation.
  const std::string& violation() const { return violation_; }

 private:
  enum class Phase { kStarting, kIdle, kRunning, kBroken };
  Heard Judge(const frames::Frame& frame);
  Heard Append(std::string_view body, std::string& kept, std::size_t& sent);
  Heard Break(std::string why);

  frames::Decoder decoder_;
  std::size_t unjudged_ = 0;
  Phase phase_ = Phase::kStarting;
  Output output_;
  std::size_t stdout_sent_ = 0;
  std::size_t stderr_sent_ = 0;
  frames::Ended ended_;
  std::string violation_;
};

}  // namespace plimsoll::wasm
