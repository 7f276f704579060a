// What a digest costs: time and memory.
#include <gtest/gtest.h>

#include <ctime>

#include "records/allocations_for_test.h"
#include "records/record.h"

namespace plimsoll::records {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

run::Draft FourMiBOfFiles() {
  run::Project project;
  for (int i = 0; i < 64; ++i) {
    project.files.push_back({"file" + std::to_string(i), std::string(kMiB / 16, 'x')});
  }
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = std::move(project);
  return draft;
}

TEST(RequestDigest, R70_MakesNoCopyOfThePayload) {
  const run::Draft draft = FourMiBOfFiles();
  const std::size_t before = AllocatedBytes();
  const std::string digest = RequestDigest(draft);
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_LT(AllocatedBytes() - before, 4096U);
}

// Processor time, not wall time: the bound holds on a machine that is busy with something else.
TEST(RequestDigest, R70_HashesAtLeast200MegabytesASecond) {
  const run::Draft draft = FourMiBOfFiles();
  constexpr int kRounds = 10;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_EQ(RequestDigest(draft).size(), 64U);
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_GE(kRounds * 4 * kMiB / 1e6 / seconds, 200.0);
}

}  // namespace
}  // namespace plimsoll::records
