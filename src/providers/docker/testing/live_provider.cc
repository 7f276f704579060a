#include "providers/docker/testing/live_provider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include "providers/docker/engine/testing/live_engine.h"
#include "providers/docker/preflight/file_digest.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kLongestRun{150};

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing in a test sets one
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::optional<VerifiedImage> MustHave(Engine& engine, const std::string& reference) {
  auto answer = engine.InspectImage(reference, "", Within(seconds(10)));
  const auto* image = std::get_if<EngineImage>(&answer);
  if (image == nullptr) {
    ADD_FAILURE() << "the image " << reference << " is missing (make images): " << std::get<EngineError>(answer).detail;
    return std::nullopt;
  }
  return VerifiedImage{.reference = reference,
                       .id = image->id,
                       .environment = image->environment,
                       .identity = "docker-image:" + image->id,
                       .languages = {"javascript"}};
}

std::shared_ptr<const State> MustFindState(const Settings& settings, const LiveProvider::Around& around) {
  auto state = std::make_shared<State>();
  state->engine = LiveEngine();
  if (state->engine == nullptr) {
    return nullptr;
  }
  for (const auto& [role, reference] :
       {std::pair{Role::kSnippet, settings.snippet_image}, std::pair{Role::kProject, settings.project_image}}) {
    auto image = MustHave(*state->engine, reference);
    if (!image) {
      return nullptr;
    }
    state->images[role] = std::move(*image);
  }
  if (around) {
    state->engine = around(state->engine);
  }
  auto agent = DigestOf(settings.agent_program);
  if (!agent) {
    ADD_FAILURE() << base::TextOf(agent.error());
    return nullptr;
  }
  state->agent_sha256 = std::move(agent).value();
  state->runtime = settings.runtime;
  state->tier = settings.runtime == kRunsc ? isolation::Tier::kKernel : isolation::Tier::kContainer;
  return state;
}

run::Request MustValidate(run::Draft draft) {
  auto request = run::Request::Validate(std::move(draft), run::Request::Cells::kRefused);
  if (!request) {
    ADD_FAILURE() << base::TextOf(request.error());
    std::abort();
  }
  return std::move(*request);
}

}  // namespace

Settings LiveSettings(const std::string& runtime) {
  Settings settings;
  settings.snippet_image = Variable("PLIMSOLL_TEST_SNIPPET_IMAGE", "plimsoll/sandbox-snippet:latest");
  settings.project_image = Variable("PLIMSOLL_TEST_PROJECT_IMAGE", "plimsoll/sandbox:latest");
  settings.runtime = runtime;
  settings.agent_program = PLIMSOLL_BIN_DIR "/plimsoll-guest";
  settings.max_concurrent = 4;
  return settings;
}

LiveProvider::LiveProvider(const Settings& settings, const Around& around) : state_(MustFindState(settings, around)) {
  if (state_ == nullptr) {
    return;
  }
  const Provider::Parts parts{
      .preflight =
          [this](const Settings&) {
            auto stub = std::make_unique<StubPreflight>(state_);
            preflight_ = stub.get();
            return stub;
          },
      .launcher =
          [this](const Settings& own, Leases& leases) {
            return std::make_unique<RecordingLauncher>(Launcher::Create(own, clock_, random_, log_, leases), names_);
          },
      .smoke =
          [](std::shared_ptr<const State> state, const Settings&, Launcher&, base::SteadyTime) {
            return SmokeOutcome{.status = base::Ok(), .report = nullptr, .proven = std::move(state)};
          }};
  provider_ = Provider::CreateFrom(settings, parts, clock_, log_);
  EXPECT_TRUE(provider_->SmokeTest(steady_clock::now() + seconds(10)));
}

LiveProvider::~LiveProvider() {
  if (provider_ == nullptr) {
    return;
  }
  provider_.reset();
  for (const std::string& name : LeftAfter(seconds(10))) {
    ADD_FAILURE() << "the container " << name << " outlived its provider";
    static_cast<void>(engine().Remove(name, Within(seconds(10))));
  }
}

base::Result<run::Report> LiveProvider::Run(const run::Request& request, std::stop_token stop) {
  std::promise<base::Result<run::Report>> promise;
  auto future = promise.get_future();
  provider_->Run({.request = request, .principal = "test", .stop = std::move(stop)},
                 [&promise](base::Result<run::Report> answer) { promise.set_value(std::move(answer)); });
  if (future.wait_for(kLongestRun) != std::future_status::ready) {
    ADD_FAILURE() << "a run had no answer";
    std::abort();  // its callback would outlive what it refers to
  }
  return future.get();
}

run::JavaScriptResult LiveProvider::Snippet(std::string code, milliseconds timeout) {
  auto report = Run(SnippetRequest(std::move(code), timeout));
  if (!report) {
    ADD_FAILURE() << base::TextOf(report.error());
    return {};
  }
  return std::get<run::JavaScriptResult>(std::move(report->result));
}

run::ProjectResult LiveProvider::Project(run::Project project, milliseconds timeout) {
  auto report = Run(ProjectRequest(std::move(project), timeout));
  if (!report) {
    ADD_FAILURE() << base::TextOf(report.error());
    return {};
  }
  return std::get<run::ProjectResult>(std::move(report->result));
}

bool LiveProvider::AwaitPool(Role role, std::size_t count, seconds longest) {
  const auto until = steady_clock::now() + longest;
  while (steady_clock::now() < until) {
    const auto census = provider_->CountPool();
    if ((role == Role::kSnippet ? census.snippets : census.projects) >= count) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

std::vector<std::string> LiveProvider::Containers() {
  auto answer = engine().ListByLabel(kExpiresLabel, Within(seconds(10)));
  const auto* listed = std::get_if<std::vector<ContainerListed>>(&answer);
  if (listed == nullptr) {
    ADD_FAILURE() << std::get<EngineError>(answer).detail;
    return {};
  }
  const std::vector<std::string> ours = *names_->Lock();
  std::vector<std::string> there;
  for (const ContainerListed& container : *listed) {
    for (const std::string& name : container.names) {
      if (std::ranges::find(ours, name) != ours.end()) {
        there.push_back(name);
      }
    }
  }
  return there;
}

std::vector<std::string> LiveProvider::LeftAfter(seconds longest) {
  const auto until = steady_clock::now() + longest;
  std::vector<std::string> left = Containers();
  while (!left.empty() && steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(50));
    left = Containers();
  }
  return left;
}

run::Request SnippetRequest(std::string code, milliseconds timeout, std::string floor) {
  run::Draft draft;
  draft.protocol = 5;
  draft.minimum_isolation = std::move(floor);
  draft.timeout_ms = static_cast<std::int32_t>(timeout.count());
  draft.payload = run::JavaScript{.code = std::move(code), .grant_profile = {}};
  return MustValidate(std::move(draft));
}

run::Request ProjectRequest(run::Project project, milliseconds timeout) {
  run::Draft draft;
  draft.protocol = 5;
  draft.timeout_ms = static_cast<std::int32_t>(timeout.count());
  draft.payload = std::move(project);
  return MustValidate(std::move(draft));
}

}  // namespace plimsoll::docker
