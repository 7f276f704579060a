#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frames/frame.h"
#include "providers/wasm/engine/host_unsafe.h"

namespace plimsoll::wasm {

// The worker's end of the socket: frames out, whole and at once. What a guest writes is in the socket when its call
// returns, so a worker that is killed loses nothing of it. Called below guest code: allocates nothing after it was
// made. A socket that is closed ends the process, which is of no use any more.
class Output {
 public:
  explicit Output(int socket);

  // Forgets the counts of the last run.
  void BeginRun();

  // Sends what the stream may still keep of `bytes`; the rest is dropped and counts as cut.
  void Write(Stream stream, std::string_view bytes);
  bool truncated(Stream stream) const { return truncated_[static_cast<std::size_t>(stream)]; }

  void SendReady();
  void SendEnded(const frames::Ended& ended);

 private:
  void Flush();

  int socket_;
  std::string frame_;  // room for the largest frame
  std::size_t sent_[2] = {0, 0};
  bool truncated_[2] = {false, false};
};

}  // namespace plimsoll::wasm
