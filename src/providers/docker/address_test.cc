#include "providers/docker/address.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "os/read_file.h"

namespace plimsoll::docker {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The files of a docker client, by path.
using Files = std::map<std::string, std::string>;

ReadFile Reading(const Files& files) {
  return [&files](const std::string& path, std::size_t most) -> base::Result<std::optional<std::string>> {
    const auto found = files.find(path);
    if (found == files.end()) {
      return std::optional<std::string>();
    }
    if (found->second.size() > most) {
      return base::Fault{base::FaultKind::kInternal, path + " has more than " + std::to_string(most) + " bytes"};
    }
    return std::optional(found->second);
  };
}

std::string MetaPath(const std::string& folder, const std::string& name) {
  return folder + "/contexts/meta/" + base::Sha256Hex(name) + "/meta.json";
}

// As docker 28 writes it.
std::string Meta(const std::string& name, const std::string& host) {
  return R"({"Name":")" + name + R"(","Metadata":{"Description":"x","StackOrchestrator":"swarm"},"Endpoints":)" +
         R"({"docker":{"Host":")" + host + R"(","SkipTLSVerify":false}}})";
}

// As docker writes it, with keys that are nobody's business here.
std::string Config(const std::string& current) {
  return R"({"auths":{"https://index.docker.io/v1/":{"auth":"c2VjcmV0"}},"credsStore":"pass",)"
         R"("proxies":{"default":{"httpProxy":"http://secret@proxy:3128"}},"currentContext":)" +
         current + "}";
}

std::string Resolved(const Settings& settings, const Files& files = {}) {
  const auto address = ResolveAddress(settings, Reading(files));
  return address ? *address : "error: " + std::string(base::TextOf(address.error()));
}

std::string Refused(const Settings& settings, const Files& files = {}) {
  const auto address = ResolveAddress(settings, Reading(files));
  const auto* refusal = base::RefusalIn(address);
  if (refusal == nullptr) {
    ADD_FAILURE() << "not refused";
    return {};
  }
  EXPECT_EQ(refusal->rule, base::Rule::kUnavailable);
  return refusal->message;
}

Settings Host(std::string host) {
  Settings settings;
  settings.docker_host = std::move(host);
  settings.home = "/home/op";
  return settings;
}

Settings Context(std::string context) {
  Settings settings;
  settings.docker_context = std::move(context);
  settings.home = "/home/op";
  return settings;
}

TEST(Address, IsTheUsualSocketWhereNothingIsSaid) {
  EXPECT_EQ(Resolved({}), "/var/run/docker.sock");
  EXPECT_EQ(Resolved(Host("")), "/var/run/docker.sock");
  EXPECT_EQ(Resolved(Host(""), {{"/home/op/.docker/config.json", "{}"}}), "/var/run/docker.sock");
  EXPECT_EQ(Resolved(Host(""), {{"/home/op/.docker/config.json", Config("null")}}), "/var/run/docker.sock");
  EXPECT_EQ(Resolved(Host(""), {{"/home/op/.docker/config.json", Config("\"default\"")}}), "/var/run/docker.sock");
}

TEST(Address, TakesASocketFromDockerHostFirst) {
  Settings settings = Host("unix:///run/user/1000/docker.sock");
  settings.docker_context = "elsewhere";
  EXPECT_EQ(Resolved(settings), "/run/user/1000/docker.sock");
  EXPECT_EQ(Resolved(Host("/tmp/dk/sock")), "/tmp/dk/sock");
  EXPECT_EQ(Resolved(Host("unix:///" + std::string(106, 'x'))), "/" + std::string(106, 'x'));
}

TEST(Address, P24_RefusesARemoteEngineByTheNameOfItsForm) {
  EXPECT_THAT(Refused(Host("tcp://10.0.0.1:2375")),
              AllOf(HasSubstr("form tcp in DOCKER_HOST"), HasSubstr("set DOCKER_HOST to unix://")));
  EXPECT_THAT(Refused(Host("ssh://op:secret@build")), AllOf(HasSubstr("form ssh"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Refused(Host("http://10.0.0.1")), HasSubstr("form http in"));
  EXPECT_THAT(Refused(Host("https://10.0.0.1")), HasSubstr("form https in"));
  EXPECT_THAT(Refused(Host("npipe:////./pipe/docker_engine")), HasSubstr("form npipe"));
  EXPECT_THAT(Refused(Host("fd://")), HasSubstr("form fd"));
  EXPECT_THAT(Refused(Host("10.0.0.1:2375")), HasSubstr("form tcp"));
  EXPECT_THAT(Refused(Host(":2375")), HasSubstr("form tcp"));
  EXPECT_THAT(Refused(Host("gopher://secret")), AllOf(HasSubstr("no form that is known"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Refused(Host("docker.sock")), HasSubstr("no form that is known"));
  EXPECT_THAT(Refused(Host("UNIX:///run/docker.sock")), HasSubstr("no form that is known"));
}

TEST(Address, RefusesASocketThatIsNoAbsolutePathOrTooLong) {
  for (const std::string& host :
       {std::string("unix://docker.sock"), std::string("unix://"), "unix:///" + std::string(107, 'x'),
        "/" + std::string(107, 'x'), std::string("unix:///run/\x01"), std::string("/run/docker.sock\n")}) {
    EXPECT_THAT(Refused(Host(host)), HasSubstr("absolute path of at most 107 bytes: correct DOCKER_HOST")) << host;
  }
}

TEST(Address, FollowsTheContextOfTheVariableThenOfTheFile) {
  const Files files = {
      {"/home/op/.docker/config.json", Config("\"rootless\"")},
      {MetaPath("/home/op/.docker", "rootless"), Meta("rootless", "unix:///run/user/1000/docker.sock")},
      {MetaPath("/home/op/.docker", "build.2+x-y_z"), Meta("build.2+x-y_z", "unix:///run/build.sock")},
  };
  EXPECT_EQ(Resolved(Host(""), files), "/run/user/1000/docker.sock");
  EXPECT_EQ(Resolved(Context("build.2+x-y_z"), files), "/run/build.sock");
  EXPECT_EQ(Resolved(Context("default"), files), "/var/run/docker.sock");
  EXPECT_EQ(Resolved(Host("unix:///run/other.sock"), files), "/run/other.sock");
}

TEST(Address, ReadsTheFolderOfDockerConfigInsteadOfHome) {
  Settings settings = Host("");
  settings.docker_config = "/etc/op/docker";
  const Files files = {
      {"/home/op/.docker/config.json", Config("\"wrong\"")},
      {"/etc/op/docker/config.json", Config("\"right\"")},
      {MetaPath("/etc/op/docker", "right"), Meta("right", "unix:///run/right.sock")},
  };
  EXPECT_EQ(Resolved(settings, files), "/run/right.sock");
}

TEST(Address, P24_RefusesAContextThatNamesARemoteEngine) {
  const Files files = {
      {"/home/op/.docker/config.json", Config("\"prod\"")},
      {MetaPath("/home/op/.docker", "prod"), Meta("prod", "ssh://op@prod")},
      {MetaPath("/home/op/.docker", "lab"), Meta("lab", "tcp://10.0.0.1:2376")},
  };
  EXPECT_THAT(Refused(Host(""), files), HasSubstr("form ssh in the docker context prod"));
  EXPECT_THAT(Refused(Context("lab"), files), HasSubstr("form tcp in the docker context lab"));
}

TEST(Address, RefusesAContextThatIsNotThere) {
  EXPECT_THAT(Refused(Context("gone")), HasSubstr("does not exist: gone, named by DOCKER_CONTEXT"));
  EXPECT_THAT(Refused(Host(""), {{"/home/op/.docker/config.json", Config("\"gone\"")}}),
              HasSubstr("does not exist: gone, named by /home/op/.docker/config.json"));
}

TEST(Address, RefusesANameThatIsNoContexts) {
  for (const char* name : {"../../etc", "a b", "x", "-ab", "a\nb", "\xC3\xA9t\xC3\xA9"}) {
    EXPECT_THAT(Refused(Context(name)), HasSubstr("correct DOCKER_CONTEXT")) << name;
  }
}

TEST(Address, RefusesFilesThatItCannotMakeOut) {
  const std::string config = "/home/op/.docker/config.json";
  const std::string meta = MetaPath("/home/op/.docker", "ab");
  const auto refused = [&](const std::string& text) { return Refused(Host(""), {{config, text}}); };
  EXPECT_THAT(refused("not JSON"), HasSubstr("is not one JSON object"));
  EXPECT_THAT(refused("[]"), HasSubstr("is not one JSON object"));
  EXPECT_THAT(refused("{} {}"), HasSubstr("is not one JSON object"));
  EXPECT_THAT(refused(R"({"a":)" + std::string(40, '[') + std::string(40, ']') + "}"), HasSubstr("JSON object"));
  EXPECT_THAT(refused(R"({"currentContext":7})"), HasSubstr("currentContext that is not a text"));
  EXPECT_THAT(refused(std::string(kMaxClientFile + 1, ' ')), HasSubstr("more than 1048576 bytes"));
  for (const std::string& text :
       {std::string("{}"), Meta("other", "unix:///run/x.sock"), std::string(R"({"Name":"ab","Endpoints":[]})"),
        std::string(R"({"Name":"ab","Endpoints":{"kubernetes":{"Host":"unix:///x"}}})"),
        std::string(R"({"Name":"ab","Endpoints":{"docker":{"Host":7}}})"), Meta("ab", "")}) {
    EXPECT_THAT(Refused(Context("ab"), {{meta, text}}), HasSubstr("states no address of the context ab")) << text;
  }
}

TEST(Address, TellsWhatItCouldNotReadAndNothingOfItsContent) {
  const std::string path = testing::TempDir();
  Settings settings = Host("");
  settings.docker_config = "/proc/self";
  // A folder where a file should be.
  const auto address =
      ResolveAddress(settings, [&](const std::string&, std::size_t most) { return os::ReadFile(path, most); });
  ASSERT_NE(base::RefusalIn(address), nullptr);
  EXPECT_THAT(base::RefusalIn(address)->message, HasSubstr("is not a regular file"));
  EXPECT_THAT(Refused(Host(""), {{"/home/op/.docker/config.json", R"({"auths":"c2VjcmV0",)"}}),
              Not(HasSubstr("c2VjcmV0")));
}

}  // namespace
}  // namespace plimsoll::docker
