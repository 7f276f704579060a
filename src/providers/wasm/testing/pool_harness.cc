#include "providers/wasm/testing/pool_harness.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace plimsoll::wasm {

std::string RealWorker() { return PLIMSOLL_BIN_DIR "/plimsoll-wasm-worker"; }
std::string FakeWorker() { return PLIMSOLL_BIN_DIR "/plimsoll-fake-worker"; }

std::string FakeWorkerNamed(const std::string& folder, const std::string& name) {
  std::filesystem::create_symlink(FakeWorker(), folder + "/" + name);
  return folder + "/" + name;
}

std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream list(task.path() / "children");
    for (pid_t pid = 0; list >> pid;) {
      children.push_back(pid);
    }
  }
  return children;
}

bool HasEnded(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);  // a process that goes while it is read leaves it empty
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || text.compare(name_end + 2, 1, "Z") == 0;
}

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

PoolHarness::PoolHarness(const std::string& program, FleetOptions fleet) {
  auto pool = Pool::Create({.program = {.path = program, .memory_pages = 4096}, .fleet = fleet}, clock_, random_, log_);
  EXPECT_TRUE(pool);
  pool_ = std::move(*pool);
}

std::future<Outcome> PoolHarness::Start(const std::string& code, const Given& given) {
  struct Kept {
    std::string code;
    std::promise<Outcome> promise;
  };
  auto kept = std::make_unique<Kept>(Kept{code, {}});
  auto future = kept->promise.get_future();
  const std::string_view view = kept->code;
  pool_->Run(
      {.code = view, .principal = given.principal, .deadline = clock_.Steady() + given.budget, .stop = given.stop},
      [kept = std::move(kept)](Outcome outcome) { kept->promise.set_value(std::move(outcome)); });
  return future;
}

Outcome PoolHarness::Run(const std::string& code, const Given& given) {
  auto future = Start(code, given);
  if (future.wait_for(kTestLimit) != std::future_status::ready) {
    ADD_FAILURE() << "no outcome: " << code;
    std::abort();  // the promise is still held by the pool
  }
  return future.get();
}

std::string PoolHarness::OutputOf(const std::string& code, const Given& given) {
  auto outcome = Run(code, given);
  if (!outcome) {
    ADD_FAILURE() << code << ": " << base::TextOf(outcome.error());
    return {};
  }
  EXPECT_EQ(outcome->result.exit_code, 0) << outcome->result.stderr_bytes;
  return outcome->result.stdout_bytes;
}

}  // namespace plimsoll::wasm
