#include "providers/docker/engine/answers.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/docker/engine/bounded_json.h"

namespace plimsoll::docker {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

// An answer of a real engine, as it was sent; the seeds of the fuzz target.
std::string Real(const std::string& name) {
  std::ifstream file(std::string(PLIMSOLL_SOURCE_DIR) + "/fuzz/docker_answers/" + name, std::ios::binary);
  PLIMSOLL_CHECK(file.good());
  file.get();  // the byte that chooses the parser
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
T Good(Parsed<T> parsed) {
  if (const auto* malformed = std::get_if<Malformed>(&parsed)) {
    ADD_FAILURE() << malformed->why;
    return T{};
  }
  return std::get<T>(std::move(parsed));
}

template <typename T>
std::string Why(const Parsed<T>& parsed) {
  const auto* malformed = std::get_if<Malformed>(&parsed);
  return malformed == nullptr ? "not malformed" : malformed->why;
}

// `text` with the member at `pointer` replaced.
std::string With(const std::string& text, const std::string& pointer, const json& value) {
  json document = json::parse(text);
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}

std::string Without(const std::string& text, const std::string& pointer) {
  json document = json::parse(text);
  const json::json_pointer where(pointer);
  document[where.parent_pointer()].erase(where.back());
  return document.dump();
}

TEST(Answers, ReadTheVersionOfARealEngine) {
  const auto version = Good(ParseVersion(Real("version-20.10")));
  EXPECT_EQ(version.engine, "20.10.24+dfsg1");
  EXPECT_EQ(version.api, "1.41");
  EXPECT_EQ(version.least_api, "1.12");
  EXPECT_EQ(version.os, "linux");
  EXPECT_EQ(version.architecture, "amd64");
  EXPECT_THAT(version.components, testing::Contains(Pair("runc", "1.1.5+ds1")));
}

TEST(Answers, ReadTheFactsOfARealEngine) {
  const auto info = Good(ParseInfo(Real("info-20.10")));
  EXPECT_EQ(info.default_runtime, "runc");
  EXPECT_EQ(info.runtimes.at("runc"), "runc");
  EXPECT_EQ(info.runtimes.at("runsc"), "/usr/local/bin/runsc");
  EXPECT_THAT(info.runtime_arguments.at("runsc"), ElementsAre("--network=none", "--host-uds=open"));
  EXPECT_EQ(info.cgroup_version, "1");
  EXPECT_EQ(info.cgroup_driver, "cgroupfs");
  EXPECT_FALSE(info.containerd_store);
  EXPECT_TRUE(info.memory_limit && info.swap_limit && info.pids_limit && info.cpu_quota);
  EXPECT_THAT(info.security_options, ElementsAre("name=seccomp,profile=default"));
}

TEST(Answers, TellTheContainerdStoreByItsDriver) {
  const std::string real = Real("info-20.10");
  const auto with = [&](const char* status) { return ParseInfo(With(real, "/DriverStatus", json::parse(status))); };
  EXPECT_TRUE(Good(with(R"([["x","y"],["driver-type","io.containerd.snapshotter.v1"]])")).containerd_store);
  EXPECT_FALSE(Good(with(R"([["driver-type","io.containerd.snapshotter.v2"]])")).containerd_store);
  EXPECT_FALSE(Good(with(R"([["x","io.containerd.snapshotter.v1"]])")).containerd_store);
  EXPECT_FALSE(Good(with("null")).containerd_store);
  for (const char* bad : {R"([["driver-type"]])", R"([["driver-type",7]])", R"(["driver-type"])", R"("x")",
                          R"({"driver-type":"io.containerd.snapshotter.v1"})"}) {
    EXPECT_THAT(Why(with(bad)), HasSubstr("DriverStatus")) << bad;
  }
}

TEST(Answers, ReadRuntimesWithoutAPath) {
  const auto info = Good(ParseInfo(With(Real("info-20.10"), "/Runtimes",
                                        {{"runsc", {{"runtimeType", "io.containerd.runsc.v1"}}},
                                         {"runc", {{"path", "runc"}, {"status", {{"x", "y"}}}}}})));
  EXPECT_THAT(info.runtimes, ElementsAre(Pair("runc", "runc"), Pair("runsc", "")));
}

TEST(Answers, ReadARealImage) {
  const std::string real = Real("image-20.10");
  const auto image = Good(ParseImage(real));
  EXPECT_EQ(image.id, "sha256:7d7a79ed1ed6c9b4fb8bd3c461aed7e3e0ef7f60c1b1c081d5a5a6c9f28b1fcd");
  EXPECT_EQ(image.os, "linux");
  EXPECT_EQ(image.architecture, "amd64");
  EXPECT_THAT(image.environment, IsEmpty());
  EXPECT_EQ(image.descriptor_digest, "");
  const auto full = Good(ParseImage(With(
      With(
          real, "/Config",
          {{"Env", {"PATH=/bin", "A=b=c", "odd"}}, {"Volumes", {{"/data", json::object()}}}, {"Labels", {{"k", "v"}}}}),
      "/Descriptor",
      {{"mediaType", "application/vnd.oci.image.manifest.v1+json"}, {"digest", "sha256:d"}, {"size", 7}})));
  EXPECT_THAT(full.environment, ElementsAre("PATH=/bin", "A=b=c", "odd"));
  EXPECT_THAT(full.volumes, ElementsAre("/data"));
  EXPECT_THAT(full.labels, ElementsAre(Pair("k", "v")));
  EXPECT_EQ(full.descriptor_digest, "sha256:d");
  EXPECT_EQ(full.descriptor_media_type, "application/vnd.oci.image.manifest.v1+json");
}

TEST(Answers, ReadARealContainerBeforeDuringAndAfterItsLife) {
  const auto running = Good(ParseContainer(Real("inspect-running")));
  EXPECT_EQ(running.status, ContainerState::Status::kRunning);
  EXPECT_EQ(running.pid, 8875);
  EXPECT_EQ(running.runtime, "runc");
  EXPECT_FALSE(running.oom_killed);
  const auto exited = Good(ParseContainer(Real("inspect-exited")));
  EXPECT_EQ(exited.status, ContainerState::Status::kExited);
  EXPECT_EQ(exited.exit_code, 0);
  EXPECT_EQ(exited.pid, 0);
  const auto killed =
      Good(ParseContainer(With(With(Real("inspect-exited"), "/State/OOMKilled", true), "/State/ExitCode", 137)));
  EXPECT_TRUE(killed.oom_killed);
  EXPECT_EQ(killed.exit_code, 137);
}

TEST(Answers, ReadEverythingOfAContainerThatIsCompared) {
  const std::string real = With(Real("inspect-running"), "/Config/User", "61000:61000");
  const auto record = Good(ParseRecord(real));
  EXPECT_EQ(record.state.status, ContainerState::Status::kRunning);
  EXPECT_EQ(record.user, "61000:61000");
  EXPECT_EQ(record.settings.at("Privileged"), "false");
  EXPECT_EQ(record.settings.at("NetworkMode"), "\"none\"");
  EXPECT_GT(record.settings.size(), 50U);
  EXPECT_THAT(record.networks, ElementsAre("none"));
  // An engine lists mounts and networks in any order, and the members of an object too.
  const json mounts = json::array({{{"Destination", "/b"}, {"RW", true}}, {{"RW", false}, {"Destination", "/a"}}});
  const auto mounted = Good(ParseRecord(With(real, "/Mounts", mounts)));
  EXPECT_THAT(mounted.mounts, ElementsAre(R"({"Destination":"/a","RW":false})", R"({"Destination":"/b","RW":true})"));
  const json networks = {{"z", json::object()}, {"bridge", json::object()}};
  EXPECT_THAT(Good(ParseRecord(With(real, "/NetworkSettings/Networks", networks))).networks,
              ElementsAre("bridge", "z"));
}

TEST(Answers, ReadThoseOfAnEngineWithTheContainerdStore) {
  const auto version = Good(ParseVersion(Real("version-28.1")));
  EXPECT_EQ(version.api, "1.49");
  const auto info = Good(ParseInfo(Real("info-28.1")));
  EXPECT_TRUE(info.containerd_store);
  EXPECT_EQ(info.cgroup_version, "2");
  EXPECT_EQ(info.runtimes.at("runsc"), "");
  const auto image = Good(ParseImage(Real("image-28.1")));
  EXPECT_EQ(image.descriptor_digest, image.id);
  EXPECT_EQ(image.descriptor_media_type, "application/vnd.oci.image.manifest.v1+json");
  EXPECT_EQ(image.variant, "v7");
  EXPECT_THAT(image.volumes, ElementsAre("/data"));
}

TEST(Answers, ReadARealListing) {
  const auto listed = Good(ParseList(Real("list")));
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_THAT(listed.at(0).names, ElementsAre("t-engine-a"));
  EXPECT_THAT(listed.at(0).labels, ElementsAre(Pair("io.plimsoll.expires", "1")));
  EXPECT_THAT(Good(ParseList("[]")), IsEmpty());
  EXPECT_THAT(Good(ParseCreated(Real("created"))).id, testing::SizeIs(64));
}

struct Wrong {
  const char* member;
  json value;
};

template <typename T>
void ExpectMalformed(const std::string& real, Parsed<T> (*parse)(std::string_view), const std::vector<Wrong>& wrongs) {
  Good(parse(real));
  for (const Wrong& wrong : wrongs) {
    const std::string why = Why(parse(With(real, wrong.member, wrong.value)));
    EXPECT_THAT(why, HasSubstr("`")) << wrong.member << " = " << wrong.value;
  }
}

TEST(Answers, ENG1_AreMalformedAsAWholeWhereAMemberHasAnotherType) {
  const json list = json::array({1});
  ExpectMalformed(Real("version-20.10"), ParseVersion,
                  {{"/ApiVersion", 1.41},
                   {"/ApiVersion", nullptr},
                   {"/Os", json::object()},
                   {"/Components", "x"},
                   {"/Components", list},
                   {"/Components/0/Name", 7},
                   {"/MinAPIVersion", false},
                   {"/Version", std::string(4097, 'x')},
                   {"/Arch", std::string("a\0b", 3)}});
  ExpectMalformed(Real("info-20.10"), ParseInfo,
                  {{"/MemoryLimit", "true"},
                   {"/MemoryLimit", 1},
                   {"/PidsLimit", nullptr},
                   {"/Runtimes", list},
                   {"/Runtimes/runc", "runc"},
                   {"/Runtimes/runc/path", 7},
                   {"/Runtimes/runc/runtimeArgs", "x"},
                   {"/Runtimes/runc/runtimeArgs", list},
                   {"/DefaultRuntime", nullptr},
                   {"/SecurityOptions", list},
                   {"/CgroupVersion", 2}});
  ExpectMalformed(Real("image-20.10"), ParseImage,
                  {{"/Id", "sha256:short"},
                   {"/Id", 7},
                   {"/Config", nullptr},
                   {"/Config", list},
                   {"/Config/Env", "A=b"},
                   {"/Config/Env", list},
                   {"/Config/Env", json::array({nullptr})},
                   {"/Config/Volumes", list},
                   {"/Config/Labels", {{"a", 7}}},
                   {"/Os", nullptr},
                   {"/Architecture", 64},
                   {"/Descriptor", list},
                   {"/Descriptor", {{"digest", "sha256:x"}}},
                   {"/Config/Env", json::array({std::string(kMaxJsonValues + 40'000, 'x')})}});
  ExpectMalformed(Real("inspect-running"), ParseContainer,
                  {{"/State", nullptr},
                   {"/State/Status", "resting"},
                   {"/State/Status", 1},
                   {"/State/Pid", "1"},
                   {"/State/Pid", 1.5},
                   {"/State/ExitCode", nullptr},
                   {"/State/ExitCode", 18446744073709551615ULL},
                   {"/State/OOMKilled", 0},
                   {"/Image", "7d7a"},
                   {"/HostConfig", list},
                   {"/HostConfig/Runtime", 7}});
  ExpectMalformed(Real("inspect-running"), ParseRecord,
                  {{"/State/Pid", "1"},
                   {"/Config", nullptr},
                   {"/Config/User", 1},
                   {"/HostConfig", list},
                   {"/Mounts", "x"},
                   {"/NetworkSettings", nullptr},
                   {"/NetworkSettings/Networks", list}});
  ExpectMalformed(Real("list"), ParseList,
                  {{"/0/Id", "x"},
                   {"/0/Names", "x"},
                   {"/0/Names", list},
                   {"/0/Labels", list},
                   {"/0/Labels", {{"a", nullptr}}},
                   {"/0", 7}});
}

TEST(Answers, ENG1_AreMalformedWhereAMemberIsMissing) {
  const std::string version = Real("version-20.10");
  EXPECT_THAT(Why(ParseVersion(Without(version, "/ApiVersion"))), HasSubstr("`version.ApiVersion` is missing"));
  EXPECT_THAT(Why(ParseInfo(Without(Real("info-20.10"), "/SwapLimit"))), HasSubstr("SwapLimit"));
  EXPECT_THAT(Why(ParseContainer(Without(Real("inspect-running"), "/State/Pid"))), HasSubstr("State.Pid"));
  EXPECT_EQ(Good(ParseVersion(Without(version, "/MinAPIVersion"))).least_api, "");
}

TEST(Answers, ENG1_AreMalformedWhereTheTextIsNoJsonWithinTheBounds) {
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"), std::string("{} {}"),
        std::string("<html>"), std::string("\xFF{}"), std::string("{\"ApiVersion\":\"\xC3\x28\"}")}) {
    EXPECT_NE(Why(ParseVersion(text)), "not malformed") << text;
  }
  EXPECT_NE(Why(ParseList("{}")), "not malformed");
}

TEST(BoundedJson, ENG1_BoundsDepthAndCountBeforeItBuilds) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(ParseBounded(nested(kMaxJsonDepth)));
  EXPECT_FALSE(ParseBounded(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(ParseBounded(nested(std::size_t{2} << 20)));
  const auto numbers = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) {
      text += ",0";
    }
    return text + "]";
  };
  EXPECT_TRUE(ParseBounded(numbers(kMaxJsonValues - 1)));
  EXPECT_FALSE(ParseBounded(numbers(kMaxJsonValues)));
}

TEST(Answers, ENG1_BoundTheItemsOfOneList) {
  json names = json::array();
  for (int i = 0; i < 10'001; ++i) {
    names.push_back("x");
  }
  EXPECT_THAT(Why(ParseList(With(Real("list"), "/0/Names", names))), HasSubstr("more than 10000 items"));
}

TEST(Answers, TellNothingOfWhatTheyHold) {
  EXPECT_THAT(Why(ParseImage(With(Real("image-20.10"), "/Config/Env", {{"SECRET", "x"}}))), Not(HasSubstr("SECRET")));
}

TEST(Answers, KeepAtMostAKibibyteOfTheEnginesWords) {
  EXPECT_EQ(ErrorText(R"({"message":"No such container: x"})"), "No such container: x");
  EXPECT_EQ(ErrorText(R"({"message":7})"), R"({"message":7})");
  EXPECT_EQ(ErrorText("page not found\n"), "page not found\n");
  EXPECT_EQ(ErrorText(R"({"message":")" + std::string(5000, 'x') + "\"}").size(), 1024U);
}

}  // namespace
}  // namespace plimsoll::docker
