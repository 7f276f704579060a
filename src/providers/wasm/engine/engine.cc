#include "providers/wasm/engine/engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace plimsoll::wasm {
namespace {

// What a guest's limit is raised by while its uncaught exception is put into words.
constexpr std::uint32_t kReportBytes = 1024 * 1024;

}  // namespace

Engine::Engine(Options options)
    : max_pages_(std::clamp(options.max_pages, kMinPages, kMaxPages)),
      host_(machine_, options.clock, std::move(options.write), std::move(options.wait_until)),
      js_(machine_) {}

base::Result<std::unique_ptr<Engine>> Engine::Open(Options options) {
  const std::span<const std::uint8_t> saved = options.image;
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  if (auto started = engine->Start(saved); !started) {
    return started.error();
  }
  return engine;
}

base::Status Engine::Start(std::span<const std::uint8_t> saved) {
  std::optional<Image> image = Image::Read(saved);
  if (!image) {
    return base::Fault{base::FaultKind::kInternal, "the engine's image is not one of this program"};
  }
  image_ = *std::move(image);
  roots_ = image_.roots();
  TakeFaults();
  if (auto started = machine_.Start(&host_, max_pages_, Machine::Initialise::kSkip); !started) {
    return started;
  }
  if (!image_.Load(machine_)) {
    return base::Fault{base::FaultKind::kInternal, "no memory for the engine's image"};
  }
  host_.SetEngine(roots_.context, roots_.scratch);
  return base::Ok();
}

void Engine::Restore() {
  PLIMSOLL_CHECK(machine_.table_size() == kModuleTableSize);
  image_.Restore(machine_);
  machine_.ResetStack();
}

Engine::Ended Engine::Enter(const RunInput& run, void (*body)(void*), void* context) {
  code_ = run.code;
  exit_code_ = 0;
  host_.BeginRun(run);
  Ended ended{.stop = EnterGuest(body, context), .exit_code = exit_code_};
  if (ended.stop == Stop::kExit) {
    ended.exit_code = host_.exit_code();
  }
  const bool came_to_its_end = ended.stop == Stop::kNone || ended.stop == Stop::kExit;
  ended.reusable = came_to_its_end && machine_.pages() == image_.pages() && machine_.table_size() == kModuleTableSize;
  return ended;
}

Engine::Ended Engine::Run(const RunInput& run) {
  return Enter(run, [](void* self) { static_cast<Engine*>(self)->RunBody(); }, this);
}

Engine::Ended Engine::RunForTest(const RunInput& run, void (*body)(Machine&)) {
  struct Context {
    Machine& machine;
    void (*body)(Machine&);
  } context{machine_, body};
  const auto call = [](void* given) {
    auto* test = static_cast<Context*>(given);
    test->body(test->machine);
  };
  return Enter(run, call, &context);
}

void Engine::RunBody() {
  // What differs between runs and is part of the engine's state: the memory limit of this worker's cap, and a seed. A
  // random state of zero would stay zero for ever.
  Z_quickjsZ_qjs_set_memory_limit(api(), MemoryLimit(max_pages_));
  machine_.Store64(roots_.random_state, host_.random().Next64() | 1);
  if (!js_.Evaluate(code_, roots_.file_name, kEvalScript | kEvalBarrier) || !RunLoop()) {
    exit_code_ = 1;
    ReportUncaught(Z_quickjsZ_qjs_get_exception(api()));
  } else if (!host_.rejections().empty()) {
    exit_code_ = 1;
    const Rejections::Entry* first = host_.rejections().first();
    ReportUncaught(first == nullptr ? roots_.undefined : first->reason_handle);
  }
}

bool Engine::RunLoop() {
  while (js_.RunJobs()) {
    host_.PollDeadline();
    switch (RunTimers()) {
      case Timers::kFired: break;
      case Timers::kNoneLeft: return true;
      case Timers::kThrew: return false;
    }
  }
  return false;
}

Engine::Timers Engine::RunTimers() {
  const Address result = Z_quickjsZ_qjs_call(api(), roots_.run_timers, roots_.drive, 0, 0);
  if (js_.Threw(result)) {
    return Timers::kThrew;
  }
  const bool more = Z_quickjsZ_qjs_get_bool(api(), result) != 0;
  Z_quickjsZ_qjs_free_value(api(), result);
  return more ? Timers::kFired : Timers::kNoneLeft;
}

void Engine::ReportUncaught(Address value) {
  constexpr std::string_view kNoWords = "Error: uncaught exception (its text could not be made)\n";
  Z_quickjsZ_qjs_set_memory_limit(api(), MemoryLimit(max_pages_) + kReportBytes);
  const Address arguments = Z_quickjsZ_wasm_malloc(api(), sizeof(Address));
  if (arguments == 0 || value == 0) {
    host_.Emit(Stream::kStderr, kNoWords);
    return;
  }
  machine_.Store32(arguments, value);
  const Address text = Z_quickjsZ_qjs_call(api(), roots_.format_uncaught, roots_.drive, 1, arguments);
  if (js_.Threw(text) || !host_.EmitValue(Stream::kStderr, text)) {
    host_.Emit(Stream::kStderr, kNoWords);
    return;
  }
  host_.Emit(Stream::kStderr, "\n");
}

}  // namespace plimsoll::wasm
