#include "providers/wasm/worker/worker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "frames/frame.h"
#include "os/confine.h"
#include "providers/wasm/worker/guest_thread_unsafe.h"
#include "providers/wasm/worker/output.h"

namespace plimsoll::wasm {
namespace {

// Over a worker's whole life; a backstop against one that is left without a host. A worker says that it is to be thrown
// away long before, so that no run meets the limit: the longest run is 300 s.
constexpr std::chrono::seconds kCpuLimit{900};
constexpr std::chrono::seconds kCpuForNewRuns{500};

// The engine's image, the worker's own heap and what the C library maps, on top of linear memory and the guest's stack.
constexpr std::uint64_t kOwnData = 48 * 1024 * 1024;

constexpr std::int32_t kExitDeadline = 124;
constexpr std::int32_t kExitTrapped = 134;

void Say(const base::Error& error) {
  std::string line = "plimsoll-wasm-worker: ";
  line += base::TextOf(error);
  line += '\n';
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

// Waits without using the processor. A host that goes away meanwhile ends the process.
void WaitUntil(const base::Clock& clock, base::SteadyTime until) {
  while (true) {
    const auto left = until - clock.Steady();
    if (left <= base::SteadyTime::duration::zero()) {
      return;
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(left - seconds);
    const timespec timeout = {.tv_sec = seconds.count(), .tv_nsec = rest.count()};
    pollfd host = {.fd = os::kConfinedDescriptor, .events = 0, .revents = 0};
    if (ppoll(&host, 1, &timeout, nullptr) > 0) {
      _exit(static_cast<int>(ExitStatus::kHostGone));
    }
  }
}

bool HasCpuForMore() {
  timespec used = {};
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && used.tv_sec < kCpuForNewRuns.count();
}

RunInput InputOf(const frames::RunOrder& order, base::SteadyTime received) {
  RunInput input{.code = order.code,
                 .start = received,
                 .deadline = received + std::chrono::milliseconds(order.timeout_ms),
                 .wall = base::WallTime(std::chrono::microseconds(order.wall_unix_us))};
  std::copy(std::begin(order.seed), std::end(order.seed), input.seed.begin());
  return input;
}

frames::Ended ReportOf(const Engine::Ended& ended) {
  switch (ended.stop) {
    case Stop::kNone:
    case Stop::kExit: return {.end = frames::End::kFinished, .exit_code = ended.exit_code};
    case Stop::kDeadline: return {.end = frames::End::kDeadline, .exit_code = kExitDeadline};
    case Stop::kMemoryFault:
    case Stop::kUnreachable:
    case Stop::kStackOverflow:
    case Stop::kIndirectCall:
    case Stop::kArithmetic: return {.end = frames::End::kTrapped, .exit_code = kExitTrapped};
  }
  return {};
}

// The part that lives on the guest's thread.
class Worker {
 public:
  explicit Worker(const WorkerOptions& options) : options_(options), output_(os::kConfinedDescriptor) {}

  ExitStatus Serve() {
    auto engine =
        Engine::Open({.image = options_.image,
                      .max_pages = options_.max_pages,
                      .clock = options_.clock,
                      .write = [this](Stream stream, std::string_view bytes) { output_.Write(stream, bytes); },
                      .wait_until = [this](base::SteadyTime until) { WaitUntil(options_.clock, until); }});
    if (!engine.has_value()) {
      Say(engine.error());
      return ExitStatus::kEngineFailed;
    }
    engine_ = std::move(engine).value();
    // From here on nothing can be said but over the socket, and nothing hostile was read so far.
    if (!os::Seal().has_value()) {
      return ExitStatus::kNotSealed;
    }
    output_.SendReady();
    return TakeOrders();
  }

 private:
  ExitStatus TakeOrders() {
    frames::Frame frame{};
    while (true) {
      const auto state = decoder_.Next(frame);
      if (!state.has_value()) {
        return ExitStatus::kBadFrame;
      }
      if (*state == frames::Decoder::State::kFrame) {
        if (!TakeOrder(frame)) {
          return ExitStatus::kBadFrame;
        }
        continue;
      }
      const ssize_t received = ::read(os::kConfinedDescriptor, buffer_.data(), buffer_.size());
      if (received > 0) {
        decoder_.Feed({buffer_.data(), static_cast<std::size_t>(received)});
      } else if (received == 0 || errno != EINTR) {
        return ExitStatus::kHostGone;
      }
    }
  }

  bool TakeOrder(const frames::Frame& frame) {
    const base::SteadyTime received = options_.clock.Steady();
    if (frame.type != frames::Type::kRun || spent_) {
      return false;
    }
    const auto order = frames::ParseRunOrder(frame.body);
    if (!order.has_value()) {
      return false;
    }
    output_.BeginRun();
    Report(Run(InputOf(*order, received)));
    return true;
  }

  Engine::Ended Run(const RunInput& input) {
    if (options_.hook != nullptr) {
      if (const auto taken = options_.hook->Take(*engine_, input)) {
        return *taken;
      }
    }
    return engine_->Run(input);
  }

  void Report(const Engine::Ended& ended) {
    frames::Ended report = ReportOf(ended);
    if (report.end == frames::End::kTrapped && !engine_->wrote(Stream::kStderr)) {
      std::string line = "guest aborted: ";
      line += TrapName(ended.stop);
      line += '\n';
      output_.Write(Stream::kStderr, line);
    }
    spent_ = !ended.reusable || !HasCpuForMore();
    report.next = spent_ ? frames::Next::kDiscard : frames::Next::kReuse;
    report.stdout_truncated = output_.truncated(Stream::kStdout);
    report.stderr_truncated = output_.truncated(Stream::kStderr);
    output_.SendEnded(report);
    // After the answer is on its way: the host does not wait for this.
    if (!spent_) {
      engine_->Restore();
    }
  }

  const WorkerOptions& options_;
  Output output_;
  std::unique_ptr<Engine> engine_;
  frames::Decoder decoder_;
  std::array<char, 65536> buffer_{};
  bool spent_ = false;
};

}  // namespace

ExitStatus RunWorker(const WorkerOptions& options) {
  const std::uint64_t memory = std::uint64_t{options.max_pages} * kPageSize;
  const auto confined = os::Confine(
      {.kept_descriptor = options.socket, .data_bytes = memory + kGuestStackBytes + kOwnData, .cpu_time = kCpuLimit});
  if (!confined.has_value()) {
    Say(confined.error());
    return ExitStatus::kNotConfined;
  }
  struct Context {
    Worker worker;
    ExitStatus status = ExitStatus::kNoThread;
  } context{Worker(options)};
  const auto serve = [](void* given) {
    auto* self = static_cast<Context*>(given);
    self->status = self->worker.Serve();
  };
  static_cast<void>(RunOnGuestThread(serve, &context));
  return context.status;
}

}  // namespace plimsoll::wasm
