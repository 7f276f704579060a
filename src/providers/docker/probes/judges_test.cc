#include "providers/docker/probes/judges.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "providers/docker/probes/verdicts.h"
#include "providers/docker/testing/recorded_facts.h"

namespace plimsoll::docker {
namespace {

using Outcome = isolation::Probe::Outcome;
using Judge = Verdict (*)(const Seen& seen);

Promise PromiseUnder(Kernel kernel) {
  return {.work = Work::kMounted,
          .kernel = kernel,
          .filter = Filter::kApplied,
          .uid = 61000,
          .memory_mb = 256,
          .pids = 256,
          .work_mb = 128,
          .cpus = 1,
          .processors = 2};
}

// A trial whose call ended, in the group of a container with every limit.
Trial Ended() {
  Trial trial;
  trial.how = CallEnd::How::kDone;
  trial.steps.emplace_back();
  trial.steps[0].exited.emplace();
  trial.before = {.names_container = true,
                  .pids_max = "256",
                  .memory_max = "268435456",
                  .cpu_max = "100000 100000",
                  .cpu_used_us = 50'000,
                  .cpu_held_back = 0};
  trial.after = trial.before;
  trial.between = std::chrono::milliseconds(650);
  return trial;
}

Trial Killed() {
  Trial trial = Ended();
  trial.steps[0].exited->exit_code = 137;
  trial.steps[0].exited->signal = 9;
  return trial;
}

Trial SandboxOver(std::int64_t exit_code, bool out_of_memory) {
  Trial trial = Ended();
  trial.steps[0].exited.reset();
  trial.how = CallEnd::How::kContainerEnded;
  trial.container.emplace();
  trial.container->exit_code = exit_code;
  trial.container->oom_killed = out_of_memory;
  return trial;
}

Verdict Judged(Judge judge, const Promise& promise, const Trial& trial, std::string_view facts) {
  auto found = ParseFindings(facts);
  EXPECT_TRUE(found.has_value()) << base::TextOf(found.error());
  return judge({.promise = promise, .trial = trial, .found = *found});
}

// The verdict on a call that ended, of these facts.
Verdict Runc(Judge judge, std::string_view facts) {
  return Judged(judge, PromiseUnder(Kernel::kHosts), Ended(), facts);
}
Verdict Runsc(Judge judge, std::string_view facts) { return Judged(judge, PromiseUnder(Kernel::kOwn), Ended(), facts); }

void ExpectFail(const Verdict& verdict, std::string_view part) {
  EXPECT_EQ(verdict.outcome, Outcome::kFail) << verdict.detail;
  EXPECT_NE(verdict.detail.find(part), std::string::npos) << verdict.detail;
}
void ExpectPass(const Verdict& verdict) { EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.detail; }
void ExpectSkip(const Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, Outcome::kSkip) << verdict.detail;
  EXPECT_FALSE(verdict.detail.empty()) << "a skip names its reason";
}

constexpr Judge kOfFacts[] = {JudgeRootWrite,  JudgeMounts,      JudgeWritable, JudgeIdentity, JudgeInterfaces,
                              JudgeHostSocket, JudgeAgentHidden, JudgeFillTmp,  JudgeFillShm,  JudgeFillWork};

TEST(Judges, PassWhatRuncAndRunscShowUnderAllSettings) {
  for (const Judge judge : kOfFacts) {
    ExpectPass(Runc(judge, recorded::kRunc));
    ExpectPass(Runsc(judge, recorded::kRunsc));
  }
  ExpectPass(Runc(JudgeStatedLimits, recorded::kRunc));
  ExpectSkip(Runsc(JudgeStatedLimits, recorded::kRunsc));
  ExpectPass(Runsc(JudgeHostGroup, recorded::kRunsc));
  ExpectSkip(Runc(JudgeHostGroup, recorded::kRunc));
}

TEST(Judges, PRB2_FailWhatWasNotSaid) {
  for (const Judge judge : kOfFacts) {
    ExpectFail(Runc(judge, ""), "the probe said nothing: the call ended");
  }
  ExpectFail(Runc(JudgeStatedLimits, ""), "the probe said nothing");
  Trial trial;
  trial.failure = "no sandbox could be made: x";
  for (const Judge judge : {JudgeMemoryLimit, JudgePidsLimit, JudgeCpuLimit, JudgeMounts}) {
    ExpectFail(Judged(judge, PromiseUnder(Kernel::kHosts), trial, ""), "no sandbox could be made: x");
  }
  ExpectFail(Judged(JudgeHostGroup, PromiseUnder(Kernel::kOwn), trial, ""), "no sandbox could be made: x");
}

// --- a setting that a runtime dropped

TEST(Judges, P35_FailAWritableRootThoughTheUserMayNotWriteThere) {
  ExpectFail(Runc(JudgeRootWrite, recorded::kWritableRoot), "refused with EACCES");
  ExpectFail(Runc(JudgeMounts, recorded::kWritableRoot), "/ is not mounted read-only");
  ExpectFail(Runsc(JudgeMounts, recorded::kWritableRoot), "/ is not mounted read-only");
  ExpectFail(Runsc(JudgeRootWrite, "{\"probe\":\"root-write\",\"result\":\"ok\"}\n"), "a file was created");
}

TEST(Judges, P35_FailATmpfsWithoutItsSize) {
  ExpectFail(Runc(JudgeMounts, recorded::kTmpfsWithoutSize), "/dev/shm is mounted without size=16384k");
  ExpectFail(Runc(JudgeFillTmp, recorded::kTmpfsWithoutSize), "was not stopped at its size");
  ExpectFail(Runc(JudgeFillShm, recorded::kTmpfsWithoutSize), "was not stopped at its size");
  ExpectFail(Runc(JudgeFillWork, recorded::kTmpfsWithoutSize), "was not stopped at its size");
}

TEST(Judges, P35_FailADroppedPidsLimit) {
  ExpectFail(Runc(JudgePidsLimit, recorded::kNoPidsLimit), "was not stopped after 272 processes, limit 256");
  ExpectFail(Runsc(JudgePidsLimit, recorded::kNoPidsLimit), "was not stopped");
  ExpectFail(Runc(JudgeStatedLimits, recorded::kNoPidsLimitStated), "pids.max is max, 256 is promised");
}

TEST(Judges, P35_FailADroppedMemoryLimit) {
  ExpectFail(Runc(JudgeMemoryLimit, recorded::kNoMemoryLimit), "held 320 MiB, limit 256 MiB");
  ExpectFail(Runsc(JudgeMemoryLimit, recorded::kNoMemoryLimit), "was not stopped at the limit");
  ExpectFail(Runc(JudgeStatedLimits, recorded::kNoMemoryLimitStated), "the memory limit is 9223372036854771712");
}

TEST(Judges, P35_FailADroppedProcessorLimit) {
  ExpectFail(Runc(JudgeStatedLimits, recorded::kNoCpuLimitStated), "the processor limit");
  Trial trial = Ended();
  trial.after.cpu_used_us = 50'000 + 1'180'000;  // two processors, 600 ms
  const std::string_view facts = "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":602,\"used_ms\":1180}\n";
  ExpectFail(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kHosts), trial, facts), "used 1180 ms in 650 ms");
  ExpectFail(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kOwn), trial, facts), "by the host's count");
}

TEST(Judges, P35_FailPrivilegesThatAreLeft) {
  ExpectFail(Runc(JudgeIdentity, recorded::kPrivileges), "a capability is left in cap_bnd");
  ExpectFail(Runc(JudgeIdentity, recorded::kRoot), "a uid or gid is not 61000");
  ExpectFail(Runc(JudgeInterfaces, recorded::kHostNetwork), "4 network interfaces");
  ExpectFail(Runc(JudgeAgentHidden, recorded::kOpenAgent), "of process 1 was not refused");
  ExpectFail(Runsc(JudgeAgentHidden, recorded::kOpenAgentRunsc), "of process 1 was not refused");
}

// --- mounts and what can be written

std::string Mounts(std::string_view row) {
  return "{\"probe\":\"mounts\",\"rows\":[[\"/\",\"overlay\",\"ro\"],"
         "[\"/tmp\",\"tmpfs\",\"rw,nosuid,noexec,size=16384k\"],"
         "[\"/work\",\"tmpfs\",\"rw,nosuid,noexec,size=131072k\"],"
         "[\"/dev/shm\",\"tmpfs\",\"rw,nosuid,noexec,size=16384k\"]" +
         std::string(row) + "]}\n";
}

TEST(JudgeMounts, WantsEveryOptionOfEveryPlace) {
  ExpectPass(Runc(JudgeMounts, Mounts("")));
  for (const auto& [row, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {",[\"/tmp\",\"tmpfs\",\"rw,nosuid,size=16384k\"]", "/tmp is mounted without noexec"},
           {",[\"/tmp\",\"tmpfs\",\"rw,noexec,size=16384k\"]", "/tmp is mounted without nosuid"},
           {",[\"/tmp\",\"tmpfs\",\"rw,noexec,nosuid,size=16385k\"]", "/tmp is mounted without size=16384k"},
           {",[\"/work\",\"tmpfs\",\"rw,noexec,nosuid\"]", "/work is mounted without size=131072k"},
           {",[\"/tmp\",\"ext4\",\"rw,noexec,nosuid,size=16384k\"]", "/tmp is no tmpfs"},
           {",[\"/\",\"overlay\",\"rw\"]", "/ is not mounted read-only"}}) {
    ExpectFail(Runc(JudgeMounts, Mounts(row)), part);  // the last mount at a place is the one in force
  }
  Promise without = PromiseUnder(Kernel::kHosts);
  without.work_mb = 68;
  ExpectFail(Judged(JudgeMounts, without, Ended(), Mounts("")), "size=69632k");
  without.work = Work::kNone;
  ExpectPass(Judged(JudgeMounts, without, Ended(), Mounts("")));
}

std::string Writable(std::string_view list) {
  return Mounts(",[\"/dev/mqueue\",\"mqueue\",\"rw\"],[\"/data\",\"ext4\",\"rw\"]") +
         "{\"probe\":\"writable\",\"tried\":9,\"writable\":[" + std::string(list) + "]}\n";
}

TEST(JudgeWritable, WantsExactlyThePromisedPlaces) {
  ExpectPass(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\",\"/work\"")));
  ExpectPass(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\",\"/work\",\"/dev/mqueue\"")));
  ExpectFail(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\"")), "/work cannot be written to");
  ExpectFail(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\",\"/work\",\"/data\"")), "/data can be written to");
  ExpectFail(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\",\"/work\",\"/etc/hosts\"")), "/etc/hosts can be");
  ExpectFail(Runc(JudgeWritable, Writable("\"/tmp\",\"/dev/shm\",\"/work\",\"/x y\"")), "a path of 4 bytes can be");
  // A snippet has no /work: there it is one place too many.
  Promise snippet = PromiseUnder(Kernel::kHosts);
  snippet.work = Work::kNone;
  ExpectFail(Judged(JudgeWritable, snippet, Ended(), Writable("\"/tmp\",\"/dev/shm\",\"/work\"")), "/work can be");
  // Whatever else is mounted where message queues belong is no exception.
  const std::string other = Mounts(",[\"/dev/mqueue\",\"tmpfs\",\"rw\"]") +
                            "{\"probe\":\"writable\",\"tried\":9,\"writable\":[\"/tmp\",\"/dev/shm\",\"/work\","
                            "\"/dev/mqueue\"]}\n";
  ExpectFail(Runc(JudgeWritable, other), "/dev/mqueue can be written to");
}

// --- identity

std::string Identity(std::string_view changed, std::string_view value) {
  std::string line = "{\"probe\":\"identity\"";
  for (const auto& [key, values] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"uid", R"("61000","61000","61000","61000")"},
           {"gid", R"("61000","61000","61000","61000")"},
           {"groups", R"("61000")"},
           {"cap_inh", R"("0000000000000000")"},
           {"cap_prm", R"("0000000000000000")"},
           {"cap_eff", R"("0000000000000000")"},
           {"cap_bnd", R"("0000000000000000")"},
           {"cap_amb", R"("0000000000000000")"},
           {"no_new_privs", R"("1")"},
           {"seccomp", R"("2")"}}) {
    line += ",\"" + std::string(key) + "\":[" + std::string(key == changed ? value : values) + "]";
  }
  return line + "}\n";
}

TEST(JudgeIdentity, WantsTheGuestsUidAloneAndNoPrivilege) {
  ExpectPass(Runc(JudgeIdentity, Identity("", "")));
  ExpectPass(Runc(JudgeIdentity, Identity("groups", "")));
  for (const auto& [key, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"uid", R"("61000","61000","61000","0")"},
                                                                            {"uid", R"("61000")"},
                                                                            {"gid", R"("61000","61000","5","61000")"},
                                                                            {"groups", R"("61000","27")"},
                                                                            {"cap_eff", R"("0000000000000001")"},
                                                                            {"cap_amb", ""},
                                                                            {"no_new_privs", R"("0")"},
                                                                            {"no_new_privs", ""},
                                                                            {"seccomp", R"("0")"},
                                                                            {"seccomp", R"("1")"}}) {
    EXPECT_EQ(Runc(JudgeIdentity, Identity(key, value)).outcome, Outcome::kFail) << key << " " << value;
  }
  ExpectPass(Runsc(JudgeIdentity, Identity("seccomp", R"("0")")));
  Promise unconfined = PromiseUnder(Kernel::kHosts);
  unconfined.filter = Filter::kNone;
  ExpectPass(Judged(JudgeIdentity, unconfined, Ended(), Identity("seccomp", R"("0")")));
}

// --- limits as they are stated

std::string Cgroup(std::string_view pids, std::string_view memory, std::string_view swap, std::string_view both,
                   std::string_view cpu, std::string_view quota) {
  return "{\"probe\":\"cgroup\",\"pids_max\":\"" + std::string(pids) + "\",\"memory_max\":\"" + std::string(memory) +
         "\",\"swap_max\":\"" + std::string(swap) + "\",\"memory_and_swap_max\":\"" + std::string(both) +
         "\",\"cpu_max\":\"" + std::string(cpu) + "\",\"cpu_quota_us\":\"" + std::string(quota) +
         "\",\"cpu_period_us\":\"100000\"}\n";
}

TEST(JudgeStatedLimits, ReadsBothHierarchies) {
  ExpectPass(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "absent", "268435456", "absent", "100000")));
  ExpectPass(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "0", "absent", "100000 100000", "absent")));
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("max", "268435456", "0", "absent", "100000 100000", "absent")), "pids.max");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("absent", "268435456", "0", "absent", "100000 100000", "absent")), "pids");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("256", "max", "0", "absent", "100000 100000", "absent")), "memory limit");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "max", "absent", "100000 100000", "absent")), "swap");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "absent", "536870912", "absent", "100000")), "swap");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "0", "absent", "max 100000", "absent")), "processor");
  ExpectFail(Runc(JudgeStatedLimits, Cgroup("256", "268435456", "0", "absent", "200000 100000", "absent")),
             "processor");
  Promise unlimited = PromiseUnder(Kernel::kHosts);
  unlimited.pids = 0;
  ExpectFail(
      Judged(JudgeStatedLimits, unlimited, Ended(), Cgroup("0", "268435456", "0", "absent", "100000 100000", "absent")),
      "pids.max");
}

TEST(JudgeHostGroup, WantsTheContainersOwnGroupWithItsLimits) {
  const Promise promise = PromiseUnder(Kernel::kOwn);
  Trial trial = Ended();
  ExpectPass(Judged(JudgeHostGroup, promise, trial, ""));
  trial.before.names_container = false;
  ExpectFail(Judged(JudgeHostGroup, promise, trial, ""), "is not the container's");
  trial = Ended();
  for (const char* pids : {"max", "", "255"}) {
    trial.before.pids_max = pids;
    ExpectFail(Judged(JudgeHostGroup, promise, trial, ""), "pids.max of the host's control group");
  }
  trial = Ended();
  trial.before.memory_max = "9223372036854771712";
  ExpectFail(Judged(JudgeHostGroup, promise, trial, ""), "the memory limit of the host's");
  trial = Ended();
  trial.before.cpu_max = "-1 100000";
  ExpectFail(Judged(JudgeHostGroup, promise, trial, ""), "the processor limit of the host's");
}

TEST(JudgeHostSocket, P27_NamesTheOptionThatRunscNeeds) {
  ExpectFail(Runsc(JudgeHostSocket, "{\"probe\":\"unix-socket\",\"result\":\"ECONNREFUSED\",\"reply\":\"\"}\n"),
             "--host-uds=open");
  ExpectFail(Runsc(JudgeHostSocket, "{\"probe\":\"unix-socket\",\"result\":\"ok\",\"reply\":\"other\"}\n"),
             "--host-uds=open");
}

// --- limits exceeded

TEST(JudgeMemoryLimit, XD13_XE1_PassesWhateverTheKernelKillsAtTheLimit) {
  const Promise runc = PromiseUnder(Kernel::kHosts);
  const Promise runsc = PromiseUnder(Kernel::kOwn);
  ExpectPass(Judged(JudgeMemoryLimit, runc, Killed(), recorded::kMemoryHeld248));
  ExpectPass(Judged(JudgeMemoryLimit, runsc, Killed(), recorded::kMemoryHeld232));
  ExpectPass(Judged(JudgeMemoryLimit, runsc, SandboxOver(137, true), recorded::kMemoryHeld232));
  ExpectPass(Judged(JudgeMemoryLimit, runc, SandboxOver(137, false), recorded::kMemoryHeld248));
  ExpectPass(Runc(JudgeMemoryLimit, "{\"probe\":\"memory\",\"mib\":200,\"result\":\"ENOMEM\"}\n"));
}

TEST(JudgeMemoryLimit, FailsAnEndThatProvesNothing) {
  const Promise runc = PromiseUnder(Kernel::kHosts);
  ExpectFail(Runc(JudgeMemoryLimit, recorded::kMemoryHeld248), "ended in another way");
  ExpectFail(Judged(JudgeMemoryLimit, runc, SandboxOver(1, false), recorded::kMemoryHeld248), "exit code 1");
  Trial trial = Killed();
  trial.steps[0].exited->timed_out = true;
  ExpectFail(Judged(JudgeMemoryLimit, runc, trial, recorded::kMemoryHeld248), "ended in another way");
  trial = Killed();
  trial.how = CallEnd::How::kSilent;
  ExpectFail(Judged(JudgeMemoryLimit, runc, trial, recorded::kMemoryHeld248), "nothing was heard");
  // Killed, but past the limit.
  ExpectFail(Judged(JudgeMemoryLimit, runc, Killed(), "{\"probe\":\"memory\",\"mib\":264,\"result\":\"held\"}\n"),
             "was not stopped at the limit");
}

TEST(JudgePidsLimit, XD13_XE12_PassesARefusalAndTheWayRunscEnds) {
  const Promise runsc = PromiseUnder(Kernel::kOwn);
  ExpectPass(Runc(JudgePidsLimit, recorded::kForkRefused));
  ExpectPass(Runsc(JudgePidsLimit, "{\"probe\":\"fork\",\"made\":200,\"result\":\"ENOMEM\"}\n"));
  ExpectPass(Judged(JudgePidsLimit, runsc, SandboxOver(2, false), recorded::kForkMade144));
  ExpectPass(Judged(JudgePidsLimit, runsc, SandboxOver(2, false), ""));
  ExpectSkip(Judged(JudgePidsLimit, PromiseUnder(Kernel::kHosts), Killed(), recorded::kForkMade144));
  ExpectSkip(Judged(JudgePidsLimit, runsc, SandboxOver(137, true), recorded::kForkMade144));
}

TEST(JudgePidsLimit, FailsAnEndThatProvesNothing) {
  const Promise runc = PromiseUnder(Kernel::kHosts);
  ExpectFail(Runc(JudgePidsLimit, "{\"probe\":\"fork\",\"made\":200,\"result\":\"ENOMEM\"}\n"), "another way");
  ExpectFail(Runc(JudgePidsLimit, "{\"probe\":\"fork\",\"made\":255,\"result\":\"EAGAIN\"}\n"), "was not stopped");
  ExpectFail(Judged(JudgePidsLimit, runc, SandboxOver(2, false), recorded::kForkMade144), "exit code 2");
  ExpectFail(Judged(JudgePidsLimit, PromiseUnder(Kernel::kOwn), SandboxOver(1, false), recorded::kForkMade144),
             "exit code 1");
  ExpectFail(Runc(JudgePidsLimit, ""), "ended in another way");
}

TEST(JudgeFill, WantsThePlaceFullAtItsSize) {
  const auto fill = [](std::uint64_t bytes, const char* result) {
    return "{\"probe\":\"fill\",\"directory\":\"/tmp\",\"bytes\":" + std::to_string(bytes) + ",\"result\":\"" + result +
           "\"}\n";
  };
  ExpectPass(Runc(JudgeFillTmp, fill(16 << 20, "ENOSPC")));
  ExpectPass(Runc(JudgeFillTmp, fill((16 << 20) - 65536, "ENOSPC")));
  ExpectFail(Runc(JudgeFillTmp, fill((16 << 20) + 1, "ENOSPC")), "was not stopped at its size");
  ExpectFail(Runc(JudgeFillTmp, fill(8 << 20, "ENOSPC")), "was stopped by ENOSPC");
  ExpectFail(Runc(JudgeFillTmp, fill(0, "EACCES")), "was stopped by EACCES");
}

TEST(JudgeFill, IsSkippedWhereTheMemoryLimitComesFirst) {
  Promise small = PromiseUnder(Kernel::kHosts);
  small.memory_mb = 128;
  ExpectSkip(Judged(JudgeFillWork, small, Ended(), recorded::kRunc));
  ExpectPass(Judged(JudgeFillTmp, small, Ended(), recorded::kRunc));
  EXPECT_FALSE(FillMeetsMemoryFirst(128, 256));
  EXPECT_TRUE(FillMeetsMemoryFirst(UINT32_MAX, UINT32_MAX));
}

TEST(JudgeCpuLimit, PRB1_BelievesTheHostBeforeTheProbe) {
  Trial trial = Ended();
  trial.after.cpu_used_us = 50'000 + 610'000;
  trial.after.cpu_held_back = 6;
  const Verdict verdict = Judged(JudgeCpuLimit, PromiseUnder(Kernel::kOwn), trial, recorded::kRunscCountsTooMuch);
  ExpectPass(verdict);
  EXPECT_EQ(verdict.detail, "used 610 ms in 650 ms by the host's count, held back in 6 periods");
}

TEST(JudgeCpuLimit, SaysWhenTheMachineWasTooBusyForTheLimitToMatter) {
  Trial trial = Ended();
  trial.after.cpu_used_us = 50'000 + 230'000;
  const Verdict verdict = Judged(JudgeCpuLimit, PromiseUnder(Kernel::kHosts), trial,
                                 "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":602,\"used_ms\":230}\n");
  ExpectPass(verdict);
  EXPECT_NE(verdict.detail.find("too busy"), std::string::npos) << verdict.detail;
}

TEST(JudgeCpuLimit, PRB1_TakesTheProbesCountOnlyFromTheHostsKernel) {
  Trial trial = Ended();
  trial.before = trial.after = HostGroup();
  const std::string_view kept = "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":600,\"used_ms\":600}\n";
  ExpectPass(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kHosts), trial, kept));
  ExpectFail(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kHosts), trial, recorded::kRunscCountsTooMuch), "used 1080 ms");
  ExpectFail(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kOwn), trial, kept), "cannot be read");
}

TEST(JudgeCpuLimit, ASlowAnswerDoesNotHideABurn) {
  Trial trial = Ended();
  trial.after.cpu_used_us = 50'000 + 1'180'000;
  trial.between = std::chrono::milliseconds(3'000);
  ExpectFail(Judged(JudgeCpuLimit, PromiseUnder(Kernel::kHosts), trial,
                    "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":602,\"used_ms\":1180}\n"),
             "allowed");
}

TEST(JudgeCpuLimit, IsSkippedWhereTheMachineCannotExceedTheLimit) {
  Promise promise = PromiseUnder(Kernel::kHosts);
  promise.cpus = 2;
  Trial trial = Ended();
  trial.after.cpu_used_us = 50'000 + 1'200'000;
  const std::string_view facts = "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":600,\"used_ms\":1200}\n";
  ExpectSkip(Judged(JudgeCpuLimit, promise, trial, facts));
  promise.processors = 8;
  ExpectPass(Judged(JudgeCpuLimit, promise, trial, facts));
  EXPECT_EQ(BurnThreads(1, 2), 2U);
  EXPECT_EQ(BurnThreads(0.5, 8), 2U);
  EXPECT_EQ(BurnThreads(2.5, 8), 4U);
  EXPECT_EQ(BurnThreads(1e9, 64), 64U);
  EXPECT_EQ(BurnThreads(1, 1), 2U);
}

TEST(ShownPath, PRB3_IsPlainOrALength) {
  EXPECT_EQ(ShownPath("/etc/hosts"), "/etc/hosts");
  EXPECT_EQ(ShownPath("/a\nb"), "a path of 4 bytes");
  EXPECT_EQ(ShownPath("/" + std::string(64, 'a')), "a path of 65 bytes");
}

}  // namespace
}  // namespace plimsoll::docker
