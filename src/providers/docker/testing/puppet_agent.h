#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "frames/agent.h"
#include "os/socket_pair.h"
#include "os/wait.h"
#include "providers/docker/engine/engine.h"
#include "providers/docker/testing/frames_of_call.h"

namespace plimsoll::docker {

// The other end of an attached container: says what a test has it say, authentic or not, wrapped as the engine wraps
// it.
class PuppetAgent {
 public:
  // The socket is the container's end.
  explicit PuppetAgent(os::UniqueFd socket);

  // Reads the control key. Must come first.
  void TakeKey();
  // Says kReady, of a program with this digest.
  static constexpr const char* kSha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  void Ready(std::string sha256 = kSha256);
  // Reads frames up to one of this type and gives its body; opens the call's channel on its way. Fails the test when
  // the host does not say it within 10 s.
  std::string Hear(frames::agent::Type type);
  // The next frame, or nothing when the host ends or is silent for `longest`.
  std::optional<frames::agent::Type> HearAny(std::chrono::milliseconds longest);

  void Say(frames::agent::Type type, std::uint32_t channel, std::string_view body);
  void Say(const SaidFrame& said) { Say(said.first, 1, said.second); }
  // The frame's bytes, not sent.
  std::string Made(frames::agent::Type type, std::uint32_t channel, std::string_view body);
  // Bytes on the agent's stdout or stderr, whatever they are.
  void Write(std::string_view bytes, char stream = 1);
  // Bytes on the engine's stream, without its wrapping.
  void WriteRaw(std::string_view bytes);
  void End() { socket_.Close(); }

 private:
  bool Receive(std::chrono::milliseconds longest);

  os::UniqueFd socket_;
  std::optional<frames::agent::Sender> sender_;
  std::optional<frames::agent::Receiver> receiver_;
  std::string early_;
  std::string body_;
};

}  // namespace plimsoll::docker
