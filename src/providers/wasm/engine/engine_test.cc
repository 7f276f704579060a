// The engine in the test's own process, so that a sanitizer sees our side of it.
#include "providers/wasm/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "os/system_clock.h"
#include "providers/wasm/engine/builder.h"
#include "providers/wasm/worker/guest_thread_unsafe.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::seconds;

struct Ran {
  Engine::Ended ended;
  std::string out;
  std::string err;
};

// An engine with what it wrote. The strings have room before a run: the engine's callbacks may not allocate.
class Guest {
 public:
  explicit Guest(std::span<const std::uint8_t> image, std::uint32_t pages = kDefaultPages)
      : engine_(Engine::Open({.image = image,
                              .max_pages = pages,
                              .clock = clock_,
                              .write = [this](Stream stream, std::string_view bytes) { Write(stream, bytes); },
                              .wait_until = [](base::SteadyTime) {}})
                    .value()) {}

  Ran Run(std::string_view code, std::uint8_t seed = 0) {
    for (std::string& text : text_) {
      text.clear();
      text.reserve(1 << 20);
    }
    RunInput input{.code = code, .start = clock_.Steady(), .deadline = clock_.Steady() + seconds(60), .wall = {}};
    input.seed[0] = seed;
    const Engine::Ended ended = engine_->Run(input);
    return {ended, text_[0], text_[1]};
  }
  void Restore() { engine_->Restore(); }

 private:
  void Write(Stream stream, std::string_view bytes) {
    std::string& text = text_[static_cast<std::size_t>(stream)];
    text.append(bytes.substr(0, text.capacity() - text.size()));
  }

  os::SystemClock clock_;
  std::string text_[2];
  std::unique_ptr<Engine> engine_;
};

void OnGuestThread(void (*body)(std::span<const std::uint8_t>)) {
  const auto run = [](void* given) {
    const os::SystemClock clock;
    const auto image = BuildImage(clock);
    ASSERT_TRUE(image.has_value()) << base::TextOf(image.error());
    const std::vector<std::uint8_t> bytes(image->begin(), image->end());
    (*static_cast<void (**)(std::span<const std::uint8_t>)>(given))(bytes);
  };
  ASSERT_TRUE(RunOnGuestThread(run, &body));
}

TEST(Engine, RunsASnippetAndRestores) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    Guest guest(image);
    for (int i = 0; i < 3; ++i) {
      const Ran ran = guest.Run("globalThis.n = (globalThis.n || 0) + 1; console.log(n)");
      EXPECT_EQ(ran.out, "1\n");
      EXPECT_TRUE(ran.ended.reusable);
      guest.Restore();
    }
  });
}

TEST(Engine, BuildsTheSameImageEachTime) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    const os::SystemClock clock;
    const auto again = BuildImage(clock);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(std::equal(image.begin(), image.end(), again->begin(), again->end(),
                           [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
  });
}

TEST(Engine, RefusesAnImageThatIsNotWhole) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    EXPECT_TRUE(Image::Read(image));
    EXPECT_FALSE(Image::Read(image.first(image.size() - 1)));
    EXPECT_FALSE(Image::Read(image.first(10)));
    std::vector<std::uint8_t> other(image.begin(), image.end());
    other[0] ^= 1;
    EXPECT_FALSE(Image::Read(other));
  });
}

TEST(Engine, GivesTheSameRandomNumbersForTheSameSeedAndOthersForAnother) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    Guest guest(image);
    const char* code = "console.log(Math.random(), Math.random(), crypto.getRandomValues(new Uint8Array(9)).join())";
    const std::string first = guest.Run(code, 1).out;
    guest.Restore();
    const std::string same = guest.Run(code, 1).out;
    guest.Restore();
    const std::string other = guest.Run(code, 2).out;
    EXPECT_EQ(first, same);
    EXPECT_NE(first, other);
  });
}

// The bytes themselves, and not only what a program can see of them.
TEST(Engine, RestoresEveryByteOfMemory) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    const os::SystemClock clock;
    auto engine = Engine::Open({.image = image,
                                .clock = clock,
                                .write = [](Stream, std::string_view) {},
                                .wait_until = [](base::SteadyTime) {}})
                      .value();
    static std::vector<std::uint8_t> before;
    static std::vector<std::uint8_t> after;
    const RunInput input{
        .code = "for (const a = []; a.length < 5e4;) a.push({}); Array.prototype.x = /a/g; import('qjs:std')",
        .start = clock.Steady(),
        .deadline = clock.Steady() + seconds(60),
        .wall = {},
        .seed = {}};
    const auto copy = [](Machine& machine, std::vector<std::uint8_t>& out) {
      const auto memory = machine.memory();
      out.assign(memory.begin() + kModuleStackTop, memory.begin() + kStackGuard);
      out.insert(out.end(), memory.begin() + kStackTop, memory.end());
    };
    static const auto* copier = &copy;
    engine->RunForTest(input, [](Machine& machine) { (*copier)(machine, before); });
    ASSERT_TRUE(engine->Run(input).reusable);
    engine->RunForTest(input, [](Machine& machine) { (*copier)(machine, after); });
    EXPECT_NE(before, after);
    engine->Restore();
    engine->RunForTest(input, [](Machine& machine) { (*copier)(machine, after); });
    EXPECT_EQ(before, after);
  });
}

TEST(Engine, ComesBackFromATrapAndSaysWhich) {
  OnGuestThread([](std::span<const std::uint8_t> image) {
    const os::SystemClock clock;
    auto engine = Engine::Open({.image = image,
                                .clock = clock,
                                .write = [](Stream, std::string_view) {},
                                .wait_until = [](base::SteadyTime) {}})
                      .value();
    const RunInput input{
        .code = "", .start = clock.Steady(), .deadline = clock.Steady() + seconds(60), .wall = {}, .seed = {}};
    const auto fault =
        engine->RunForTest(input, [](Machine& machine) { Z_quickjsZ_memset(machine.instance(), 64, 1, 8); });
    EXPECT_EQ(fault.stop, Stop::kMemoryFault);
    EXPECT_FALSE(fault.reusable);
    EXPECT_EQ(engine->RunForTest(input, [](Machine& machine) { Z_quickjsZ_abort(machine.instance()); }).stop,
              Stop::kUnreachable);
  });
}

TEST(MemoryLimit, IsTheMeasuredOneAtTheDefaultCapAndBelowEveryCap) {
  EXPECT_EQ(MemoryLimit(kDefaultPages), 252'000'000U);
  for (std::uint64_t pages = kMinPages; pages <= kMaxPages; pages += 97) {
    const std::uint64_t cap = pages * kPageSize;
    EXPECT_LE(MemoryLimit(static_cast<std::uint32_t>(pages)), cap - 6 * 1024 * 1024);
    EXPECT_GE(MemoryLimit(static_cast<std::uint32_t>(pages)), cap / 2);
  }
}

}  // namespace
}  // namespace plimsoll::wasm
