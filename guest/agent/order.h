#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "frames/agent.h"

namespace plimsoll::guest {

// What the host asks of one call, taken in frame by frame: the plan, then the files and their bytes, then the budget.
// Pure. A frame out of that order, more or fewer bytes than were announced, or a plan that does not fit the kind is a
// Fault kInternal, and final for the call.
class Order {
 public:
  explicit Order(frames::agent::Kind kind) : kind_(kind) {}

  // What has become known by the frame that was taken.
  enum class News { kNothing, kPlanned, kBegun };
  base::Result<News> Take(const frames::agent::Frame& frame);

  frames::agent::Kind kind() const { return kind_; }
  const frames::agent::Plan& plan() const { return plan_; }
  const std::vector<frames::agent::FileHead>& files() const { return files_; }
  // The bytes of all files in order, once the call has begun.
  std::string TakeContent() { return std::move(content_); }
  // Counted from the receipt of the last frame.
  std::chrono::milliseconds budget() const { return budget_; }

 private:
  base::Result<News> TakePlan(std::string_view body);
  base::Result<News> TakeFiles(std::string_view body);
  base::Result<News> TakePiece(std::string_view body);
  base::Result<News> TakeBegin(std::string_view body);

  // The frame that may come next.
  enum class Stage { kPlan, kFiles, kPieces, kOver };

  frames::agent::Kind kind_;
  Stage stage_ = Stage::kPlan;
  frames::agent::Plan plan_;
  std::vector<frames::agent::FileHead> files_;
  std::uint64_t announced_ = 0;
  std::string content_;
  std::chrono::milliseconds budget_{0};
};

}  // namespace plimsoll::guest
