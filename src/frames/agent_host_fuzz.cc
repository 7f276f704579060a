// The host's end: what an agent may say. Input as agent_fuzzing.h cuts it.
#include "frames/agent_fuzzing.h"

namespace plimsoll::frames::agent {
namespace {

bool EncodesBack(const Frame& frame) {
  std::string again;
  switch (frame.type) {
    case Type::kReady: return Same(ParseReady(frame.body), &EncodeReady, frame.body);
    case Type::kExited: return Same(ParseExited(frame.body), &EncodeExited, frame.body);
    case Type::kSwept: return Same(ParseSwept(frame.body), &EncodeSwept, frame.body);
    case Type::kDone: return Same(ParseDone(frame.body), &EncodeDone, frame.body);
    case Type::kStarted: return EncodeStarted(ParseStarted(frame.body).value()) == frame.body;
    case Type::kPong: return frame.body.size() <= kMaxPing;
    case Type::kStdout:
    case Type::kStderr: AppendOutputBody(ParseOutput(frame.body).value(), again); return again == frame.body;
    case Type::kArtifact:
      if (const auto piece = ParseArtifact(frame.body)) {
        AppendArtifactBody(*piece, again);
        return again == frame.body;
      }
      return true;
    case Type::kKey:
    case Type::kCancel:
    case Type::kPing:
    case Type::kSweep:
    case Type::kPlan:
    case Type::kFiles:
    case Type::kPiece:
    case Type::kBegin: return false;  // never from an agent
  }
  return false;
}

}  // namespace
}  // namespace plimsoll::frames::agent

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace agent = plimsoll::frames::agent;
  return agent::FuzzOneEnd(agent::Direction::kFromAgent, data, size, agent::EncodesBack);
}
