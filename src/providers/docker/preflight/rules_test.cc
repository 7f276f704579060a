#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "providers/docker/preflight/agent_program.h"
#include "providers/docker/preflight/engine_rules.h"
#include "providers/docker/preflight/file_digest.h"
#include "providers/docker/preflight/guest_uid.h"
#include "providers/docker/preflight/image_reference.h"
#include "providers/docker/preflight/image_rules.h"
#include "providers/docker/preflight/platform_name.h"
#include "providers/docker/preflight/seccomp_profile.h"
#include "providers/docker/preflight/wording.h"
#include "providers/docker/preflight/writable_budget.h"
#include "testkit/temp_folder.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kImage = "SANDBOX_DOCKER_IMAGE";

// The text of the refusal kNotProven, or `accepted`.
template <typename T>
std::string Told(const base::Result<T>& result) {
  if (result) {
    return "accepted";
  }
  const base::Refusal* refusal = base::RefusalIn(result);
  EXPECT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->rule, base::Rule::kNotProven);
  return refusal->message;
}

bool Says(const std::string& told, std::string_view part) { return told.find(part) != std::string::npos; }

// --- images' names

TEST(ImageReference, AcceptsWhatDockerTakes) {
  const std::string digest(64, 'a');
  for (const std::string& reference :
       {std::string("node:22-alpine"), std::string("plimsoll/sandbox:latest"), std::string("127.0.0.1:5000/a/b_c-d.e"),
        "a@sha256:" + digest, "sha256:" + digest, std::string(512, 'a')}) {
    EXPECT_EQ(Told(CheckImageReference(kImage, reference)), "accepted") << reference;
  }
}

TEST(ImageReference, RefusesWhatIsNoName) {
  for (const std::string reference : {"", " a", "a ", "\ta", "a\n", "-a", "a b", "a/../b", "./a", "a//b", "/a", "a/",
                                      "a?b", "a%2fb", "a#b", "a\x01z", "\xc3\xa9"}) {
    EXPECT_TRUE(Told(CheckImageReference(kImage, reference)).starts_with("SANDBOX_DOCKER_IMAGE: ")) << reference;
  }
  EXPECT_TRUE(Says(Told(CheckImageReference(kImage, std::string(513, 'a'))), "513 bytes, limit 512"));
}

TEST(ImageReference, P29_RefusesATagWhenPinnedAndADigestOf63Digits) {
  const std::string digits(64, 'a');
  EXPECT_EQ(Told(CheckPinned(kImage, "node:22-alpine@sha256:" + digits)), "accepted");
  for (const std::string& reference :
       {std::string("node:22-alpine"), "node@sha256:" + digits.substr(1), "node@sha256:" + digits + "a",
        "node@sha256:" + std::string(64, 'g'), "node@sha256:" + std::string(64, 'A'), "@sha256:" + digits,
        "sha256:" + digits, "node@sha512:" + digits}) {
    EXPECT_TRUE(Says(Told(CheckPinned(kImage, reference)), "is not pinned")) << reference;
  }
}

// --- /work

TEST(WritableBudget, P32_LeavesWorkTheRest) {
  EXPECT_EQ(WorkMb(0).value(), 128U);
  EXPECT_EQ(WorkMb(100).value(), 68U);
  EXPECT_EQ(WorkMb(33).value(), 1U);
  EXPECT_EQ(WorkMb(UINT32_MAX).value(), UINT32_MAX - 32);
}

TEST(WritableBudget, P32_RefusesWhatLeavesNothing) {
  for (const std::uint32_t disk : {1U, 31U, 32U}) {
    EXPECT_TRUE(Says(Told(WorkMb(disk)), "SANDBOX_DISK_MB: " + std::to_string(disk) + " leaves nothing for /work"));
  }
  EXPECT_TRUE(Says(Told(WorkMb(32)), "at least 33"));
}

// --- the guest's uid

// A host whose files are these; every other file is missing.
class Files {
 public:
  void Hold(const std::string& path, std::string content) { files_[path] = std::move(content); }
  void Break(const std::string& path) { files_[path] = std::nullopt; }
  ReadFile Reader() {
    return [this](const std::string& path, std::size_t most) -> base::Result<std::optional<std::string>> {
      const auto file = files_.find(path);
      if (file == files_.end()) {
        return std::optional<std::string>();
      }
      if (!file->second || file->second->size() > most) {
        return base::Fault{base::FaultKind::kInternal, "read " + path + ": broken or too long"};
      }
      return file->second;
    };
  }

 private:
  std::map<std::string, std::optional<std::string>> files_;
};

TEST(GuestUid, P31_RefusesTheRangesAlsoForTheNumberAfter) {
  Files none;
  const ReadFile read = none.Reader();
  for (const std::uint32_t uid : {0U, 65533U, 65534U, 60000U, 60001U, 60513U, 60577U, 60578U, 60705U, 61183U, 61184U,
                                  61200U, 65519U, UINT32_MAX}) {
    EXPECT_TRUE(Told(CheckGuestUid(uid, read)).starts_with("SANDBOX_GUEST_UID: " + std::to_string(uid))) << uid;
  }
  for (const std::uint32_t uid : {1U, 59999U, 60514U, 60576U, 60706U, 61000U, 61182U, 65520U, 65532U}) {
    EXPECT_EQ(Told(CheckGuestUid(uid, read)), "accepted") << uid;
  }
}

TEST(GuestUid, P31_RefusesANumberOfThisHostAlsoAsTheOneAfter) {
  Files files;
  files.Hold("/etc/passwd",
             "root:x:0:0:root:/root:/bin/sh\nowner:x:61002:700::/:/bin/sh\nnobody:x:65534:61010::/:/x\n");
  files.Hold("/etc/group", "root:x:0:\nmakers:x:0061020:a,b");
  const ReadFile read = files.Reader();
  for (const std::uint32_t uid : {61001U, 61002U, 61009U, 61010U, 699U, 700U}) {
    EXPECT_TRUE(Says(Told(CheckGuestUid(uid, read)), "is in use in /etc/passwd")) << uid;
  }
  for (const std::uint32_t uid : {61019U, 61020U}) {
    EXPECT_TRUE(Says(Told(CheckGuestUid(uid, read)), "the number 61020 is in use in /etc/group")) << uid;
  }
  for (const std::uint32_t uid : {61000U, 61003U, 61021U}) {
    EXPECT_EQ(Told(CheckGuestUid(uid, read)), "accepted") << uid;
  }
}

TEST(GuestUid, P31_PRE1_SkipsAMissingFileAndFailsOnOneItCannotRead) {
  Files files;
  files.Hold("/etc/passwd", "");
  EXPECT_EQ(Told(CheckGuestUid(61000, files.Reader())), "accepted");
  files.Break("/etc/group");
  EXPECT_TRUE(Says(Told(CheckGuestUid(61000, files.Reader())), "read /etc/group: broken"));
}

TEST(GuestUid, ReadsOddLinesForWhatTheyAre) {
  EXPECT_TRUE(PasswdHolds("a:x:0:5", 0));
  EXPECT_TRUE(PasswdHolds("a:x:000:5", 0));
  EXPECT_TRUE(PasswdHolds("a:x:00061000:5", 61000));
  EXPECT_FALSE(PasswdHolds("a:x::", 0));
  EXPECT_FALSE(PasswdHolds("61000", 61000));
  EXPECT_FALSE(PasswdHolds("61000:61000", 61000));
  EXPECT_FALSE(PasswdHolds("a:x:610000:610001", 61000));
  EXPECT_FALSE(PasswdHolds("a:x: 61000:-61000", 61000));
  EXPECT_FALSE(PasswdHolds("a:x:5:6:61000:61000", 61000));
  EXPECT_FALSE(GroupHolds("a:x:5:61000", 61000));
  EXPECT_TRUE(GroupHolds("\n\na:x:61000", 61000));
  EXPECT_TRUE(GroupHolds("+:::\na:x:61000:\n", 61000));
}

// --- the filter

TEST(Seccomp, TakesNoneUnconfinedOrAProfile) {
  Files files;
  files.Hold("/profile", " {\"defaultAction\": \"SCMP_ACT_ERRNO\"}\n");
  EXPECT_EQ(LoadSeccomp("", files.Reader()).value(), "");
  EXPECT_EQ(LoadSeccomp("unconfined", files.Reader()).value(), "unconfined");
  EXPECT_EQ(LoadSeccomp("/profile", files.Reader()).value(), " {\"defaultAction\": \"SCMP_ACT_ERRNO\"}\n");
}

TEST(Seccomp, RefusesAFileThatIsNotThereOrNoProfile) {
  Files files;
  EXPECT_TRUE(Says(Told(LoadSeccomp("/profile", files.Reader())), "/profile does not exist"));
  for (const std::string content : {"", "[]", "{", "{}{}", "\"x\"", "{\"a\":}", "{'a':1}", "unconfined"}) {
    files.Hold("/profile", content);
    EXPECT_TRUE(Says(Told(LoadSeccomp("/profile", files.Reader())), "holds no JSON object")) << content;
  }
  files.Hold("/profile", "{\"a\":\"" + std::string(1 << 20, 'x') + "\"}");
  EXPECT_TRUE(Says(Told(LoadSeccomp("/profile", files.Reader())),
                   "read /profile: broken or too long; name a profile of at most 1048576 bytes"));
}

TEST(Seccomp, SurvivesDeepNesting) {
  EXPECT_FALSE(IsJsonObject("{\"a\":" + std::string(500'000, '[')));
  EXPECT_TRUE(IsJsonObject("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"));
}

// --- the engine

EngineInfo GoodInfo() {
  EngineInfo info;
  info.runtimes = {{"runc", "runc"}, {"runsc", "/usr/local/bin/runsc"}, {"odd", "/opt/odd"}};
  info.default_runtime = "runc";
  info.memory_limit = info.swap_limit = info.pids_limit = info.cpu_quota = true;
  return info;
}

TEST(EngineRules, XE11_NameEveryControllerThatIsMissing) {
  EXPECT_EQ(Told(CheckControllers(GoodInfo())), "accepted");
  EngineInfo info = GoodInfo();
  info.pids_limit = false;
  EXPECT_TRUE(Says(Told(CheckControllers(info)), "lacks the controllers pids;"));
  info.memory_limit = info.swap_limit = info.cpu_quota = false;
  EXPECT_TRUE(Says(Told(CheckControllers(info)), "lacks the controllers memory, memory swap, pids, cpu quota;"));
}

TEST(EngineRules, P26_OnlyRunscCanEarnKernel) {
  EXPECT_EQ(TierOfRuntime("", GoodInfo()).value(), isolation::Tier::kContainer);
  EXPECT_EQ(TierOfRuntime("runc", GoodInfo()).value(), isolation::Tier::kContainer);
  EXPECT_EQ(TierOfRuntime("odd", GoodInfo()).value(), isolation::Tier::kContainer);
  EXPECT_EQ(TierOfRuntime("runsc", GoodInfo()).value(), isolation::Tier::kKernel);
  EngineInfo info = GoodInfo();
  info.default_runtime = "runsc";
  EXPECT_EQ(TierOfRuntime("", info).value(), isolation::Tier::kContainer) << "the name must be configured";
}

TEST(EngineRules, P25_RefusesARuntimeThatIsNotRegisteredOrARunscThatIsAnother) {
  EXPECT_TRUE(Says(Told(TierOfRuntime("nope", GoodInfo())), "no runtime nope, it has odd, runc, runsc"));
  EXPECT_TRUE(Says(Told(TierOfRuntime("RUNSC", GoodInfo())), "no runtime RUNSC"));
  EngineInfo info = GoodInfo();
  for (const std::string path : {"/usr/bin/runc", "", "/usr/bin/runsc/", "/usr/bin/runsc.sh", "xrunsc"}) {
    info.runtimes["runsc"] = path;
    EXPECT_TRUE(Says(Told(TierOfRuntime("runsc", info)), "which is not named runsc")) << path;
  }
  info.runtimes["runsc"] = "runsc";
  EXPECT_EQ(TierOfRuntime("runsc", info).value(), isolation::Tier::kKernel);
}

TEST(EngineRules, StateOfARuntimeWhatTheEngineKnows) {
  EngineVersion version;
  version.components = {{"runc", "1.1.5+ds1"}, {"Engine", "20.10.24"}};
  EXPECT_EQ(RuntimeVersion("", GoodInfo(), version), "runc 1.1.5+ds1");
  EXPECT_EQ(RuntimeVersion("runc", GoodInfo(), version), "runc 1.1.5+ds1");
  EXPECT_EQ(RuntimeVersion("runsc", GoodInfo(), version), "runsc");
}

// --- images

EngineImage GoodImage() {
  EngineImage image;
  image.id = "sha256:" + std::string(64, 'a');
  image.os = "linux";
  image.architecture = "amd64";
  image.environment = {"PATH=/bin", "EMPTY=", "EQUALS=a=b"};
  return image;
}

TEST(ImageRules, P28_RefusesVolumesAndEnvironmentsThatReachBeforeMain) {
  EXPECT_EQ(Told(CheckImage("x", GoodImage())), "accepted");
  EngineImage image = GoodImage();
  image.volumes = {"/data"};
  EXPECT_TRUE(Says(Told(CheckImage("a/b:c", image)), "image a/b:c: declares VOLUME /data"));
  for (const std::string name :
       {"LD_DEBUG", "LD_PRELOAD", "LD_", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "GCONV_PATH"}) {
    image = GoodImage();
    image.environment.push_back(name + "=x");
    EXPECT_TRUE(Says(Told(CheckImage("a", image)), "image a: its environment sets " + name)) << name;
  }
  for (const std::string entry : {"NOEQUALS", "=value", ""}) {
    image = GoodImage();
    image.environment.push_back(entry);
    EXPECT_TRUE(Says(Told(CheckImage("a", image)), "an entry that is not NAME=value")) << entry;
  }
  for (const std::string entry : {"LDX=1", "ld_debug=1", "XLD_DEBUG=1", "LOCPATHS=1", "A=LD_DEBUG=1"}) {
    image = GoodImage();
    image.environment.push_back(entry);
    EXPECT_EQ(Told(CheckImage("a", image)), "accepted") << entry;
  }
}

TEST(ImageRules, RefusesAnIdThatIsNoneAndAnotherSystem) {
  for (const std::string& id : {std::string(), std::string("sha256:"), "sha512:" + std::string(64, 'a'),
                                "sha256:" + std::string(63, 'a'), "sha256:" + std::string(64, 'Z')}) {
    EngineImage image = GoodImage();
    image.id = id;
    EXPECT_TRUE(Says(Told(CheckImage("a", image)), "its id is not")) << id;
  }
  EngineImage image = GoodImage();
  image.os = "windows";
  EXPECT_TRUE(Says(Told(CheckImage("a", image)), "linux is needed"));
}

TEST(ImageRules, P68_IdentityIsTheProvenManifestOrNoneOnTheClassicStore) {
  EngineImage image = GoodImage();
  EXPECT_EQ(SoftwareIdentity("a", image, ImageStore::kClassic, "linux/amd64").value(), "");
  EXPECT_TRUE(Says(Told(SoftwareIdentity("a", image, ImageStore::kContainerd, "linux/amd64")), "does not prove"));
  for (const std::string type :
       {"application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json"}) {
    image.descriptor_digest = image.id;
    image.descriptor_media_type = type;
    EXPECT_EQ(SoftwareIdentity("a", image, ImageStore::kContainerd, "linux/amd64").value(),
              "oci-manifest:linux/amd64@" + image.id);
  }
  EXPECT_TRUE(Says(Told(SoftwareIdentity("a", image, ImageStore::kContainerd, "linux/arm64")), "for linux/arm64"));
  image.descriptor_digest = "sha256:" + std::string(64, 'b');
  EXPECT_TRUE(Says(Told(SoftwareIdentity("a", image, ImageStore::kContainerd, "linux/amd64")), "does not prove"));
  image.descriptor_digest = image.id;
  image.descriptor_media_type = "application/vnd.oci.image.index.v1+json";
  EXPECT_TRUE(Says(Told(SoftwareIdentity("a", image, ImageStore::kContainerd, "linux/amd64")), "does not prove"));
}

TEST(PlatformName, IsOneWhateverThePlatformIsCalled) {
  const std::map<std::string, std::string> names = {
      {"linux/amd64", "linux/amd64"},      {"Linux/X86_64", "linux/amd64"},
      {"linux/x86-64/v1", "linux/amd64"},  {"linux/amd64/v3", "linux/amd64/v3"},
      {"linux/aarch64", "linux/arm64"},    {"linux/arm64/v8", "linux/arm64"},
      {"linux/arm64/V8.0", "linux/arm64"}, {"linux/aarch64/v9.0", "linux/arm64/v9"},
      {"linux/arm", "linux/arm/v7"},       {"linux/arm/v6", "linux/arm/v6"},
      {"linux/armhf", "linux/arm/v7"},     {"linux/armel", "linux/arm/v6"},
      {"linux/i386", "linux/386"},         {"linux/riscv64", "linux/riscv64"},
  };
  for (const auto& [written, normal] : names) {
    EXPECT_EQ(ParsePlatformName(written), normal) << written;
    EXPECT_EQ(ParsePlatformName(normal), normal) << "normal form is its own";
  }
  for (const std::string text :
       {"", "linux", "linux/", "/amd64", "linux/amd64/v1/x", "linux//v1", "linux/a b", "linux/amd64/", "linux/-a"}) {
    EXPECT_EQ(ParsePlatformName(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParsePlatformName("linux/" + std::string(33, 'a')), std::nullopt);
}

// --- the agent program

struct Agent {
  std::optional<os::FileStanding> standing =
      os::FileStanding{.owner = 0, .permissions = 0755, .file_system_runs_programs = true, .version = "1"};
  std::string path = "/opt/plimsoll-guest";
  std::optional<std::string> content = "program";
  int digests = 0;

  AgentProgram Program() {
    return AgentProgram(
        path, 1000, [this](const std::string&) -> base::Result<std::optional<os::FileStanding>> { return standing; },
        [this](const std::string&) -> base::Result<std::string> {
          ++digests;
          if (!content) {
            return base::Fault{base::FaultKind::kInternal, "broken"};
          }
          return base::Sha256Hex(*content);
        });
  }
  std::string Told() { return docker::Told(Program().Check()); }
};

TEST(AgentProgram, IsStatedByItsDigestReadOnceUntilItChanges) {
  Agent agent;
  AgentProgram program = agent.Program();
  EXPECT_EQ(program.Check().value(), base::Sha256Hex("program"));
  EXPECT_EQ(program.Check().value(), base::Sha256Hex("program"));
  EXPECT_EQ(agent.digests, 1);
  agent.content = "another";
  agent.standing->version = "2";
  EXPECT_EQ(program.Check().value(), base::Sha256Hex("another"));
}

TEST(FileDigest, IsTheSha256OfTheWholeFile) {
  const testkit::TempFolder folder;
  const std::string content(200'000, 'x');
  const std::string path = folder.Write("file", content);
  EXPECT_EQ(DigestOf(path).value(), base::Sha256Hex(content));
  folder.Write("file", "");
  EXPECT_EQ(DigestOf(path).value(), base::Sha256Hex(""));
  std::filesystem::remove(path);
  EXPECT_FALSE(DigestOf(path).has_value());
  EXPECT_FALSE(DigestOf("/proc/self").has_value());
}

TEST(AgentProgram, BelongsToRootOrTheDaemon) {
  Agent agent;
  agent.standing->owner = 1000;
  EXPECT_EQ(agent.Told(), "accepted");
  agent.standing->owner = 1001;
  EXPECT_TRUE(Says(agent.Told(), "belongs to uid 1001"));
}

TEST(AgentProgram, IsWrittenByNobodyElseAndRunByEverybody) {
  Agent agent;
  for (const std::uint32_t bad : {0775U, 0757U, 0777U}) {
    agent.standing->permissions = bad;
    EXPECT_TRUE(Says(agent.Told(), "can be written by group or others")) << bad;
  }
  for (const std::uint32_t bad : {0700U, 0750U, 0744U, 0644U, 0751U}) {
    agent.standing->permissions = bad;
    EXPECT_TRUE(Says(agent.Told(), "cannot be read and executed by everybody")) << bad;
  }
  agent.standing->permissions = 0555;
  EXPECT_EQ(agent.Told(), "accepted");
}

TEST(AgentProgram, LiesWhereProgramsMayRun) {
  Agent agent;
  agent.standing->file_system_runs_programs = false;
  EXPECT_TRUE(Says(agent.Told(), "mounted noexec"));
  Agent relative;
  relative.path = "plimsoll-guest";
  EXPECT_TRUE(Says(relative.Told(), "no absolute path"));
  Agent absent;
  absent.standing.reset();
  EXPECT_TRUE(Says(absent.Told(), "cannot use /opt/plimsoll-guest: no such file"));
}

TEST(AgentProgram, SaysWhyItCannotBeRead) {
  Agent agent;
  agent.content.reset();
  EXPECT_TRUE(Says(agent.Told(), "cannot use /opt/plimsoll-guest: broken"));
}

TEST(Wording, ShowsOnlyPrintableTextAndLittleOfIt) {
  EXPECT_EQ(Shown("a\nb\x1b[0m\xff"), "a?b?[0m?");
  EXPECT_EQ(Shown(std::string(100, 'x')), std::string(80, 'x') + "...");
}

}  // namespace
}  // namespace plimsoll::docker
