#include "providers/docker/container_spec.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace plimsoll::docker {
namespace {

using nlohmann::json;

const Mounted kMounted = {.agent = "/usr/lib/plimsoll/plimsoll-guest",
                          .resolver = "/usr/lib/plimsoll/plimsoll-resolv.conf",
                          .host_socket = ""};
constexpr base::WallTime kEnds{std::chrono::microseconds(1'700'000'000'000'001)};

State StateOf(std::string runtime) {
  State state;
  state.runtime = std::move(runtime);
  state.images[Role::kSnippet] = {.reference = "snippet:latest", .id = "sha256:aa", .environment = {"SECRET=1"}};
  state.images[Role::kProject] = {.reference = "project:latest", .id = "sha256:bb"};
  state.images[Role::kModule] = {.reference = "module:latest", .id = "sha256:cc"};
  return state;
}

json SpecOf(const Settings& settings, const State& state, Role role, const Mounted& mounted = kMounted) {
  return json::parse(ContainerSpec(settings, state, role, kEnds, mounted));
}
json Snippet() { return SpecOf({}, StateOf(""), Role::kSnippet); }
json Project() { return SpecOf({}, StateOf(""), Role::kProject); }

TEST(ContainerSpec, IsTheGoldenOneByteForByte) {
  std::ifstream file(PLIMSOLL_SOURCE_DIR "/src/providers/docker/testing/container_spec.golden.json");
  std::ostringstream golden;
  golden << file.rdbuf();
  Mounted mounted = kMounted;
  mounted.host_socket = "/tmp/plimsoll-host-0/api.sock";
  const std::string made =
      SpecOf({}, StateOf("runsc"), Role::kProject, mounted).dump(2) + "\n" + Snippet().dump(2) + "\n";
  EXPECT_EQ(made, golden.str());
}

TEST(ContainerSpec, OfASessionDiffersInOneLabel) {
  json session = json::parse(ContainerSpec({}, StateOf(""), Role::kProject, kEnds, kMounted, Purpose::kSession));
  EXPECT_EQ(session["Labels"]["io.plimsoll.session"], "1");
  session["Labels"].erase("io.plimsoll.session");
  EXPECT_EQ(session, Project());
}

// One test a row of providers-local.md 5, in its order.

TEST(ContainerSpec, StatesTheRuntimeThatIsConfiguredAndNoneForTheDefault) {
  EXPECT_EQ(SpecOf({}, StateOf("runsc"), Role::kSnippet)["HostConfig"]["Runtime"], "runsc");
  EXPECT_FALSE(Snippet()["HostConfig"].contains("Runtime"));
}

TEST(ContainerSpec, LimitsMemoryAndLeavesNoSwapBesideIt) {
  const json host = SpecOf({.memory_mb = 100}, StateOf(""), Role::kSnippet)["HostConfig"];
  EXPECT_EQ(host["Memory"], 100 * 1024 * 1024);
  EXPECT_EQ(host["MemorySwap"], host["Memory"]);
}

TEST(ContainerSpec, LimitsProcessesAndProcessorTime) {
  const json host = SpecOf({.cpus = 0.1, .pids = 77}, StateOf(""), Role::kSnippet)["HostConfig"];
  EXPECT_EQ(host["PidsLimit"], 77);
  EXPECT_EQ(host["NanoCpus"], 100'000'000);
}

TEST(ContainerSpec, ALimitOfZeroIsTheBuiltInOneAndNeverNone) {
  const json host = SpecOf({.memory_mb = 0, .cpus = 0, .pids = 0}, StateOf(""), Role::kSnippet)["HostConfig"];
  EXPECT_EQ(host["Memory"], 256 * 1024 * 1024);
  EXPECT_EQ(host["MemorySwap"], 256 * 1024 * 1024);
  EXPECT_EQ(host["PidsLimit"], 256);
  EXPECT_EQ(host["NanoCpus"], 1'000'000'000);
}

TEST(ContainerSpec, TheRootIsReadOnlyAndTheWritablePlacesAreExactlyThese) {
  EXPECT_EQ(Snippet()["HostConfig"]["ReadonlyRootfs"], true);
  EXPECT_EQ(Snippet()["HostConfig"]["Tmpfs"],
            json({{"/tmp", "rw,noexec,nosuid,size=16m"}, {"/dev/shm", "rw,noexec,nosuid,size=16m"}}));
  State state = StateOf("");
  state.work_mb = 68;
  for (const Role role : {Role::kProject, Role::kModule}) {
    EXPECT_EQ(SpecOf({}, state, role)["HostConfig"]["Tmpfs"], json({{"/tmp", "rw,noexec,nosuid,size=16m"},
                                                                    {"/dev/shm", "rw,noexec,nosuid,size=16m"},
                                                                    {"/work", "rw,noexec,nosuid,size=68m,mode=1777"}}));
  }
}

TEST(ContainerSpec, WorkIsTheDirectoryOfAllButSnippets) {
  EXPECT_EQ(Project()["WorkingDir"], "/work");
  EXPECT_FALSE(Snippet().contains("WorkingDir"));  // the image's
}

TEST(ContainerSpec, TheUserIsTheGuestAndNoOtherGroup) {
  const json spec = SpecOf({.guest_uid = 1234}, StateOf(""), Role::kSnippet);
  EXPECT_EQ(spec["User"], "1234:1234");
  EXPECT_EQ(spec["HostConfig"]["GroupAdd"], json::array());
}

TEST(ContainerSpec, DropsEveryCapabilityAndTheWayToGainAny) {
  EXPECT_EQ(Snippet()["HostConfig"]["CapDrop"], json::array({"ALL"}));
  EXPECT_EQ(Snippet()["HostConfig"]["CapAdd"], json::array());
  EXPECT_EQ(Snippet()["HostConfig"]["SecurityOpt"], json::array({"no-new-privileges"}));
  EXPECT_EQ(Snippet()["HostConfig"]["Privileged"], false);
}

TEST(ContainerSpec, GivesTheProfileItselfAndNoneUnderRunsc) {
  State state = StateOf("");
  state.seccomp = R"({"defaultAction":"SCMP_ACT_ERRNO"})";
  EXPECT_EQ(SpecOf({}, state, Role::kSnippet)["HostConfig"]["SecurityOpt"],
            json::array({"no-new-privileges", "seccomp=" + state.seccomp}));
  state.seccomp = "unconfined";
  EXPECT_EQ(SpecOf({}, state, Role::kSnippet)["HostConfig"]["SecurityOpt"],
            json::array({"no-new-privileges", "seccomp=unconfined"}));
  state.runtime = "runsc";
  EXPECT_EQ(SpecOf({}, state, Role::kSnippet)["HostConfig"]["SecurityOpt"], json::array({"no-new-privileges"}));
}

TEST(ContainerSpec, HasNoNetworkAlsoWithAHostSocket) {
  Mounted mounted = kMounted;
  mounted.host_socket = "/tmp/s/api.sock";
  for (const json& spec : {Snippet(), SpecOf({}, StateOf(""), Role::kSnippet, mounted)}) {
    EXPECT_EQ(spec["HostConfig"]["NetworkMode"], "none");
    EXPECT_EQ(spec["NetworkDisabled"], true);
  }
}

TEST(ContainerSpec, SharesNoNamespaceWithAnyone) {
  const json host = Snippet()["HostConfig"];
  EXPECT_EQ(host["IpcMode"], "private");
  EXPECT_EQ(host["CgroupnsMode"], "private");
  EXPECT_EQ(host["PidMode"], "");
  EXPECT_EQ(host["UTSMode"], "");
}

TEST(ContainerSpec, LimitsCoresAndOpenFiles) {
  EXPECT_EQ(Snippet()["HostConfig"]["Ulimits"],
            json::parse(R"([{"Name":"core","Soft":0,"Hard":0},{"Name":"nofile","Soft":4096,"Hard":4096}])"));
}

TEST(ContainerSpec, P36_RunsNoHealthCheckEntryPointOrCommandOfAnImage) {
  EXPECT_EQ(Snippet()["Healthcheck"]["Test"], json::array({"NONE"}));
  EXPECT_EQ(Snippet()["Entrypoint"], json::array({"/run/plimsoll-guest"}));
  EXPECT_EQ(Snippet()["Cmd"], json::array());
}

TEST(ContainerSpec, KeepsNoLogOnTheHost) { EXPECT_EQ(Snippet()["HostConfig"]["LogConfig"]["Type"], "none"); }

TEST(ContainerSpec, P37_GivesNoEnvironmentOfItsOwn) { EXPECT_EQ(Snippet()["Env"], json::array()); }

TEST(ContainerSpec, NamesTheVerifiedIdAndNeverTheTag) {
  EXPECT_EQ(Snippet()["Image"], "sha256:aa");
  EXPECT_EQ(Project()["Image"], "sha256:bb");
}

TEST(ContainerSpec, HasNoDevicesVolumesPortsOrLinks) {
  const json host = Snippet()["HostConfig"];
  for (const char* none : {"Devices", "DeviceRequests", "Links", "VolumesFrom", "ExtraHosts"}) {
    EXPECT_EQ(host[none], json::array()) << none;
  }
  EXPECT_EQ(host["PortBindings"], json::object());
  EXPECT_EQ(host["PublishAllPorts"], false);
  EXPECT_FALSE(Snippet().contains("Volumes"));
}

TEST(ContainerSpec, TheAgentIsTheFirstProcessWithoutAnInitBeforeIt) {
  EXPECT_EQ(Snippet()["HostConfig"]["Init"], false);
  EXPECT_EQ(Snippet()["HostConfig"]["RestartPolicy"]["Name"], "no");
}

TEST(ContainerSpec, LeavesTheHostNameToTheEngine) { EXPECT_FALSE(Snippet().contains("Hostname")); }

TEST(ContainerSpec, MountsAgentResolverAndTheHostSocketReadOnlyAndNothingElse) {
  EXPECT_EQ(Snippet()["HostConfig"]["Binds"],
            json::array({"/usr/lib/plimsoll/plimsoll-guest:/run/plimsoll-guest:ro",
                         "/usr/lib/plimsoll/plimsoll-resolv.conf:/etc/resolv.conf:ro"}));
  Mounted mounted = kMounted;
  mounted.host_socket = "/tmp/s/api.sock";
  EXPECT_EQ(SpecOf({}, StateOf(""), Role::kProject, mounted)["HostConfig"]["Binds"].back(),
            "/tmp/s/api.sock:/run/host-api.sock:ro");
}

TEST(ContainerSpec, TheLabelStatesTheEndInSecondsRoundedUp) {
  EXPECT_EQ(Snippet()["Labels"], json({{"io.plimsoll.expires", "1700000001"}}));
}

TEST(ContainerSpec, IsAttachedOnceOnThreeStreamsWithoutATerminal) {
  for (const char* on : {"AttachStdin", "AttachStdout", "AttachStderr", "OpenStdin", "StdinOnce"}) {
    EXPECT_EQ(Snippet()[on], true) << on;
  }
  EXPECT_EQ(Snippet()["Tty"], false);
}

}  // namespace
}  // namespace plimsoll::docker
