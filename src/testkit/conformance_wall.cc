#include <array>
#include <string>

#include "testkit/conformance.h"
#include "testkit/conformance_words.h"

// What a wall keeps apart. Each law runs an attempt that succeeds where there is no wall: a guest prints `reached` when
// it got what it must not get. Where the guest's language has no word for the attempt, that is a wall as well.
namespace plimsoll::testkit {
namespace {

using Given = Subject::Given;

// Runs `attempt` with the name `need` for Node's require; the law holds while nothing says `reached`.
std::string Reached(const Subject& subject, const std::string& attempt) {
  const auto report = subject.Snippet(
      "const need = typeof require === 'function' ? require : null;"
      "if (need === null) console.log('no such thing here'); else (async () => {" +
          attempt + "})().catch(e => console.log('refused: ' + (e.code || e.message)));",
      Given{});
  const auto* result = SnippetIn(report);
  if (result == nullptr) {
    return report ? "no result" : Told(report);
  }
  return result->stdout_bytes.find("reached") == std::string::npos ? "" : Told(report);
}

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

std::string HostFilesAreAway(const Subject& subject) {
  return Reached(subject, "if (need('fs').readFileSync(" + Quoted(subject.host.file) +
                              ", 'utf8') === " + Quoted(subject.host.secret) + ") console.log('reached')");
}

std::string HostEnvironmentIsAway(const Subject& subject) {
  return Reached(subject, "if (process.env[" + Quoted(subject.host.variable) + "] === " + Quoted(subject.host.secret) +
                              ") console.log('reached')");
}

std::string HostFoldersAreAway(const Subject& subject) {
  const std::string path = subject.host.folder + "/written-by-a-guest";
  std::string seen = Reached(subject, "need('fs').writeFileSync(" + Quoted(path) + ", 'x')");
  return seen.empty() && !subject.host.folder_is_empty() ? "the guest wrote into the host's folder" : seen;
}

std::string HostProcessesAreAway(const Subject& subject) {
  std::string seen = Reached(subject, "process.kill(" + std::to_string(subject.host.process) +
                                          ", 0); const fs = need('fs'); const link = fs.readFileSync('/proc/" +
                                          std::to_string(subject.host.process) +
                                          "/cmdline', 'utf8'); if (link.includes('86399')) console.log('reached')");
  return seen.empty() && !subject.host.process_lives() ? "the host's process is gone" : seen;
}

std::string HostLoopbackIsAway(const Subject& subject) {
  return Reached(subject,
                 "const s = need('net').connect(" + std::to_string(subject.host.port) +
                     ", '127.0.0.1'); await new Promise((ok, no) => { s.on('connect', ok); s.on('error', no);"
                     "setTimeout(() => no(new Error('silence')), 3000) }); console.log('reached'); s.destroy()");
}

std::string FilesDoNotOutliveARun(const Subject& subject) {
  const std::string path = "/tmp/left-by-the-run-before";
  std::string seen = Reached(subject, "need('fs').writeFileSync(" + Quoted(path) + ", 'x')");
  if (!seen.empty()) {
    return seen;
  }
  return Reached(subject, "const fs = need('fs'); if (fs.existsSync(" + Quoted(path) + ")) { fs.unlinkSync(" +
                              Quoted(path) + "); console.log('reached') }");
}

std::string ProcessesDoNotOutliveARun(const Subject& subject) {
  std::string seen =
      Reached(subject,
              "const c = need('child_process').spawn('sleep', ['77.7'], {detached: true, stdio: 'ignore'});"
              "c.on('error', () => {}); c.unref()");
  if (!seen.empty()) {
    return seen;
  }
  return Reached(subject,
                 "const fs = need('fs'); for (const pid of fs.readdirSync('/proc')) { try {"
                 "if (fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('77.7')) console.log('reached')"
                 "} catch {} }");
}

std::string NobodyIsRoot(const Subject& subject) {
  return Reached(subject, "if (process.getuid() === 0 || process.getgid() === 0) console.log('reached')");
}

std::string NoCapabilityIsHeld(const Subject& subject) {
  return Reached(subject,
                 "const t = need('fs').readFileSync('/proc/self/status', 'utf8');"
                 "const held = n => BigInt('0x' + t.match(new RegExp(n + ':\\\\s+([0-9a-f]+)'))[1]) !== 0n;"
                 "if (['CapEff', 'CapPrm', 'CapBnd'].some(held)) console.log('reached')");
}

std::string MemoryIsBounded(const Subject& subject) {
  return Reached(subject,
                 "const held = []; for (let i = 0; i < 12; i++) held.push(Buffer.alloc(64 << 20, i + 1));"
                 "console.log('reached', held.length)");
}

std::string ProcessesAreBounded(const Subject& subject) {
  return Reached(subject,
                 "const {spawn} = need('child_process'); let up = 0; const all = [];"
                 "for (let i = 0; i < 400; i++) { const c = spawn('sleep', ['5'], {stdio: 'ignore'});"
                 "c.on('error', () => {}); c.on('spawn', () => { up++ }); all.push(c) }"
                 "await new Promise(r => setTimeout(r, 1500)); if (up === 400) console.log('reached');"
                 "for (const c of all) c.kill('SIGKILL')");
}

std::string TheRootIsReadOnly(const Subject& subject) {
  return Reached(subject,
                 "const fs = need('fs'); for (const p of ['/x', '/usr/x', '/etc/x', '/root/x', '/var/x']) { try {"
                 "fs.writeFileSync(p, 'x'); console.log('reached', p); fs.unlinkSync(p) } catch {} }");
}

std::string WrittenProgramsDoNotRun(const Subject& subject) {
  return Reached(
      subject,
      "const fs = need('fs'); fs.copyFileSync(process.execPath, '/tmp/x.bin'); fs.chmodSync('/tmp/x.bin', 0o755);"
      "const r = need('child_process').spawnSync('/tmp/x.bin', ['-e', '']);"
      "if (r.status === 0) console.log('reached'); fs.unlinkSync('/tmp/x.bin')");
}

constexpr auto kWall = Law::Group::kWall;
constexpr std::array kLaws = {
    Law{"HostFilesAreAway", kWall, Ability::kNone, HostFilesAreAway},
    Law{"HostEnvironmentIsAway", kWall, Ability::kNone, HostEnvironmentIsAway},
    Law{"HostFoldersAreAway", kWall, Ability::kNone, HostFoldersAreAway},
    Law{"HostProcessesAreAway", kWall, Ability::kNone, HostProcessesAreAway},
    Law{"HostLoopbackIsAway", kWall, Ability::kNone, HostLoopbackIsAway},
    Law{"FilesDoNotOutliveARun", kWall, Ability::kNone, FilesDoNotOutliveARun},
    Law{"ProcessesDoNotOutliveARun", kWall, Ability::kNone, ProcessesDoNotOutliveARun},
    Law{"NobodyIsRoot", kWall, Ability::kNone, NobodyIsRoot, Law::BrokenBy::kRoot},
    Law{"NoCapabilityIsHeld", kWall, Ability::kNone, NoCapabilityIsHeld},
    Law{"MemoryIsBounded", kWall, Ability::kNone, MemoryIsBounded},
    Law{"XD13_ProcessesAreBounded", kWall, Ability::kNone, ProcessesAreBounded},
    Law{"TheRootIsReadOnly", kWall, Ability::kNone, TheRootIsReadOnly, Law::BrokenBy::kRoot},
    Law{"WrittenProgramsDoNotRun", kWall, Ability::kNone, WrittenProgramsDoNotRun},
};

}  // namespace

std::span<const Law> WallLaws() { return kLaws; }

}  // namespace plimsoll::testkit
