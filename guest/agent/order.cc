#include "guest/agent/order.h"

#include <utility>

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Kind;
using agent::Type;

base::Fault OutOfPlace(std::string what) { return {base::FaultKind::kInternal, std::move(what)}; }

// Whether the plan says what its kind needs and nothing that its kind has no use for.
bool Fits(Kind kind, const agent::Plan& plan) {
  switch (kind) {
    case Kind::kSnippet: return !plan.argv.empty() && plan.steps.empty() && plan.artifacts.empty();
    case Kind::kProject: return plan.argv.empty() && !plan.steps.empty() && !plan.directory.empty();
    case Kind::kModule:
    case Kind::kJavaScriptCell:
    case Kind::kPythonCell: return false;  // not served by this agent
  }
  return false;
}

// A snippet's one file is its code, without a path; a project's files all have one.
bool Fits(Kind kind, const std::vector<agent::FileHead>& files) {
  const bool is_code = files.size() == 1 && files.front().path.empty();
  return (kind == Kind::kSnippet) == is_code;
}

}  // namespace

base::Result<Order::News> Order::Take(const agent::Frame& frame) {
  switch (frame.type) {
    case Type::kPlan: return TakePlan(frame.body);
    case Type::kFiles: return TakeFiles(frame.body);
    case Type::kPiece: return TakePiece(frame.body);
    case Type::kBegin: return TakeBegin(frame.body);
    case Type::kReady:
    case Type::kKey:
    case Type::kCancel:
    case Type::kPing:
    case Type::kPong:
    case Type::kSweep:
    case Type::kSwept:
    case Type::kStarted:
    case Type::kStdout:
    case Type::kStderr:
    case Type::kExited:
    case Type::kArtifact:
    case Type::kDone: break;  // the receiver gives out none of these on a call's channel
  }
  return OutOfPlace("a frame that no call takes");
}

base::Result<Order::News> Order::TakePlan(std::string_view body) {
  if (stage_ != Stage::kPlan) {
    return OutOfPlace("a second plan");
  }
  auto plan = agent::ParsePlan(body);
  if (!plan) {
    return plan.error();
  }
  if (!Fits(kind_, *plan)) {
    return OutOfPlace("a plan that does not fit the kind of its call");
  }
  plan_ = std::move(plan).value();
  stage_ = Stage::kFiles;
  return News::kPlanned;
}

base::Result<Order::News> Order::TakeFiles(std::string_view body) {
  if (stage_ != Stage::kFiles) {
    return OutOfPlace("files before a plan or twice");
  }
  auto files = agent::ParseFiles(body);
  if (!files) {
    return files.error();
  }
  if (!Fits(kind_, *files)) {
    return OutOfPlace("files that do not fit the kind of their call");
  }
  files_ = std::move(files).value();
  for (const agent::FileHead& file : files_) {
    announced_ += file.size;
  }
  content_.reserve(announced_);
  stage_ = Stage::kPieces;
  return News::kNothing;
}

base::Result<Order::News> Order::TakePiece(std::string_view body) {
  if (stage_ != Stage::kPieces || body.size() > announced_ - content_.size()) {
    return OutOfPlace("bytes that no file was announced for");
  }
  content_.append(body);
  return News::kNothing;
}

base::Result<Order::News> Order::TakeBegin(std::string_view body) {
  // A project may have no files at all; a snippet always has its code.
  const bool may_begin = stage_ == Stage::kPieces || (stage_ == Stage::kFiles && kind_ == Kind::kProject);
  if (!may_begin || content_.size() != announced_) {
    return OutOfPlace("a beginning before everything announced was there");
  }
  auto budget = agent::ParseBegin(body);
  if (!budget) {
    return budget.error();
  }
  budget_ = *budget;
  stage_ = Stage::kOver;
  return News::kBegun;
}

}  // namespace plimsoll::guest
