// Any authentic frames an agent may send on a call's channel: the judge never holds more than the plan's caps, a breach
// is for ever, and nothing follows an end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "providers/docker/call.h"

using plimsoll::docker::CallTranscript;
using plimsoll::docker::StepSeen;
namespace agent = plimsoll::frames::agent;

namespace {

constexpr std::size_t kStreamCap = 96;
constexpr std::size_t kTotalCap = 200;
constexpr std::size_t kArtifactCap = 64;

agent::Plan PlanFor(agent::Kind kind) {
  agent::Plan plan;
  plan.stream_cap = kStreamCap;
  if (kind == agent::Kind::kProject) {
    plan.steps = {"a", "b", "c"};
    plan.artifacts = {"x", "y"};
    plan.total_cap = kTotalCap;
    plan.artifact_cap = kArtifactCap;
  } else {
    plan.argv = {"node", "-"};
  }
  return plan;
}

void CheckBounds(CallTranscript& call, agent::Kind kind) {
  PLIMSOLL_CHECK(call.steps().size() <= (kind == agent::Kind::kProject ? 3U : 1U));
  std::size_t total = 0;
  for (const StepSeen& step : call.steps()) {
    PLIMSOLL_CHECK(step.stdout_bytes.size() <= kStreamCap && step.stderr_bytes.size() <= kStreamCap);
    total += step.stdout_bytes.size() + step.stderr_bytes.size();
    // Only the last one may be unfinished.
    PLIMSOLL_CHECK(step.exited || &step == &call.steps().back());
  }
  PLIMSOLL_CHECK(kind != agent::Kind::kProject || total <= kTotalCap);
  PLIMSOLL_CHECK(!call.done() || call.end().has_value());
}

}  // namespace

// Input: one byte for the kind, then frames: a byte of type, a byte of length, the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);  // NOLINT: the fuzzer's type
  const agent::Kind kind = (data[0] & 1) != 0 ? agent::Kind::kProject : agent::Kind::kSnippet;
  CallTranscript call(kind, PlanFor(kind));
  bool broken = false;
  bool done = false;
  for (std::size_t at = 1; at + 2 <= size;) {
    const std::size_t length = std::size_t{data[at + 1]} < size - at - 2 ? data[at + 1] : size - at - 2;
    const agent::Frame frame{static_cast<agent::Type>(data[at]), 7, input.substr(at + 2, length)};
    const auto taken = call.Take(frame);
    PLIMSOLL_CHECK(!(broken || done) || !taken);
    broken = broken || !taken;
    done = done || call.done();
    CheckBounds(call, kind);
    at += 2 + length;
  }
  std::size_t artifacts = 0;
  for (const auto& [index, content] : call.TakeArtifacts()) {
    PLIMSOLL_CHECK(index < 2);
    artifacts += content.size();
  }
  PLIMSOLL_CHECK(artifacts <= kArtifactCap);
  return 0;
}
