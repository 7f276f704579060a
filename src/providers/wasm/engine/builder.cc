#include "providers/wasm/engine/builder.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "providers/wasm/engine/embedded.h"
#include "providers/wasm/engine/host_unsafe.h"
#include "providers/wasm/engine/image_unsafe.h"
#include "providers/wasm/engine/js.h"
#include "providers/wasm/engine/limits.h"
#include "providers/wasm/engine/trap_unsafe.h"

namespace plimsoll::wasm {
namespace {

constexpr std::uint32_t kScratchBytes = 64;
constexpr std::uint32_t kContextBytes = 1024;  // where the random state is looked for

// Free room inside the image, so that a run of ordinary size does not grow memory and its worker can be used again.
constexpr std::uint32_t kHeadroomBytes = 8 * 1024 * 1024;

// Compiler flags of the engine: neither source text nor positions.
constexpr std::uint32_t kStripSource = 16;
constexpr std::uint32_t kStripDebug = 32;

// One step of the generator behind Math.random (xorshift64*, whose state this is).
constexpr std::uint64_t NextRandomState(std::uint64_t state) {
  state ^= state >> 12;
  state ^= state << 25;
  return state ^ (state >> 27);
}

// A fresh machine with an engine in it.
class Start {
 public:
  explicit Start(const base::Clock& clock)
      : host_(machine_, clock, [](Stream, std::string_view) {}, [](base::SteadyTime) {}), js_(machine_) {}

 protected:
  // Runs `body`, which says what failed, or null.
  base::Status Enter(const char* (*body)(void*), void* self) {
    TakeFaults();
    if (auto started = machine_.Start(&host_, kDefaultPages, Machine::Initialise::kRun); !started) {
      return started;
    }
    struct Context {
      const char* (*body)(void*);
      void* self;
      const char* failed = "";
    } context{body, self};
    const auto enter = [](void* given) {
      auto* called = static_cast<Context*>(given);
      called->failed = called->body(called->self);
    };
    const Stop stop = EnterGuest(enter, &context);
    if (stop != Stop::kNone || context.failed != nullptr) {
      return base::Fault{base::FaultKind::kInternal,
                         std::string("the engine did not start: ") + context.failed + TrapName(stop)};
    }
    return base::Ok();
  }

  Z_quickjs_instance_t* api() { return machine_.instance(); }

  Machine machine_;
  Host host_;
  Js js_;
};

// The prelude as the engine's bytecode. In a machine of its own: what compiling leaves behind in memory is three times
// what the image needs. Without source text and positions the prelude's functions look like the engine's own, and their
// frames have a name that the prelude leaves out of stacks.
class Compiler : Start {
 public:
  using Start::Start;

  base::Result<std::string> Compile() {
    const auto body = [](void* self) { return static_cast<Compiler*>(self)->Body(); };
    if (auto done = Enter(body, this); !done) {
      return done.error();
    }
    const auto bytes = machine_.Bytes(code_, size_);
    PLIMSOLL_CHECK(bytes.has_value());
    return std::string(bytes->begin(), bytes->end());
  }

 private:
  const char* Body() {
    if (Z_quickjsZ_qjs_init(api()) != 0) {
      return "no context";
    }
    const std::string_view text = PreludeScript();
    const Address size = Z_quickjsZ_wasm_malloc(api(), sizeof(Address));
    const Address name = js_.StringIn("<prelude>");
    const Address source = js_.StringIn(text);
    if (size == 0 || name == 0 || source == 0) {
      return "no memory for the prelude";
    }
    code_ = Z_quickjsZ_qjs_compile(api(), source, static_cast<std::uint32_t>(text.size()), name, kEvalScript,
                                   kStripSource | kStripDebug, size);
    size_ = machine_.Load32(size);
    return code_ == 0 ? "the prelude does not compile" : nullptr;
  }

  Address code_ = 0;
  std::uint32_t size_ = 0;
};

class Builder : Start {
 public:
  Builder(const base::Clock& clock, std::string_view prelude) : Start(clock), prelude_(prelude) {}

  base::Result<std::string> Build() {
    const auto body = [](void* self) { return static_cast<Builder*>(self)->Body(); };
    if (auto done = Enter(body, this); !done) {
      return done.error();
    }
    return Image::Write(machine_, roots_);
  }

 private:
  const char* Body() {
    if (Z_quickjsZ_qjs_init(api()) != 0) {
      return "no context";
    }
    SetUp();
    if (!MakeRoots() || !DefineHostObject()) {
      return "no memory for the first objects";
    }
    if (!FindRandomState()) {
      return "the state of Math.random was not found";
    }
    if (!EvaluatePrelude() || !InstallModules()) {
      return "the prelude threw";
    }
    if (!TakeDrive()) {
      return "the prelude left no event loop, or a way to the host";
    }
    return MakeHeadroom() ? nullptr : "no memory for a run, or a rejected promise";
  }

  void SetUp() {
    Z_quickjsZ_qjs_set_memory_limit(api(), MemoryLimit(kDefaultPages));
    Z_quickjsZ_qjs_set_max_stack_size(api(), kEngineStackLimit);
    Z_quickjsZ_qjs_set_interrupt_handler(api(), 1);
    Z_quickjsZ_qjs_set_module_loader(api(), 1);
    Z_quickjsZ_qjs_set_promise_rejection_handler(api(), 1);
  }

  bool MakeRoots() {
    roots_.context = Z_quickjsZ_qjs_get_context_ptr(api());
    roots_.scratch = Z_quickjsZ_wasm_malloc(api(), kScratchBytes);
    roots_.undefined = Z_quickjsZ_qjs_get_undefined(api());
    roots_.file_name = js_.StringIn("<cmdline>");
    host_.SetEngine(roots_.context, roots_.scratch);
    return roots_.scratch != 0 && roots_.undefined != 0 && roots_.file_name != 0;
  }

  // The global `__plimsoll`, which the prelude takes away.
  bool DefineHostObject() {
    const Address object = Z_quickjsZ_qjs_new_object(api());
    for (const std::string_view name : Host::FunctionNames()) {
      const Address text = js_.StringIn(name);
      const auto size = static_cast<std::uint32_t>(name.size());
      if (!SetOnce(object, name, Z_quickjsZ_qjs_new_host_function(api(), text, size, 0))) {
        return false;
      }
    }
    const Address version = Z_quickjsZ_qjs_get_quickjs_version(api());
    return SetOnce(object, "engineVersion",
                   Z_quickjsZ_qjs_new_string(api(), version, Z_quickjsZ_strlen(api(), version))) &&
           SetOnce(Z_quickjsZ_qjs_get_global(api()), "__plimsoll", object);
  }

  // Sets a property and gives the value's handle up.
  bool SetOnce(Address object, std::string_view name, Address value) {
    const Address text = js_.StringIn(name);
    if (js_.Threw(value) || text == 0) {
      return false;
    }
    Z_quickjsZ_qjs_set_prop_string(api(), object, text, value);
    Z_quickjsZ_qjs_free_value(api(), value);
    Z_quickjsZ_wasm_free(api(), text);
    return true;
  }

  // The engine seeds Math.random from the calendar when its context is made, and draws once. While it starts that clock
  // stands still, so the state is known; the one place that holds it, and that Math.random moves on, is what a run
  // reseeds.
  bool FindRandomState() {
    constexpr std::uint64_t kFirst = NextRandomState(Host::kStartWallUs);
    for (Address at = roots_.context; at < roots_.context + kContextBytes; at += sizeof(kFirst)) {
      if (machine_.Load64(at) == kFirst) {
        if (roots_.random_state != 0) {
          return false;
        }
        roots_.random_state = at;
      }
    }
    return roots_.random_state != 0 && js_.Evaluate("Math.random()", roots_.file_name, kEvalScript) &&
           machine_.Load64(roots_.random_state) == NextRandomState(kFirst);
  }

  // The bytecode is read from the bottom of the stack, which lies below the engine's own limit: it takes no room in the
  // heap, where it would leave a hole.
  bool EvaluatePrelude() {
    const auto size = static_cast<std::uint32_t>(prelude_.size());
    if (size > kStackPages * kPageSize - kEngineStackLimit - kPageSize) {
      return false;
    }
    const auto room = machine_.Bytes(kStackBottom, size);
    PLIMSOLL_CHECK(room.has_value());
    std::memcpy(room->data(), prelude_.data(), size);
    const Address result = Z_quickjsZ_qjs_eval_bytecode(api(), kStackBottom, size);
    std::memset(room->data(), 0, size);
    return !js_.Threw(result);
  }

  bool InstallModules() {
    return js_.Evaluate(ModuleInstaller(), js_.StringIn("<modules>"), kEvalScript) && js_.RunJobs();
  }

  // Takes the prelude's ends of the event loop, and makes sure that no way to the host is left for a guest to find.
  bool TakeDrive() {
    roots_.drive = js_.Property(Z_quickjsZ_qjs_get_global(api()), "__plimsoll_drive");
    if (js_.Threw(roots_.drive) || Z_quickjsZ_qjs_is_object(api(), roots_.drive) == 0) {
      return false;
    }
    roots_.run_timers = js_.Property(roots_.drive, "runTimers");
    roots_.format_uncaught = js_.Property(roots_.drive, "formatUncaught");
    // The guest's clock stands now where it stands at the start of every run, so once is enough.
    const Address begin_run = js_.Property(roots_.drive, "beginRun");
    for (const Address function : {roots_.run_timers, roots_.format_uncaught, begin_run}) {
      if (Z_quickjsZ_qjs_is_function(api(), function) == 0) {
        return false;
      }
    }
    constexpr std::string_view kForget =
        "if (!delete globalThis.__plimsoll_drive || '__plimsoll' in globalThis || '__plimsoll_services' in globalThis) "
        "throw 0";
    return !js_.Threw(Z_quickjsZ_qjs_call(api(), begin_run, roots_.drive, 0, 0)) &&
           js_.Evaluate(kForget, roots_.file_name, kEvalScript);
  }

  bool MakeHeadroom() {
    Z_quickjsZ_qjs_run_gc(api());
    const Address headroom = Z_quickjsZ_wasm_malloc(api(), kHeadroomBytes);
    Z_quickjsZ_wasm_free(api(), headroom);
    return headroom != 0 && host_.rejections().empty();
  }

  std::string_view prelude_;
  Roots roots_{};
};

}  // namespace

base::Result<std::string> BuildImage(const base::Clock& clock) {
  auto prelude = Compiler(clock).Compile();
  if (!prelude.has_value()) {
    return prelude;
  }
  return Builder(clock, *prelude).Build();
}

}  // namespace plimsoll::wasm
