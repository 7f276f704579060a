// The shipped worker program over a socketpair, as the host would use it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "providers/wasm/testing/worker_client.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kWorker = "plimsoll-wasm-worker";
constexpr std::uint32_t k32MiB = 512;

std::int64_t WallMilliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

// The most memory the process ever had resident, in bytes.
std::uint64_t PeakResident(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
    }
  }
  return 0;
}

TEST(Worker, P5_RunsASnippet) {
  WorkerClient worker;
  ASSERT_TRUE(worker.ready());
  const Heard heard = worker.Run("console.log(\"wasm\", 6*7)");
  ASSERT_TRUE(heard.ended);
  EXPECT_EQ(heard.out, "wasm 42\n");
  EXPECT_EQ(heard.err, "");
  EXPECT_EQ(heard.ended->end, frames::End::kFinished);
  EXPECT_EQ(heard.ended->next, frames::Next::kReuse);
  EXPECT_EQ(heard.ended->exit_code, 0);
  EXPECT_FALSE(heard.ended->stdout_truncated);
}

TEST(Worker, P6_OffersNoWayOut) {
  WorkerClient worker;
  const Heard heard = worker.Run(
      "console.log(typeof fetch, typeof XMLHttpRequest, typeof WebSocket, typeof require, typeof process, typeof "
      "module,"
      "typeof Buffer, typeof __plimsoll, typeof __plimsoll_drive, typeof __plimsoll_services)");
  EXPECT_EQ(heard.out,
            "undefined undefined undefined undefined undefined undefined undefined undefined undefined undefined\n");
}

TEST(Worker, P7_FindsNoFileThroughTheShellModules) {
  WorkerClient worker;
  const Heard heard = worker.Run(
      "Promise.all([import('qjs:std'), import('qjs:os'), import('qjs:bjson')]).then(([std, os]) => "
      "print(std.open('/etc/passwd', 'r'), JSON.stringify(os.readdir('/'))))");
  EXPECT_EQ(heard.out, "null [[],44]\n");
  EXPECT_EQ(worker.Run("import('/etc/passwd').catch(e => print(e.name))").out, "ReferenceError\n");
}

TEST(Worker, P8_Holds31ArraysOfAMillionDoublesAndThrowsAtThe32nd) {
  WorkerClient worker;
  const Heard heard = worker.Run(
      "const held = []; try { for (let i = 0; i < 64; i++) held.push(new Float64Array(1e6).fill(1)) }"
      "catch (e) { const n = held.length; held.length = 0; print(n, String(e)) }");
  EXPECT_EQ(heard.out, "31 InternalError: out of memory\n");
  EXPECT_EQ(heard.exit_code(), 0);
}

TEST(Worker, P8_HoldsAHundredAndTwentyEightMiBAtTheDefaultCap) {
  WorkerClient worker;
  EXPECT_EQ(worker
                .Run("const held = []; for (let i = 0; i < 128; i++) held.push(new Uint8Array(1048576).fill(7));"
                     "print(held.length)")
                .out,
            "128\n");
}

TEST(Worker, P8_RefusesAHundredAndTwentyEightMiBCatchablyUnderASmallCap) {
  WorkerClient worker(kWorker, k32MiB);
  const Heard heard = worker.Run(
      "const held = []; try { for (let i = 0; i < 128; i++) held.push(new Uint8Array(1048576).fill(7)) }"
      "catch (e) { held.length = 0; print('caught', e.message) }");
  EXPECT_EQ(heard.out, "caught out of memory\n");
  EXPECT_EQ(heard.exit_code(), 0);
}

TEST(Worker, StartsAndRunsUnderTheSmallestCap) {
  WorkerClient worker(kWorker, 256);
  ASSERT_TRUE(worker.ready());
  EXPECT_EQ(worker.Run("print(1)").out, "1\n");
}

TEST(Worker, ReportsAnUncaughtOutOfMemory) {
  WorkerClient worker(kWorker, k32MiB);
  const Heard heard = worker.Run("const held = []; for (;;) held.push(new Array(1000).fill({}))");
  ASSERT_TRUE(heard.ended);
  EXPECT_EQ(heard.ended->exit_code, 1);
  EXPECT_NE(heard.err.find("out of memory"), std::string::npos) << heard.err;
}

// Much of what fills memory never polls; the host's kill is what ends it, and the test plays the host.
TEST(Worker, P9_StaysBelowItsCapWhateverTheGuestAllocates) {
  for (const char* code :
       {"const a = []; for (;;) try { for (;;) a.push(new Array(1e6).fill(1.5)) } catch { a.length = 0 }",
        "const a = []; for (;;) try { for (;;) a.push('x'.repeat(1e6)) } catch { a.length = 0 }",
        "const a = []; for (;;) try { for (;;) a.push(new Uint8Array(65536).fill(1)) } catch { a.length = 0 }"}) {
    WorkerClient worker(kWorker, k32MiB);
    worker.Send(code, milliseconds(60'000));
    EXPECT_FALSE(worker.Hear(milliseconds(500)).ended) << code;
    const std::uint64_t peak = PeakResident(worker.pid());
    EXPECT_GT(peak, 16U * 1024 * 1024) << code;
    EXPECT_LT(peak, (32U + 64U) * 1024 * 1024) << code;
    worker.Kill();
  }
}

TEST(Worker, LetsAGuestCatchTheEndOfMemory) {
  WorkerClient worker(kWorker, k32MiB);
  const Heard heard = worker.Run(
      "let caught = 0; for (let i = 0; i < 5; i++) { const a = []; try { for (;;) a.push(new Array(1e5).fill(1.5)) }"
      "catch (e) { a.length = 0; caught += e.message === 'out of memory' } } print(caught)");
  EXPECT_EQ(heard.out, "5\n");
}

TEST(Worker, P10_StopsAPolledLoopAtItsDeadlineAndKeepsItsOutput) {
  for (const char* loop : {"while(true){}", "(async () => { for (;;) await 1 })()", "setInterval(() => {}, 1)",
                           "new Array(1e5).fill(0).map((_, i) => i % 7).sort((a, b) => { for (;;); })",
                           "/(a+)+$/.test('a'.repeat(40) + 'b')", "setTimeout(() => {}, 60000)",
                           "throw { get message() { for (;;); }, toString() { for (;;); } }",
                           "import('qjs:os').then(os => os.sleep(60000))"}) {
    WorkerClient worker;
    const auto start = std::chrono::steady_clock::now();
    const Heard heard = worker.Run(std::string("console.log('before');") + loop, milliseconds(200));
    const auto took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(heard.ended) << loop;
    if (heard.ended->end == frames::End::kFinished) {
      EXPECT_EQ(loop[0], 't') << loop;  // the prelude may describe a thrown value without running its code
      continue;
    }
    EXPECT_EQ(heard.ended->end, frames::End::kDeadline) << loop;
    EXPECT_EQ(heard.ended->exit_code, 124) << loop;
    EXPECT_EQ(heard.ended->next, frames::Next::kDiscard) << loop;
    EXPECT_EQ(heard.out, "before\n") << loop;
    EXPECT_GE(took, milliseconds(195)) << loop;
  }
}

// The host kills a worker that does not poll; what the guest printed must be in the socket by then.
TEST(Worker, P10_HasSentWhatWasPrintedBeforeABuiltinThatNeverPolls) {
  WorkerClient worker;
  worker.Send("console.log('before'); const a = 'a'.repeat(2e7); (a + a).indexOf(a + 'b')", milliseconds(100));
  const Heard heard = worker.Hear(milliseconds(20'000), 7);
  EXPECT_EQ(heard.out, "before\n");
  worker.Kill();
  EXPECT_EQ(worker.Wait().how, os::ExitStatus::How::kSignalled);
}

TEST(Worker, P12_ReportsAnUncaughtException) {
  WorkerClient worker;
  const Heard heard = worker.Run("function f() { throw new Error('boom') }\nf()");
  EXPECT_EQ(heard.exit_code(), 1);
  EXPECT_TRUE(heard.err.starts_with("Error: boom\n    at f (<cmdline>:1:")) << heard.err;
  EXPECT_TRUE(heard.err.ends_with(")\n")) << heard.err;
  EXPECT_EQ(heard.ended->next, frames::Next::kReuse);
}

TEST(Worker, ReportsASyntaxErrorAndARejectionWithExitCode1) {
  WorkerClient worker;
  EXPECT_TRUE(worker.Run("let x = (").err.starts_with("SyntaxError: "));
  EXPECT_TRUE(worker.Run("await 1").err.starts_with("SyntaxError: "));
  const Heard heard = worker.Run("Promise.reject(new TypeError('late'))");
  EXPECT_EQ(heard.exit_code(), 1);
  EXPECT_TRUE(heard.err.starts_with("TypeError: late\n")) << heard.err;
  EXPECT_EQ(worker.Run("setTimeout(() => { throw new Error('in a timer') })").exit_code(), 1);
  EXPECT_EQ(worker.Run("queueMicrotask(() => { throw new Error('in a job') })").exit_code(), 1);
}

TEST(Worker, CountsARejectionHandledLaterAsHandled) {
  WorkerClient worker;
  EXPECT_EQ(worker.Run("const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 5)").exit_code(), 0);
  EXPECT_EQ(worker
                .Run("const all = []; for (let i = 0; i < 5000; i++) all.push(Promise.reject(i));"
                     "setTimeout(() => all.forEach(p => p.catch(() => {})), 1)")
                .exit_code(),
            0);
  EXPECT_EQ(worker.Run("for (let i = 0; i < 5000; i++) Promise.reject(i)").exit_code(), 1);
}

TEST(Worker, EndsWithTheMaskedCodeOfStdExit) {
  WorkerClient worker;
  const Heard heard =
      worker.Run("import('qjs:std').then(s => { try { s.exit(259) } finally { print('not reached') } })");
  EXPECT_EQ(heard.exit_code(), 3);
  EXPECT_EQ(heard.out, "");
  EXPECT_EQ(worker.Run("import('qjs:std').then(s => s.exit(-1))").exit_code(), 255);
  EXPECT_EQ(worker.Run("print(1)").out, "1\n");
}

TEST(Worker, P13_AnswersDeepRecursionWithRangeErrorAndIsCleanAfterwards) {
  WorkerClient worker;
  const Heard heard = worker.Run("function f(n){return n<=0?0:1+f(n-1)} f(200000)");
  EXPECT_EQ(heard.exit_code(), 1);
  EXPECT_TRUE(heard.err.starts_with("RangeError: Maximum call stack size exceeded\n")) << heard.err;
  EXPECT_EQ(worker.Run("print(typeof f)").out, "undefined\n");
  EXPECT_EQ(worker.Run("function f(n){return n<=0?0:1+f(n-1)} print(f(5000))").out, "5000\n");
}

TEST(Worker, SurvivesEveryKindOfDeepNesting) {
  WorkerClient worker;
  for (const char* code :
       {"let a = []; for (let i = 0; i < 2e4; i++) a = [a]; try { JSON.stringify(a) } catch (e) { print(e.name) }",
        "try { JSON.parse('['.repeat(2e4)) } catch (e) { print(e.name) }",
        "try { eval('('.repeat(2e4)) } catch (e) { print(e.name) }",
        "try { new RegExp('('.repeat(2e4) + ')'.repeat(2e4)) } catch (e) { print(e.name) }",
        "const p = new Proxy({}, {}); let q = p; for (let i = 0; i < 2e4; i++) q = new Proxy(q, {});"
        "try { q.x } catch (e) { print(e.name) }",
        "const o = {}; o.toString = () => String(o); try { String(o) } catch (e) { print(e.name) }",
        "let f = () => 1; for (let i = 0; i < 2e4; i++) f = f.bind(null); try { f() } catch (e) { print(e.name) }"}) {
    const Heard heard = worker.Run(code);
    ASSERT_TRUE(heard.ended) << code;
    EXPECT_EQ(heard.ended->end, frames::End::kFinished) << code << heard.err;
    if (heard.ended->next == frames::Next::kDiscard) {
      worker = WorkerClient();
    }
  }
}

TEST(Worker, P16_KeepsExactlyTheCapOfEachStream) {
  WorkerClient worker;
  const Heard full = worker.Run("import('qjs:std').then(s => s.out.puts('x'.repeat(65536)))");
  EXPECT_EQ(full.out, std::string(65536, 'x'));
  EXPECT_FALSE(full.ended->stdout_truncated);
  const Heard over = worker.Run("console.log('x'.repeat(65536)); console.error('y')");
  EXPECT_EQ(over.out, std::string(65536, 'x'));
  EXPECT_TRUE(over.ended->stdout_truncated);
  EXPECT_FALSE(over.ended->stderr_truncated);
  EXPECT_EQ(over.err, "y\n");
  const Heard pieces = worker.Run("for (let i = 0; i < 70000; i++) print(''); console.error('still running')");
  EXPECT_EQ(pieces.out, std::string(65536, '\n'));
  EXPECT_TRUE(pieces.ended->stdout_truncated);
  EXPECT_EQ(pieces.err, "still running\n");
}

TEST(Worker, PassesOnVeryLongText) {
  WorkerClient worker;
  const Heard heard = worker.Run("console.log('\\u00e9'.repeat(2e7))");
  EXPECT_EQ(heard.out.size(), 65536U);
  EXPECT_TRUE(heard.out.starts_with("\xc3\xa9\xc3\xa9"));
  EXPECT_TRUE(heard.ended->stdout_truncated);
}

TEST(Worker, P16_WritesTextAsUtf8WithLoneSurrogatesReplaced) {
  WorkerClient worker;
  EXPECT_EQ(worker.Run("console.log('\\ud83d\\ude00 \\ud800 \\udc00x \\u0000')").out,
            std::string("\xf0\x9f\x98\x80 \xef\xbf\xbd \xef\xbf\xbdx \0\n", 16));
}

TEST(Worker, P17_ShowsNoRunWhatAnotherOneChanged) {
  WorkerClient worker;
  const Heard first = worker.Run(
      "globalThis.leak = 1; var v = 2; let l = 3; import('qjs:std').then(std => {"
      "Array.prototype.push = () => 'patched'; Object.prototype.x = 1; delete globalThis.Map; JSON.parse = null;"
      "Math.random = () => 4; console.log = () => {}; Object.defineProperty(Promise.prototype, 'then', { value: 5 });"
      "Object.freeze(Array.prototype); Error.prepareStackTrace = () => 'owned'; performance.mark = 1;"
      "setInterval(() => {}, 1e6); std.out.mine = 1; std.exit(0) })");
  ASSERT_EQ(first.exit_code(), 0) << first.err;
  ASSERT_EQ(first.ended->next, frames::Next::kReuse);
  const Heard second = worker.Run(
      "import('qjs:std').then(std => console.log(typeof leak, typeof v, typeof l, [].push(1), ({}).x, typeof Map,"
      "typeof JSON.parse, Math.random() === 4, typeof Promise.prototype.then, Object.isFrozen(Array.prototype),"
      "Error.prepareStackTrace, performance.mark, std.out.mine))");
  EXPECT_EQ(second.out,
            "undefined undefined undefined 1 undefined function function false function false undefined undefined "
            "undefined\n");
  EXPECT_EQ(second.exit_code(), 0) << second.err;
}

TEST(Worker, P17_GivesEachRunItsOwnRandomnessAndTheHostsCalendar) {
  WorkerClient worker;
  const char* code = "console.log(Math.random(), crypto.getRandomValues(new Uint8Array(8)).join(), Date.now())";
  const std::string first = worker.Run(code).out;
  const std::string second = worker.Run(code).out;
  EXPECT_NE(first.substr(0, first.find(' ')), second.substr(0, second.find(' ')));
  EXPECT_NE(first, second);
  const std::int64_t now = std::strtoll(second.c_str() + second.rfind(' '), nullptr, 10);
  EXPECT_LT(std::abs(now - WallMilliseconds()), 5000);
}

TEST(Worker, StartsTheGuestsClockAnewForEachRun) {
  WorkerClient worker;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(worker.Run("console.log(performance.now() >= 0 && performance.now() < 1000)").out, "true\n");
    worker.Run("setTimeout(() => {}, 40)");
  }
}

TEST(Worker, P18_RunsAsyncFunctionsAndTimersToTheirEnd) {
  WorkerClient worker;
  const Heard heard = worker.Run(
      "const wait = ms => new Promise(done => setTimeout(done, ms));"
      "(async () => { console.log('a'); await wait(30); console.log('c') })(); setTimeout(() => console.log('b'), 5)");
  EXPECT_EQ(heard.out, "a\nb\nc\n");
  EXPECT_EQ(heard.exit_code(), 0);
}

TEST(Worker, WaitsForATimerWithoutUsingTheProcessor) {
  WorkerClient worker;
  const Heard heard = worker.Run("setTimeout(() => console.log('done'), 300)");
  EXPECT_EQ(heard.out, "done\n");
  std::ifstream stat("/proc/" + std::to_string(worker.pid()) + "/stat");
  std::string field;
  std::uint64_t ticks = 0;
  for (int i = 1; i <= 15 && stat >> field; ++i) {
    ticks += i >= 14 ? std::strtoull(field.c_str(), nullptr, 10) : 0;
  }
  EXPECT_LT(ticks, 15U);  // a tick is 10 ms
}

TEST(Worker, IsToBeDiscardedAfterItsMemoryGrew) {
  WorkerClient worker;
  const Heard heard = worker.Run("globalThis.big = new Uint8Array(3e7).fill(1).length; print(big)");
  EXPECT_EQ(heard.out, "30000000\n");
  EXPECT_EQ(heard.ended->next, frames::Next::kDiscard);
  worker.Send("print(1)", milliseconds(1000));
  EXPECT_FALSE(worker.Hear(milliseconds(20'000)).ended);
  EXPECT_EQ(worker.Wait().value, 83);
}

TEST(Worker, CanBeUsedAgainAfterARunOfOrdinarySize) {
  WorkerClient worker;
  for (int i = 0; i < 200; ++i) {
    const Heard heard = worker.Run("const a = []; for (let i = 0; i < 20000; i++) a.push({ i }); print(a.length)");
    ASSERT_EQ(heard.out, "20000\n");
    ASSERT_EQ(heard.ended->next, frames::Next::kReuse);
  }
}

TEST(Worker, TakesTheLongestCodeThereMayBe) {
  WorkerClient worker;
  std::string code = "print(1);//";
  code.resize(frames::kMaxCode, 'x');
  EXPECT_EQ(worker.Run(code).out, "1\n");
  EXPECT_EQ(worker.Run("").exit_code(), 0);
}

TEST(Worker, EndsWhenTheHostCloses) {
  WorkerClient worker;
  const os::ExitStatus status = worker.Close();
  EXPECT_EQ(status.how, os::ExitStatus::How::kExited);
  EXPECT_EQ(status.value, 0);
}

TEST(Worker, EndsWhenTheHostClosesWhileATimerWaits) {
  WorkerClient worker;
  worker.Send("setTimeout(() => {}, 60000)", milliseconds(60'000));
  EXPECT_EQ(worker.Close().value, 0);
}

TEST(Worker, TakesNothingButOrders) {
  for (const std::string_view bytes : {std::string_view("\x09\0\0\0\0", 5), std::string_view("\x01\0\0\0\0", 5),
                                       std::string_view("\x02\xff\xff\xff\xff", 5), std::string_view("GET / ")}) {
    WorkerClient worker;
    worker.SendRaw(bytes);
    EXPECT_EQ(worker.Wait().value, 83);
  }
}

TEST(Worker, RefusesACapOutsideItsBounds) {
  for (const std::uint32_t pages : {0U, 255U, 65537U}) {
    WorkerClient worker(kWorker, pages);
    EXPECT_FALSE(worker.ready());
    EXPECT_EQ(worker.Wait().value, 80);
  }
}

}  // namespace
}  // namespace plimsoll::wasm
