#include <poll.h>

#include <algorithm>
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/socket_pair.h"
#include "providers/docker/engine/api_version.h"
#include "providers/docker/engine/names.h"
#include "providers/docker/engine/testing/live_engine.h"

namespace plimsoll::docker {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using Kind = EngineError::Kind;

template <typename T>
T Value(Answer<T> answer) {
  if (const auto* error = std::get_if<EngineError>(&answer)) {
    ADD_FAILURE() << "error of kind " << static_cast<int>(error->kind) << ": " << error->detail;
    return T{};
  }
  return std::get<T>(std::move(answer));
}

template <typename T>
EngineError ErrorOf(const Answer<T>& answer) {
  if (!std::holds_alternative<EngineError>(answer)) {
    ADD_FAILURE() << "an answer where an error was expected";
    return {.kind = Kind::kUnreachable, .sent = http::Sent::kNothing};
  }
  return std::get<EngineError>(answer);
}

std::string Body(std::string_view program, std::string_view labels = "{}") {
  return R"({"Image":")" + TestImage() + R"(","Entrypoint":)" + std::string(program) +
         R"(,"OpenStdin":true,"StdinOnce":true,"AttachStdin":true,"AttachStdout":true,"AttachStderr":true,"Labels":)" +
         std::string(labels) + R"(,"HostConfig":{"NetworkMode":"none","LogConfig":{"Type":"none"}}})";
}

// Sends `text` and reads the container's answer until both streams hold what is expected, the stream ends or 10 s pass.
struct Heard {
  std::string stdout_bytes;
  std::string stderr_bytes;
};
class Conversation {
 public:
  explicit Conversation(Attached attached) : attached_(std::move(attached)) { Take(attached_.early); }

  void Say(std::string_view text) {
    const auto sent = os::Send(attached_.socket.get(), text);
    ASSERT_EQ(sent.bytes, text.size());
  }

  // True when the peer is still there.
  bool Listen() {
    pollfd waiting{.fd = attached_.socket.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 10'000) != 1) {
      return false;
    }
    std::array<char, 4096> buffer;
    const auto received = os::Receive(attached_.socket.get(), buffer);
    Take({buffer.data(), received.bytes});
    return received.state != os::Transfer::kClosed;
  }

  const Heard& heard() const { return heard_; }

 private:
  void Take(std::string_view bytes) {
    const auto status = demux_.Feed(bytes, [&](const Demux::Piece& piece) {
      (piece.stream == Demux::Piece::Stream::kStdout ? heard_.stdout_bytes : heard_.stderr_bytes) += piece.bytes;
    });
    EXPECT_TRUE(status.has_value());
  }

  Attached attached_;
  Demux demux_;
  Heard heard_;
};

TEST(DockerEngineLive, StatesItsVersionAndWhatItIs) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const auto version = Value(engine->Negotiate(Within(10s)));
  EXPECT_EQ(version.os, "linux");
  EXPECT_TRUE(ParseApiVersion(version.api));
  EXPECT_THAT(version.components, Contains(Key("runc")));
  const auto info = Value(engine->Info(Within(10s)));
  EXPECT_THAT(info.runtimes, Contains(Key("runc")));
  EXPECT_FALSE(info.default_runtime.empty());
  EXPECT_THAT(info.cgroup_version, testing::AnyOf("1", "2"));
  EXPECT_TRUE(info.memory_limit);
  EXPECT_TRUE(info.pids_limit);
}

TEST(DockerEngineLive, InspectsAnImage) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const auto image = Value(engine->InspectImage(TestImage(), "", Within(10s)));
  EXPECT_TRUE(IsSha256Id(image.id)) << image.id;
  EXPECT_EQ(image.os, "linux");
  EXPECT_EQ(Value(engine->InspectImage(image.id, "", Within(10s))).id, image.id);
  const auto absent = ErrorOf(engine->InspectImage("plimsoll/no-such-image:none", "", Within(10s)));
  EXPECT_EQ(absent.kind, Kind::kNotFound);
  EXPECT_EQ(absent.status, 404);
}

TEST(DockerEngineLive, CarriesAContainerFromItsCreationToItsEnd) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const std::string name = FreshName();
  const Removed removed(*engine, name);
  const std::string body =
      Body(R"(["/bin/sh","-c","read line; echo $line; echo oops >&2; exit 7"])", R"({"io.plimsoll.test":"yes"})");
  const std::string id = Value(engine->Create(name, "", body, Within(10s)));
  EXPECT_TRUE(IsContainerId(id));
  EXPECT_EQ(Value(engine->Inspect(id, Within(10s))).status, ContainerState::Status::kCreated);

  Conversation conversation(Value(engine->Attach(id, Within(10s))));
  Value(engine->Start(id, Within(10s)));
  const auto running = Value(engine->Inspect(name, Within(10s)));
  EXPECT_EQ(running.status, ContainerState::Status::kRunning);
  EXPECT_GT(running.pid, 0);
  EXPECT_FALSE(running.runtime.empty());
  EXPECT_EQ(running.image, Value(engine->InspectImage(TestImage(), "", Within(10s))).id);

  const auto record = Value(engine->Examine(id, Within(10s)));
  EXPECT_EQ(record.state.status, ContainerState::Status::kRunning);
  EXPECT_EQ(record.networks, std::vector<std::string>{"none"});
  EXPECT_EQ(Value(engine->ListById(id, Within(10s))).size(), 1U);
  EXPECT_TRUE(Value(engine->ListById(std::string(64, '0'), Within(10s))).empty());
  Value(engine->Pause(id, Within(10s)));
  EXPECT_EQ(Value(engine->Examine(id, Within(10s))).state.status, ContainerState::Status::kPaused);
  Value(engine->Unpause(id, Within(10s)));
  const auto thawed = Value(engine->Examine(id, Within(10s)));
  EXPECT_EQ(thawed.state.status, ContainerState::Status::kRunning);
  EXPECT_EQ(thawed.settings, record.settings);
  EXPECT_EQ(thawed.mounts, record.mounts);

  conversation.Say("hello\n");
  while (conversation.Listen()) {
  }
  EXPECT_EQ(conversation.heard().stdout_bytes, "hello\n");
  EXPECT_EQ(conversation.heard().stderr_bytes, "oops\n");

  auto ended = Value(engine->Inspect(id, Within(10s)));
  for (int i = 0; i < 100 && ended.status == ContainerState::Status::kRunning; ++i) {
    ::poll(nullptr, 0, 50);
    ended = Value(engine->Inspect(id, Within(10s)));
  }
  EXPECT_EQ(ended.status, ContainerState::Status::kExited);
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_FALSE(ended.oom_killed);
  EXPECT_EQ(ended.pid, 0);

  Value(engine->Remove(id, Within(10s)));
  EXPECT_EQ(ErrorOf(engine->Remove(id, Within(10s))).kind, Kind::kNotFound);
  EXPECT_EQ(ErrorOf(engine->Inspect(id, Within(10s))).kind, Kind::kNotFound);
  EXPECT_EQ(ErrorOf(engine->Attach(id, Within(10s))).kind, Kind::kNotFound);
}

TEST(DockerEngineLive, RemovesARunningContainerByForce) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const std::string name = FreshName();
  const Removed removed(*engine, name);
  const std::string id = Value(engine->Create(name, "", Body(R"(["/bin/sleep","1000"])"), Within(10s)));
  Value(engine->Start(id, Within(10s)));
  Value(engine->Start(id, Within(10s)));  // runs already
  Value(engine->Remove(name, Within(10s)));
  EXPECT_THAT(Value(engine->ListByName(name, Within(10s))), IsEmpty());
}

TEST(DockerEngineLive, ListsByLabelAndByExactName) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const std::string name = FreshName();
  const std::string longer = name + ".x";
  const Removed removed(*engine, name);
  const Removed removed_too(*engine, longer);
  const std::string label = "io.plimsoll.test-" + name;
  const std::string labels = R"({")" + label + R"(":"a \"b\""})";
  const std::string id = Value(engine->Create(name, "", Body(R"(["/bin/true"])", labels), Within(10s)));
  Value(engine->Create(longer, "", Body(R"(["/bin/true"])"), Within(10s)));

  const auto by_name = Value(engine->ListByName(name, Within(10s)));
  ASSERT_EQ(by_name.size(), 1U);
  EXPECT_EQ(by_name.at(0).id, id);
  EXPECT_THAT(by_name.at(0).names, ElementsAre(name));
  const auto by_label = Value(engine->ListByLabel(label, Within(10s)));
  ASSERT_EQ(by_label.size(), 1U);
  EXPECT_EQ(by_label.at(0).labels.at(label), "a \"b\"");
  EXPECT_THAT(Value(engine->ListByLabel(label + "x", Within(10s))), IsEmpty());
}

TEST(DockerEngineLive, RefusesToCreateTwoOfOneName) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const std::string name = FreshName();
  const Removed removed(*engine, name);
  Value(engine->Create(name, "", Body(R"(["/bin/true"])"), Within(10s)));
  const auto twice = ErrorOf(engine->Create(name, "", Body(R"(["/bin/true"])"), Within(10s)));
  EXPECT_EQ(twice.kind, Kind::kConflict);
  EXPECT_EQ(twice.status, 409);
  const auto broken = ErrorOf(engine->Create(FreshName(), "", "{\"Image\":7}", Within(10s)));
  EXPECT_EQ(broken.kind, Kind::kRefused);
  EXPECT_LE(broken.detail.size(), 1100U);
}

TEST(DockerEngineLive, InspectsForAPlatformOnlyWhereTheEngineCan) {
  const auto engine = LiveEngine();
  ASSERT_NE(engine, nullptr);
  const auto version = Value(engine->Negotiate(Within(10s)));
  if (*ParseApiVersion(version.api) >= ApiVersion{.major = 1, .minor = 49}) {
    EXPECT_FALSE(Value(engine->InspectImage(TestImage(), "linux/" + version.architecture, Within(10s))).id.empty());
    return;
  }
  const auto error = ErrorOf(engine->InspectImage(TestImage(), "linux/amd64", Within(10s)));
  EXPECT_EQ(error.kind, Kind::kMalformed);
  EXPECT_EQ(error.sent, http::Sent::kNothing);
  EXPECT_THAT(error.detail, HasSubstr("needs API 1.49"));
}

}  // namespace
}  // namespace plimsoll::docker
