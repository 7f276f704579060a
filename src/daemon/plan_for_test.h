#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/plan.h"
#include "testkit/temp_folder.h"

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

// A file in a folder of its own, removed with the object.
class TempFile {
 public:
  TempFile(std::string_view content, std::filesystem::perms mode) : path_(folder_.Write("file", content)) {
    std::filesystem::permissions(path_, mode);
  }
  const std::string& path() const { return path_; }

 private:
  testkit::TempFolder folder_;
  std::string path_;
};

inline constexpr auto kOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
inline constexpr std::string_view kClients =
    R"({"clients":[{"id":"a","token_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)"
    R"("scopes":["code:run"]}]})";

}  // namespace plimsoll::daemon
