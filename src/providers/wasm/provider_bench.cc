// Measures runs of a trivial snippet at the provider's boundary, with 1, 2, 8 and 64 in flight, and prints one JSON
// object a line. Usage: wasm_provider_bench WORKER_PROGRAM [RUNS]
#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "os/system_clock.h"
#include "os/system_random.h"
#include "providers/wasm/provider.h"
#include "run/request.h"

namespace plimsoll::wasm {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

class StderrLog final : public base::LogSink {
 public:
  void Write(base::Severity /*severity*/, std::string_view message, std::span<const base::LogField> fields) override {
    std::fprintf(stderr, "%.*s", static_cast<int>(message.size()), message.data());
    for (const base::LogField& field : fields) {
      if (const auto* text = std::get_if<std::string_view>(&field.value)) {
        std::fprintf(stderr, " %.*s", static_cast<int>(text->size()), text->data());
      }
    }
    std::fputc('\n', stderr);
  }
};

constexpr std::string_view kCode = "console.log(6*7)";
constexpr std::string_view kExpected = "42\n";

// Keeps `in_flight` runs going until `runs` have ended: each end starts the next run, as a busy daemon would.
class Load {
 public:
  Load(Provider& provider, const run::Request& request, std::size_t in_flight, std::size_t runs)
      : provider_(provider), request_(request), in_flight_(in_flight), runs_(runs) {
    latencies_.reserve(runs);
  }

  void Go() {
    started_ = in_flight_;
    for (std::size_t i = 0; i < in_flight_; ++i) {
      Start();
    }
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return latencies_.size() == runs_; });
  }

  double Percentile(double share) {
    std::sort(latencies_.begin(), latencies_.end());
    const auto index = static_cast<std::size_t>(share * static_cast<double>(latencies_.size() - 1));
    return std::chrono::duration<double, std::milli>(latencies_[index]).count();
  }
  // Runs that ended without the right output.
  std::size_t faults() const { return faults_; }

 private:
  void Start() {
    const auto start = steady_clock::now();
    provider_.Run({.request = request_, .principal = "bench", .stop = {}},
                  [this, start](const base::Result<run::Report>& report) { End(start, Judge(report)); });
  }

  enum class Answer { kRight, kWrong };

  static Answer Judge(const base::Result<run::Report>& report) {
    const auto* result = report ? std::get_if<run::JavaScriptResult>(&report->result) : nullptr;
    return result != nullptr && result->stdout_bytes == kExpected ? Answer::kRight : Answer::kWrong;
  }

  void End(steady_clock::time_point start, Answer answer) {
    bool again = false;
    {
      const std::lock_guard lock(mutex_);
      latencies_.push_back(steady_clock::now() - start);
      faults_ += answer == Answer::kRight ? 0U : 1U;
      again = started_ < runs_;
      started_ += again ? 1U : 0U;
      if (latencies_.size() == runs_) {
        ended_.notify_one();
      }
    }
    if (again) {
      Start();
    }
  }

  Provider& provider_;
  const run::Request& request_;
  const std::size_t in_flight_;
  const std::size_t runs_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<steady_clock::duration> latencies_;
  std::size_t started_ = 0;
  std::size_t faults_ = 0;
};

run::Request Snippet() {
  run::Draft draft;
  draft.protocol = 5;
  draft.payload = run::JavaScript{.code = std::string(kCode), .grant_profile = {}};
  return run::Request::Validate(std::move(draft), run::Request::Cells::kRefused).value();
}

void Measure(Provider& provider, const run::Request& request, std::size_t in_flight, std::size_t runs) {
  Load warm(provider, request, in_flight, std::max<std::size_t>(runs / 10, in_flight));
  warm.Go();
  const auto before = provider.Count().started;
  Load load(provider, request, in_flight, runs);
  const auto start = steady_clock::now();
  load.Go();
  const std::chrono::duration<double> took = steady_clock::now() - start;
  std::printf(
      "{\"bench\":\"wasm_provider\",\"in_flight\":%zu,\"runs\":%zu,\"p50_ms\":%.4f,\"p99_ms\":%.4f,"
      "\"runs_per_s\":%.0f,\"faults\":%zu,\"workers_started\":%llu}\n",
      in_flight, runs, load.Percentile(0.5), load.Percentile(0.99), static_cast<double>(runs) / took.count(),
      load.faults(), static_cast<unsigned long long>(provider.Count().started - before));
}

int Main(const std::string& worker, std::size_t runs) {
  const os::SystemClock clock;
  os::SystemRandom random;
  StderrLog log;
  const auto start = steady_clock::now();
  auto provider = Provider::Create({.worker_program = worker, .max_concurrent = 64}, clock, random, log);
  if (!provider) {
    return 1;
  }
  const auto tested = (*provider)->SmokeTest(clock.Steady() + std::chrono::seconds(10));
  if (!tested) {
    std::fprintf(stderr, "%s\n", std::string(base::TextOf(tested.error())).c_str());
    return 1;
  }
  const run::Request request = Snippet();
  Load first(**provider, request, 1, 1);
  first.Go();
  if (first.faults() != 0) {
    std::fprintf(stderr, "the first run did not print what it should\n");
    return 1;
  }
  const std::chrono::duration<double, std::milli> took = steady_clock::now() - start;
  std::printf("{\"bench\":\"wasm_provider_start\",\"start_to_first_answer_ms\":%.1f}\n", took.count());
  for (const std::size_t in_flight : {1U, 2U, 8U, 64U}) {
    Measure(**provider, request, in_flight, runs);
  }
  return 0;
}

}  // namespace
}  // namespace plimsoll::wasm

int main(int argc, char** argv) {
  std::size_t runs = 20'000;
  if (argc > 2) {
    std::from_chars(argv[2], argv[2] + std::string_view(argv[2]).size(), runs);
  }
  if (argc < 2 || runs == 0) {
    std::fprintf(stderr, "usage: wasm_provider_bench WORKER_PROGRAM [RUNS]\n");
    return 2;
  }
  return plimsoll::wasm::Main(argv[1], runs);
}
