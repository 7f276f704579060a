#include "providers/wasm/engine/engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "providers/wasm/engine/embedded.h"

namespace plimsoll::wasm {
namespace {

// Measured: deep recursion meets RangeError at depth 6,005 and never the end of our 2 MiB stack.
constexpr std::uint32_t kEngineStackLimit = 1441792;

// Free room inside the image, so that a run of ordinary size does not grow memory and its worker can be used again.
constexpr std::uint32_t kHeadroomBytes = 8 * 1024 * 1024;

// What a guest's limit is raised by while its uncaught exception is put into words.
constexpr std::uint32_t kReportBytes = 1024 * 1024;

// The engine's own part of memory outside its allocator's count: data, stacks, and what fragmentation may cost.
constexpr std::uint64_t kOutsideLimit = 6 * 1024 * 1024;

constexpr std::uint32_t kScratchBytes = 64;
constexpr std::uint32_t kContextBytes = 1024;
constexpr std::string_view kFileName = "<cmdline>";
constexpr std::string_view kHostObject = "__plimsoll";
constexpr std::string_view kDriveObject = "__plimsoll_drive";

// One step of the generator behind Math.random (xorshift64*, whose state this is).
constexpr std::uint64_t NextRandomState(std::uint64_t state) {
  state ^= state >> 12;
  state ^= state << 25;
  return state ^ (state >> 27);
}

constexpr std::uint32_t kEvalScript = 0;
constexpr std::uint32_t kEvalModule = 1;

}  // namespace

std::uint32_t MemoryLimit(std::uint32_t pages) {
  const std::uint64_t cap = std::uint64_t{pages} * kPageSize;
  const std::uint64_t scaled = cap * 252'000'000 / (std::uint64_t{kDefaultPages} * kPageSize);
  return static_cast<std::uint32_t>(std::min(scaled, cap - kOutsideLimit));
}

Engine::Engine(Options options)
    : host_(machine_, options.clock, std::move(options.write), std::move(options.wait_until)) {}

base::Result<std::unique_ptr<Engine>> Engine::Create(Options options) {
  const std::uint32_t max_pages = std::clamp(options.max_pages, kMinPages, kMaxPages);
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  const auto started = engine->Start(max_pages);
  if (!started.has_value()) {
    return started.error();
  }
  return engine;
}

base::Status Engine::Start(std::uint32_t max_pages) {
  TakeFaults();
  const auto machine = Machine::Start(machine_, &host_, max_pages);
  if (!machine.has_value()) {
    return machine;
  }
  struct Context {
    Engine* engine;
    std::uint32_t max_pages;
    const char* failed;
  } context{this, max_pages, "a trap"};
  const auto body = [](void* given) {
    auto* start = static_cast<Context*>(given);
    start->failed = start->engine->StartBody(start->max_pages);
  };
  const Stop stop = EnterGuest(body, &context);
  if (stop != Stop::kNone || context.failed != nullptr) {
    return base::Fault{base::FaultKind::kInternal,
                       std::string("the engine did not start: ") + context.failed + " " + TrapName(stop)};
  }
  TakeImage();
  return base::Ok();
}

// Returns what failed, or null.
const char* Engine::StartBody(std::uint32_t max_pages) {
  if (Z_quickjsZ_qjs_init(js()) != 0) {
    return "no context";
  }
  memory_limit_ = MemoryLimit(max_pages);
  Z_quickjsZ_qjs_set_memory_limit(js(), memory_limit_);
  Z_quickjsZ_qjs_set_max_stack_size(js(), kEngineStackLimit);
  Z_quickjsZ_qjs_set_interrupt_handler(js(), 1);
  Z_quickjsZ_qjs_set_module_loader(js(), 1);
  Z_quickjsZ_qjs_set_promise_rejection_handler(js(), 1);
  const Address scratch = Z_quickjsZ_wasm_malloc(js(), kScratchBytes);
  host_.SetEngine(Z_quickjsZ_qjs_get_context_ptr(js()), scratch);
  undefined_ = Z_quickjsZ_qjs_get_undefined(js());
  file_name_ = StringIn(kFileName);
  if (scratch == 0 || undefined_ == 0 || file_name_ == 0 || !DefineHostObject()) {
    return "no memory for the first objects";
  }
  if (!FindRandomState()) {
    return "the state of Math.random was not found";
  }
  if (!EvaluatePrelude()) {
    return "the prelude threw";
  }
  if (!TakeDrive()) {
    return "the prelude left no event loop, or its host object";
  }
  Z_quickjsZ_qjs_run_gc(js());
  const Address headroom = Z_quickjsZ_wasm_malloc(js(), std::min(kHeadroomBytes, max_pages / 8 * kPageSize));
  Z_quickjsZ_wasm_free(js(), headroom);
  return headroom != 0 && host_.rejections().empty() ? nullptr : "no memory for a run, or a rejection in the prelude";
}

// A copy of `text` in linear memory, ended by a zero byte; 0 when there is no room.
Address Engine::StringIn(std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const Address copy = Z_quickjsZ_wasm_malloc(js(), size + 1);
  const auto room = copy == 0 ? std::nullopt : machine_.Bytes(copy, size + 1);
  if (!room) {
    return 0;
  }
  std::memcpy(room->data(), text.data(), size);
  room->back() = 0;
  return copy;
}

// True for an exception, and for the null handle that stands for no memory left.
bool Engine::Threw(Address handle) { return handle == 0 || Z_quickjsZ_qjs_is_exception(js(), handle) != 0; }

// The engine seeds Math.random from the calendar when its context is made, and draws once. While it starts that clock
// stands still, so the state is known; the one place that holds it, and that Math.random moves on, is what a run
// reseeds.
bool Engine::FindRandomState() {
  constexpr std::uint64_t kFirst = NextRandomState(Host::kStartWallUs);
  const Address context = Z_quickjsZ_qjs_get_context_ptr(js());
  for (Address at = context; at < context + kContextBytes; at += sizeof(kFirst)) {
    if (machine_.Load64(at) == kFirst) {
      if (random_state_ != 0) {
        return false;
      }
      random_state_ = at;
    }
  }
  if (random_state_ == 0) {
    return false;
  }
  constexpr std::string_view kDraw = "Math.random()";
  const Address code = StringIn(kDraw);
  const Address result = Z_quickjsZ_qjs_eval(js(), code, kDraw.size(), file_name_, kEvalScript);
  Z_quickjsZ_wasm_free(js(), code);
  if (Threw(result)) {
    return false;
  }
  Z_quickjsZ_qjs_free_value(js(), result);
  return machine_.Load64(random_state_) == NextRandomState(kFirst);
}

bool Engine::DefineHostObject() {
  const Address object = Z_quickjsZ_qjs_new_object(js());
  const Address global = Z_quickjsZ_qjs_get_global(js());
  for (const std::string_view name : Host::FunctionNames()) {
    const Address text = StringIn(name);
    const Address function = Z_quickjsZ_qjs_new_host_function(js(), text, static_cast<std::uint32_t>(name.size()), 0);
    if (Threw(function)) {
      return false;
    }
    Z_quickjsZ_qjs_set_prop_string(js(), object, text, function);
    Z_quickjsZ_qjs_free_value(js(), function);
    Z_quickjsZ_wasm_free(js(), text);
  }
  const Address name = StringIn(kHostObject);
  Z_quickjsZ_qjs_set_prop_string(js(), global, name, object);
  Z_quickjsZ_wasm_free(js(), name);
  Z_quickjsZ_qjs_free_value(js(), object);
  Z_quickjsZ_qjs_free_value(js(), global);
  return true;
}

// Modules first: they keep the host functions they need, and the prelude takes the object away.
bool Engine::EvaluatePrelude() {
  const auto evaluate = [this](std::string_view text, std::uint32_t flags) {
    const Address code = StringIn(text);
    const Address result = Z_quickjsZ_qjs_eval(js(), code, static_cast<std::uint32_t>(text.size()), file_name_, flags);
    Z_quickjsZ_wasm_free(js(), code);
    if (Threw(result)) {
      return false;
    }
    Z_quickjsZ_qjs_free_value(js(), result);
    while (Z_quickjsZ_qjs_is_job_pending(js()) != 0) {
      if (static_cast<std::int32_t>(Z_quickjsZ_qjs_execute_pending_job(js())) < 0) {
        return false;
      }
    }
    return true;
  };
  return evaluate("import 'qjs:std'; import 'qjs:os'; import 'qjs:bjson';", kEvalModule) &&
         evaluate(PreludeScript(), kEvalScript);
}

Address Engine::Property(Address object, std::string_view name) {
  const Address text = StringIn(name);
  const Address value = Z_quickjsZ_qjs_get_prop_string(js(), object, text);
  Z_quickjsZ_wasm_free(js(), text);
  return value;
}

bool Engine::TakeDrive() {
  const Address global = Z_quickjsZ_qjs_get_global(js());
  drive_ = Property(global, kDriveObject);
  if (Threw(drive_) || Z_quickjsZ_qjs_is_object(js(), drive_) == 0) {
    return false;
  }
  run_timers_ = Property(drive_, "runTimers");
  format_uncaught_ = Property(drive_, "formatUncaught");
  Z_quickjsZ_qjs_free_value(js(), global);
  constexpr std::string_view kForget = "if (!delete globalThis.__plimsoll_drive || '__plimsoll' in globalThis) throw 0";
  const Address code = StringIn(kForget);
  const Address forgot = Z_quickjsZ_qjs_eval(js(), code, kForget.size(), file_name_, kEvalScript);
  Z_quickjsZ_wasm_free(js(), code);
  return !Threw(forgot) && Z_quickjsZ_qjs_is_function(js(), run_timers_) != 0 &&
         Z_quickjsZ_qjs_is_function(js(), format_uncaught_) != 0;
}

void Engine::TakeImage() {
  image_pages_ = machine_.pages();
  const std::span<std::uint8_t> memory = machine_.memory();
  image_.Take(memory.subspan(kModuleStackTop, kStackGuard - kModuleStackTop));
  image_.Take(memory.subspan(kStackTop));
}

void Engine::Restore() {
  PLIMSOLL_CHECK(machine_.pages() == image_pages_ && machine_.table_size() == kModuleTableSize);
  image_.Restore();
  machine_.ResetStack();
}

Engine::Ended Engine::Enter(void (*body)(void*), void* context) {
  Ended ended{.stop = EnterGuest(body, context), .exit_code = exit_code_};
  if (ended.stop == Stop::kExit) {
    ended.exit_code = host_.exit_code();
  }
  const bool came_to_its_end = ended.stop == Stop::kNone || ended.stop == Stop::kExit;
  ended.reusable = came_to_its_end && machine_.pages() == image_pages_ && machine_.table_size() == kModuleTableSize;
  return ended;
}

Engine::Ended Engine::Run(const RunInput& run) {
  code_ = run.code;
  exit_code_ = 0;
  host_.BeginRun(run);
  return Enter([](void* self) { static_cast<Engine*>(self)->RunBody(); }, this);
}

Engine::Ended Engine::RunForTest(void (*body)(Machine&)) {
  struct Context {
    Machine& machine;
    void (*body)(Machine&);
  } context{machine_, body};
  return Enter(
      [](void* given) {
        auto* test = static_cast<Context*>(given);
        test->body(test->machine);
      },
      &context);
}

void Engine::RunBody() {
  // A state of zero would stay zero for ever.
  machine_.Store64(random_state_, host_.random().Next64() | 1);
  if (!RunScript() || !RunLoop()) {
    exit_code_ = 1;
    ReportPending();
    return;
  }
  if (!host_.rejections().empty()) {
    exit_code_ = 1;
    const Rejections::Entry* first = host_.rejections().first();
    ReportUncaught(first == nullptr ? undefined_ : first->reason_handle);
  }
}

bool Engine::RunScript() {
  const Address code = StringIn(code_);
  if (code == 0) {
    return false;
  }
  const Address result =
      Z_quickjsZ_qjs_eval(js(), code, static_cast<std::uint32_t>(code_.size()), file_name_, kEvalScript);
  Z_quickjsZ_wasm_free(js(), code);
  if (Threw(result)) {
    return false;
  }
  Z_quickjsZ_qjs_free_value(js(), result);
  return true;
}

bool Engine::RunLoop() {
  while (true) {
    while (Z_quickjsZ_qjs_is_job_pending(js()) != 0) {
      if (static_cast<std::int32_t>(Z_quickjsZ_qjs_execute_pending_job(js())) < 0) {
        return false;
      }
    }
    host_.PollDeadline();
    switch (RunTimers()) {
      case Timers::kFired: break;
      case Timers::kNoneLeft: return true;
      case Timers::kThrew: return false;
    }
  }
}

Engine::Timers Engine::RunTimers() {
  const Address result = Z_quickjsZ_qjs_call(js(), run_timers_, drive_, 0, 0);
  if (Threw(result)) {
    return Timers::kThrew;
  }
  const bool more = Z_quickjsZ_qjs_get_bool(js(), result) != 0;
  Z_quickjsZ_qjs_free_value(js(), result);
  return more ? Timers::kFired : Timers::kNoneLeft;
}

void Engine::ReportPending() {
  Z_quickjsZ_qjs_set_memory_limit(js(), memory_limit_ + kReportBytes);
  ReportUncaught(Z_quickjsZ_qjs_get_exception(js()));
}

void Engine::ReportUncaught(Address value) {
  constexpr std::string_view kNoWords = "Error: uncaught exception (its text could not be made)\n";
  Z_quickjsZ_qjs_set_memory_limit(js(), memory_limit_ + kReportBytes);
  const Address arguments = Z_quickjsZ_wasm_malloc(js(), sizeof(Address));
  if (arguments == 0 || value == 0) {
    host_.Emit(Stream::kStderr, kNoWords);
    return;
  }
  machine_.Store32(arguments, value);
  const Address text = Z_quickjsZ_qjs_call(js(), format_uncaught_, drive_, 1, arguments);
  if (Threw(text) || !host_.EmitValue(Stream::kStderr, text)) {
    host_.Emit(Stream::kStderr, kNoWords);
  }
}

}  // namespace plimsoll::wasm
