// The agent's end: what a host may say. Input as agent_fuzzing.h cuts it.
#include "base/check.h"
#include "frames/agent_fuzzing.h"

namespace plimsoll::frames::agent {
namespace {

template <typename Value>
bool Same(const base::Result<Value>& parsed, std::string (*encode)(const Value&), std::string_view body) {
  return !parsed.has_value() || encode(*parsed) == body;
}

bool EncodesBack(const Frame& frame) {
  switch (frame.type) {
    case Type::kKey: return Same(ParseOpenCall(frame.body), &EncodeOpenCall, frame.body);
    case Type::kPlan: return Same(ParsePlan(frame.body), &EncodePlan, frame.body);
    case Type::kFiles: return Same(ParseFiles(frame.body), &EncodeFiles, frame.body);
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
  agent::FuzzOneEnd(agent::Direction::kFromHost, std::string_view(reinterpret_cast<const char*>(data), size),
                    agent::EncodesBack);
  return 0;
}
