#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "guest/agent/spawn.h"
#include "guest/agent/stream.h"

namespace plimsoll::guest {

// One guest process that the agent started, with its streams.
class Step {
 public:
  Step(Started started, std::uint64_t stream_cap);

  pid_t pid() const { return pid_; }

  // The guest's code, to be written to its standard input, which is then closed.
  void SetInput(std::string code);

  // Moves what can be moved.
  void Pump(const Sink& sink, std::span<char> space);

  // The process is over: only what it left in its pipes is still moved.
  void End();
  // True once all that belongs to an ended step was moved.
  bool IsDone() const { return has_ended_ && output_.IsDone() && errors_.IsDone(); }
  bool has_ended() const { return has_ended_; }

  bool output_was_cut() const { return output_.was_cut(); }
  bool errors_were_cut() const { return errors_.was_cut(); }
  os::UniqueFd TakeOutputPipe() { return output_.TakePipe(); }
  os::UniqueFd TakeErrorPipe() { return errors_.TakePipe(); }

  void AddTo(Polls& polls, const Sink& sink) const;

 private:
  void WriteInput();

  pid_t pid_;
  os::UniqueFd input_;
  Stream output_;
  Stream errors_;
  std::string code_;
  std::size_t written_ = 0;
  bool is_fed_ = false;
  bool has_ended_ = false;
};

}  // namespace plimsoll::guest
