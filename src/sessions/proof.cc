#include "sessions/proof.h"

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "run/request.h"

namespace plimsoll::sessions {
namespace {

using base::Fault;
using base::FaultKind;
using base::Result;
using base::Status;

// Leaves a file, and a process that outlives its call.
constexpr std::string_view kLeave = R"js(
require('fs').writeFileSync('kept', 'plimsoll');
require('child_process').spawn('sleep', ['600'], {detached: true, stdio: 'ignore'}).unref();
)js";

// Says what is left of both, and ends with a code of its own.
constexpr std::string_view kLookAndExit = R"js(
const fs = require('fs');
const left = fs.readdirSync('/proc').filter((name) => {
  try { return fs.readFileSync('/proc/' + name + '/cmdline', 'latin1') === 'sleep\0' + '600\0'; } catch { return false; }
});
process.stdout.write(fs.readFileSync('kept', 'utf8') + ' ' + left.length);
process.exitCode = 3;
)js";

constexpr std::string_view kRead = "process.stdout.write(require('fs').readFileSync('kept', 'utf8'));";

constexpr std::int32_t kCallTimeoutMs = 30'000;

Fault NotShown(std::string_view what) {
  return {FaultKind::kInternal, std::string("the start-up session did not show that ").append(what)};
}

// One answer that is waited for. The caller may stop waiting; an answer that comes later is dropped.
template <typename T>
class Answer {
 public:
  auto Sink() {
    return [promise = promise_](T value) { promise->set_value(std::move(value)); };
  }
  Result<T> Wait(base::SteadyTime deadline) {
    if (future_.wait_until(deadline) != std::future_status::ready) {
      return Fault{FaultKind::kDeadline, "the start-up session was not over in time"};
    }
    return future_.get();
  }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
  std::future<T> future_ = promise_->get_future();
};

struct Expected {
  std::string_view code;
  std::string_view out;
  std::int32_t exit_code = 0;
  std::string_view shows;
};

class Proof {
 public:
  Proof(std::shared_ptr<provider::Sandbox> sandbox, base::SteadyTime deadline)
      : sandbox_(std::move(sandbox)), deadline_(deadline) {}

  Status Show() {
    if (Status left = Call({kLeave, "", 0, "a call leaves a file and a process"}); !left) {
      return left;
    }
    if (Status swept = Call({kLookAndExit, "plimsoll 0", 3,
                             "a file is there, a process is gone and an exit code comes back in the next call"});
        !swept) {
      return swept;
    }
    if (Status suspended = Suspend(); !suspended) {
      return suspended;
    }
    return Call({kRead, "plimsoll", 0, "a file is there after a suspend"});
  }

  Status Remove() {
    Answer<Status> gone;
    sandbox_->Remove(gone.Sink());
    return Await(gone);
  }

 private:
  Status Suspend() {
    Answer<Status> suspended;
    sandbox_->Suspend(deadline_, suspended.Sink());
    return Await(suspended);
  }

  Status Await(Answer<Status>& answer) const {
    Result<Status> waited = answer.Wait(deadline_);
    return waited ? std::move(*waited) : Status(std::move(waited).error());
  }

  Status Call(const Expected& expected) {
    run::Draft draft{.protocol = run::kServedProtocols[0],
                     .minimum_isolation = {},
                     .trace_id = {},
                     .timeout_ms = kCallTimeoutMs,
                     .software_rule = {},
                     .payload = run::JavaScript{std::string(expected.code), {}}};
    // Kept by the completion, which may come after this has stopped waiting.
    const auto request = std::make_shared<const run::Request>(
        run::Request::Validate(std::move(draft), run::Request::Cells::kRefused).value());
    Answer<provider::KeptCall> answer;
    sandbox_->Run({*request, {}, {}, nullptr},
                  [request, sink = answer.Sink()](provider::KeptCall kept) mutable { sink(std::move(kept)); });
    Result<provider::KeptCall> kept = answer.Wait(deadline_);
    if (!kept) {
      return std::move(kept).error();
    }
    if (!kept->outcome) {
      return std::move(kept->outcome).error();
    }
    const auto* result = std::get_if<run::JavaScriptResult>(&kept->outcome->result);
    if (kept->ended || result == nullptr || result->stdout_bytes != expected.out ||
        result->exit_code != expected.exit_code) {
      return NotShown(expected.shows);
    }
    return base::Ok();
  }

  const std::shared_ptr<provider::Sandbox> sandbox_;
  const base::SteadyTime deadline_;
};

}  // namespace

Status ProveSessions(provider::Provider& provider, const ProofLimits& limits) {
  std::stop_source late;
  provider::OpenOrder order;
  order.stop = late.get_token();
  order.ends = limits.ends;
  order.ended = [](const run::SessionEnded&) {};  // the next call says so
  Answer<Result<std::shared_ptr<provider::Sandbox>>> opened;
  provider.Open(std::move(order), opened.Sink());
  auto waited = opened.Wait(limits.deadline);
  if (!waited) {
    late.request_stop();  // what is made all the same is removed
    return std::move(waited).error();
  }
  if (!*waited) {
    return std::move(*waited).error();
  }
  Proof proof(std::move(**waited), limits.deadline);
  Status shown = proof.Show();
  Status gone = proof.Remove();
  return shown ? std::move(gone) : std::move(shown);
}

}  // namespace plimsoll::sessions
