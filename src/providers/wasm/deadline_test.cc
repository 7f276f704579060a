// P10, XE4: no guest holds its worker longer than 100 ms past its deadline, whether or not it runs code that polls.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "providers/wasm/testing/pool_harness.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::milliseconds;

struct Guest {
  const char* name;
  const char* code;
};

// For gtest's messages.
void PrintTo(const Guest& guest, std::ostream* out) { *out << guest.name; }

class Deadline : public testing::TestWithParam<Guest> {};

// The best of three: the bound is ours, the noise is the machine's.
TEST_P(Deadline, P10_XE4_IsOvershotByAtMost100Ms) {
  constexpr milliseconds kBudget{200};
  PoolHarness harness(RealWorker(), {.fresh_target = 1, .idle_limit = 4});
  ASSERT_TRUE(Eventually([&] { return harness.pool().Count().idle_fresh == 1; }));
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 3 && best > kBudget + milliseconds(100); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = harness.Run(std::string("console.log('before');") + GetParam().code, {.budget = kBudget});
    best = std::min(best, std::chrono::steady_clock::now() - start);
    ASSERT_TRUE(outcome) << base::TextOf(outcome.error());
    EXPECT_TRUE(outcome->result.timed_out);
    EXPECT_EQ(outcome->result.exit_code, 124);
    EXPECT_EQ(outcome->result.stdout_bytes, "before\n");  // XA2
  }
  EXPECT_LE(std::chrono::duration<double>(best).count(), 0.3);
}

INSTANTIATE_TEST_SUITE_P(
    Guests, Deadline,
    testing::Values(
        Guest{"EndlessLoop", "while(true){}"},
        Guest{"QuadraticIndexOf", "const a='a'.repeat(1e6);(a+a).indexOf(a+'b')"},
        Guest{"ArrayIncludes", "const a=new Array(5e6).fill(0);for(;;)a.includes(1)"},
        Guest{"SortOfAMillion", "const a=Array.from({length:1e6},(_,i)=>(i*7919)%1000003);for(;;)a.slice().sort()"},
        Guest{"ArrayJoin", "const a=new Array(1e7).fill('x');for(;;)a.join('')"},
        Guest{"CatastrophicRegex", "/^(a+)+$/.test('a'.repeat(60)+'b')"}, Guest{"BigIntPower", "for(;;)3n**620000n"},
        Guest{"DeepRecursion", "function f(n){return n<=0?0:1+f(n-1)};for(;;){try{f(1e9)}catch{}}"},
        Guest{"StringifyOfANest",
              "const a=new Array(1e5).fill({a:[1,2,3,{b:'x'.repeat(50)}]});for(;;)JSON.stringify(a)"},
        Guest{"EndlessPromises", "const f=()=>Promise.resolve().then(f);f()"},
        Guest{"EndlessTimers", "const f=()=>setTimeout(f,0);f()"}, Guest{"LongTimer", "setTimeout(()=>{},60000)"},
        Guest{"CaughtInterrupt", "for(;;){try{for(;;){}}catch{}finally{for(;;){}}}"}),
    [](const testing::TestParamInfo<Guest>& guest) { return guest.param.name; });

}  // namespace
}  // namespace plimsoll::wasm
