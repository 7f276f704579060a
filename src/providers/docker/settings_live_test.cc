#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include <nlohmann/json.hpp>

#include "http/client.h"
#include "providers/docker/testing/live_test.h"

// What the engine says of a container that runs: every row of providers-local.md 5 (DOC-2).
namespace plimsoll::docker {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// The engine's own description, read without our typed client.
json Described(const std::string& name) {
  const std::string host = std::getenv("PLIMSOLL_TEST_DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe): nothing sets one
  auto client = http::Client::Create({.ca_file = {}});
  http::Origin origin;
  origin.kind = http::Origin::Kind::kUnixSocket;
  origin.host = "docker";
  origin.socket_path = host.substr(std::string("unix://").size());
  http::ClientRequest request;
  request.method = "GET";
  request.target = "/containers/" + name + "/json";
  const auto answer = (*client)->Call(origin, request, {.deadline = steady_clock::now() + seconds(10)});
  const auto* response = std::get_if<http::Response>(&answer);
  EXPECT_NE(response, nullptr);
  return response == nullptr ? json() : json::parse(response->body, nullptr, false);
}

class InspectedRun : public LiveTest {
 protected:
  docker::Settings Settings() const override {
    docker::Settings settings = LiveSettings(GetParam());
    settings.memory_mb = 200;
    settings.cpus = 0.5;
    settings.pids = 99;
    return settings;
  }
  // The description of the container of a run that is under way.
  json During(const run::Request& request) {
    std::stop_source stop;
    auto answer = std::async(std::launch::async, [&] { return live().Run(request, stop.get_token()); });
    std::vector<std::string> names;
    const auto until = steady_clock::now() + seconds(20);
    json described;
    while (steady_clock::now() < until && (!described.contains("State") || described["State"]["Status"] != "running")) {
      std::this_thread::sleep_for(milliseconds(50));
      names = live().Containers();
      described = names.empty() ? json() : Described(names.front());
    }
    stop.request_stop();
    EXPECT_FALSE(answer.get());  // canceled
    return described;
  }
};
INSTANTIATE_TEST_SUITE_P(Under, InspectedRun, UnderBothRuntimes(), NameOfRuntime);

void ExpectRowsOfEveryContainer(const json& seen, const std::string& runtime) {
  const json& host = seen["HostConfig"];
  EXPECT_EQ(host["Runtime"], runtime);
  EXPECT_EQ(host["Memory"], 200 << 20);
  EXPECT_EQ(host["MemorySwap"], 200 << 20);
  EXPECT_EQ(host["PidsLimit"], 99);
  EXPECT_EQ(host["NanoCpus"], 500'000'000);
  EXPECT_EQ(host["ReadonlyRootfs"], true);
  EXPECT_EQ(seen["Config"]["User"], "61000:61000");
  EXPECT_EQ(host["GroupAdd"], json::array());
  EXPECT_EQ(host["CapDrop"], json::array({"ALL"}));
  EXPECT_EQ(host["CapAdd"], json::array());
  EXPECT_EQ(host["SecurityOpt"], json::array({"no-new-privileges"}));
  EXPECT_EQ(host["NetworkMode"], "none");
  EXPECT_EQ(seen["NetworkSettings"]["Ports"], json::object());
  EXPECT_EQ(host["IpcMode"], "private");
  EXPECT_EQ(host["CgroupnsMode"], "private");
  EXPECT_EQ(host["PidMode"], "");
  EXPECT_EQ(host["UTSMode"], "");
  EXPECT_EQ(host["Ulimits"],
            json::parse(R"([{"Name":"core","Hard":0,"Soft":0},{"Name":"nofile","Hard":4096,"Soft":4096}])"));
  EXPECT_EQ(seen["Config"]["Healthcheck"]["Test"], json::array({"NONE"}));
  EXPECT_FALSE(seen["State"].contains("Health"));
  EXPECT_EQ(seen["Config"]["Entrypoint"], json::array({"/run/plimsoll-guest"}));
  EXPECT_TRUE(seen["Config"]["Cmd"].empty());
  EXPECT_EQ(seen["Path"], "/run/plimsoll-guest");
  EXPECT_EQ(seen["Args"], json::array());
  EXPECT_EQ(host["LogConfig"]["Type"], "none");
  EXPECT_EQ(host["Privileged"], false);
  EXPECT_TRUE(host["Devices"].empty());
  EXPECT_TRUE(host["PortBindings"].empty());
  EXPECT_TRUE(host["Links"].empty());
  EXPECT_TRUE(host["VolumesFrom"].empty());
  EXPECT_EQ(host["Init"], false);
  EXPECT_EQ(host["OomKillDisable"].is_null() || host["OomKillDisable"] == false, true);
  EXPECT_FALSE(host["MaskedPaths"].empty());
  EXPECT_FALSE(host["ReadonlyPaths"].empty());
  const std::string id = seen["Id"];
  EXPECT_EQ(seen["Config"]["Hostname"], id.substr(0, 12));
  EXPECT_EQ(host["Binds"].size(), 2U);
  for (const json& mount : seen["Mounts"]) {
    EXPECT_EQ(mount["RW"], false) << mount;
    EXPECT_EQ(mount["Type"], "bind") << mount;
  }
  EXPECT_EQ(seen["Mounts"].size(), 2U);
  EXPECT_EQ(seen["Config"]["Tty"], false);
  const std::string name = seen["Name"];
  EXPECT_EQ(name.size(), std::string("/plimsoll-").size() + 16);
}

void ExpectLabelAtLeast(const json& seen, seconds from_now) {
  const json& labels = seen["Config"]["Labels"];
  ASSERT_TRUE(labels.contains("io.plimsoll.expires")) << labels;
  const auto now = std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch());
  const seconds ends(std::stoll(labels["io.plimsoll.expires"].get<std::string>()));
  EXPECT_GT(ends - now, from_now);
  EXPECT_LT(ends - now, from_now + seconds(90));
}

TEST_P(InspectedRun, P33_ASnippetsContainerHasEveryRow) {
  const json seen = During(SnippetRequest("setInterval(() => {}, 1000)", seconds(20)));
  ExpectRowsOfEveryContainer(seen, GetParam());
  EXPECT_EQ(seen["Image"], live().state()->images.at(Role::kSnippet).id);
  EXPECT_EQ(seen["HostConfig"]["Tmpfs"],
            json({{"/tmp", "rw,noexec,nosuid,size=16m"}, {"/dev/shm", "rw,noexec,nosuid,size=16m"}}));
  ExpectLabelAtLeast(seen, seconds(15));
}

TEST_P(InspectedRun, P33_AProjectsContainerHasEveryRow) {
  run::Project project;
  project.steps = {"sleep 60"};
  const json seen = During(ProjectRequest(project, seconds(20)));
  ExpectRowsOfEveryContainer(seen, GetParam());
  EXPECT_EQ(seen["Image"], live().state()->images.at(Role::kProject).id);
  EXPECT_EQ(seen["Config"]["WorkingDir"], "/work");
  EXPECT_EQ(seen["HostConfig"]["Tmpfs"], json({{"/tmp", "rw,noexec,nosuid,size=16m"},
                                               {"/dev/shm", "rw,noexec,nosuid,size=16m"},
                                               {"/work", "rw,noexec,nosuid,size=128m,mode=1777"}}));
  ExpectLabelAtLeast(seen, seconds(15));
}

}  // namespace
}  // namespace plimsoll::docker
