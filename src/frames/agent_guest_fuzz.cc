// The agent's end: what a host may say. Input as agent_fuzzing.h cuts it.
#include "frames/agent_fuzzing.h"

namespace plimsoll::frames::agent {
namespace {

bool EncodesBack(const Frame& frame) {
  switch (frame.type) {
    case Type::kKey: return Same(ParseOpenCall(frame.body), &EncodeOpenCall, frame.body);
    case Type::kPlan: return Same(ParsePlan(frame.body), &EncodePlan, frame.body);
    case Type::kFiles: return Same(ParseFiles(frame.body), &EncodeFiles, frame.body);
    case Type::kSweep: return Same(ParseSweep(frame.body), &EncodeSweep, frame.body);
    case Type::kCancel: return EncodeChannel(ParseChannel(frame.body).value()) == frame.body;
    case Type::kPing: return frame.body.size() <= kMaxPing;
    case Type::kPiece: return !frame.body.empty() && frame.body.size() <= kMaxPiece;
    case Type::kBegin:
      if (const auto budget = ParseBegin(frame.body)) {
        return EncodeBegin(*budget) == frame.body;
      }
      return true;
    case Type::kReady:
    case Type::kPong:
    case Type::kSwept:
    case Type::kStarted:
    case Type::kStdout:
    case Type::kStderr:
    case Type::kExited:
    case Type::kArtifact:
    case Type::kDone: return false;  // never from a host
  }
  return false;
}

}  // namespace
}  // namespace plimsoll::frames::agent

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace agent = plimsoll::frames::agent;
  return agent::FuzzOneEnd(agent::Direction::kFromHost, data, size, agent::EncodesBack);
}
