#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "daemon/plan.h"

// What the tests of plans share.
namespace plimsoll::daemon {

// A plan made as by a build with every provider, so that rules of providers to come can be checked too.
inline Plan PlanOf(const Environment& environment,
                   std::vector<std::string_view> included = {"wasm", "docker", "openshell", "e2b", "dockercloud",
                                                             "agentsandbox", "microvm"}) {
  return MakePlan({environment, std::move(included), nullptr});
}

inline Environment With(std::string_view provider, Environment more) {
  more.emplace_back("SANDBOX_PROVIDER", provider);
  more.emplace_back("PLIMSOLL_INSECURE", "1");
  return more;
}

// The settings named by the errors, in order.
inline std::vector<std::string> Blamed(const Plan& plan) {
  std::vector<std::string> names;
  for (const StartError& error : plan.errors) {
    names.push_back(error.setting);
  }
  return names;
}

using Names = std::vector<std::string>;

// A file under the test's temporary folder, removed with the object.
class TempFile {
 public:
  TempFile(std::string_view name, std::string_view content, std::filesystem::perms mode)
      : path_(std::filesystem::path(testing::TempDir()) / name) {
    std::ofstream(path_) << content;
    std::filesystem::permissions(path_, mode);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline constexpr auto kOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
inline constexpr std::string_view kClients =
    R"({"clients":[{"id":"a","token_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)"
    R"("scopes":["code:run"]}]})";

}  // namespace plimsoll::daemon
