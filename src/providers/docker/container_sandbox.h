#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "os/wait.h"
#include "providers/docker/agent_link.h"
#include "providers/docker/sandbox.h"

namespace plimsoll::docker {

class CallClock;

// A container of the engine behind the Sandbox seam. Made by the launcher alone.
class ContainerSandbox final : public Sandbox {
 public:
  struct Facts {
    std::string name;
    Role role = Role::kSnippet;
    std::shared_ptr<const State> state;
    base::WallTime ends;
  };
  ContainerSandbox(Facts facts, os::Flag flag, const base::Clock& clock, base::Random& random);

  const std::string& id() const override { return id_; }
  const std::string& name() const override { return facts_.name; }
  Role role() const override { return facts_.role; }
  const std::shared_ptr<const State>& state() const override { return facts_.state; }
  base::WallTime ends() const override { return facts_.ends; }

  base::Status Prepare(frames::agent::Kind kind, frames::agent::Plan plan, const http::Bounds& bounds) override;
  base::Status Ping(const http::Bounds& bounds) override;
  CallEnd Run(const std::vector<CallFile>& files, base::SteadyTime deadline, std::chrono::milliseconds grace,
              std::stop_token stop) override;
  CallTranscript& transcript() override;
  base::Status Settle(const http::Bounds& bounds) override;
  base::Result<frames::agent::Swept> Sweep(const frames::agent::SweepOrder& order, const http::Bounds& bounds) override;

  // Steps of a launch, in this order.
  void Created(std::string id) { id_ = std::move(id); }
  void Connect(Attached attached);
  base::Status AwaitReady(const http::Bounds& bounds);

  // Whether the create request may have reached the engine without an answer, so that the container may appear later.
  bool create_uncertain() const { return create_uncertain_; }
  void set_create_uncertain() { create_uncertain_ = true; }
  // Bytes that the agent wrote on its stderr.
  std::size_t agent_stderr_bytes() const { return link_ ? link_->stderr_bytes() : 0; }

 private:
  frames::agent::Key FreshKey();
  // From Connect on.
  AgentLink& link();
  base::Status LowerFlag();
  base::Status Send(const http::Bounds& bounds);
  base::Status Expect(frames::agent::Type type, frames::agent::Frame& frame, const http::Bounds& bounds);
  std::size_t AppendFiles(const std::vector<CallFile>& files);
  std::optional<CallEnd> Take(const frames::agent::Frame& frame);
  CallEnd Converse(CallClock& times, const std::stop_token& stop);
  std::optional<ContainerState> ContainerOfKilled();
  CallEnd EndOfStream(const std::stop_token& stop);

  const Facts facts_;
  os::Flag flag_;  // raised by who is left; a new one where the sandbox is used on
  const base::Clock& clock_;
  base::Random& random_;
  std::string id_;
  bool create_uncertain_ = false;
  std::optional<AgentLink> link_;
  std::uint32_t call_ = 1;  // channel of the last call
  std::optional<CallTranscript> transcript_;
  std::optional<base::SteadyTime> exit_heard_;
  std::uint64_t memory_kills_ = 0;  // that were counted when a call was last looked at
};

}  // namespace plimsoll::docker
