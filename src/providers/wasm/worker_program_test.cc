#include "providers/wasm/worker_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "providers/wasm/testing/pool_harness.h"
#include "testkit/temp_folder.h"

namespace plimsoll::wasm {
namespace {

namespace fs = std::filesystem;

std::string PutProgram(const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path path = folder / "plimsoll-wasm-worker";
  std::ofstream(path) << "#!/bin/sh\n";
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

TEST(FindWorker, LooksBesideTheProgramAndThenInTheLibexecOfItsPrefix) {
  const testkit::TempFolder folder;
  const std::string own = folder.path() + "/bin/plimsolld";
  const std::string installed = PutProgram(folder.path() + "/libexec/plimsoll");
  const auto found = FindWorker(own, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, installed);
  const std::string beside = PutProgram(folder.path() + "/bin");
  const auto nearer = FindWorker(own, "");
  ASSERT_TRUE(nearer);
  EXPECT_EQ(*nearer, beside);
}

TEST(FindWorker, LooksOnlyWhereItIsToldTo) {
  const testkit::TempFolder folder;
  PutProgram(folder.path() + "/bin");
  const std::string given = PutProgram(folder.path() + "/given");
  const std::string own = folder.path() + "/bin/plimsolld";
  const auto found = FindWorker(own, folder.path() + "/given");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, given);
  EXPECT_FALSE(FindWorker(own, folder.path() + "/elsewhere"));
  EXPECT_FALSE(FindWorker(own, "given"));  // a relative path would depend on where the daemon was started
}

TEST(FindWorker, SaysWhereItLookedAndWhatToDo) {
  const auto missing = FindWorker("/nonexistent/bin/plimsolld", "");
  ASSERT_NE(base::FaultIn(missing), nullptr);
  const std::string& text = base::FaultIn(missing)->detail;
  EXPECT_NE(text.find("/nonexistent/bin/plimsoll-wasm-worker"), std::string::npos) << text;
  EXPECT_NE(text.find("/nonexistent/libexec/plimsoll/plimsoll-wasm-worker"), std::string::npos) << text;
  EXPECT_NE(text.find("PLIMSOLL_LIBEXEC"), std::string::npos) << text;
}

TEST(PagesFor, TurnsMegabytesIntoPagesWithinTheBounds) {
  EXPECT_EQ(PagesFor(0), 4096U);
  EXPECT_EQ(PagesFor(1), 16U);
  EXPECT_EQ(PagesFor(32), 512U);
  EXPECT_EQ(PagesFor(4096), 65536U);
  EXPECT_EQ(PagesFor(4'000'000'000U), 65536U);
}

}  // namespace
}  // namespace plimsoll::wasm
