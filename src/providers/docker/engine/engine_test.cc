#include "providers/docker/engine/engine.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/docker/engine/testing/socket_engine.h"

namespace plimsoll::docker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Kind = EngineError::Kind;

const std::string kId(64, 'a');

http::Bounds In(std::chrono::milliseconds time) { return {.deadline = std::chrono::steady_clock::now() + time}; }

std::string Version(const std::string& api, const std::string& least = "1.12") {
  return HttpAnswer(200, R"({"Version":"1","ApiVersion":")" + api + R"(","MinAPIVersion":")" + least +
                             R"(","Os":"linux","Arch":"amd64"})");
}

// A peer that serves its version, and everything else as it is told.
class Hostile {
 public:
  explicit Hostile(std::function<Reaction(const Heard&)> react, const std::string& api = "1.41")
      : peer_([react = std::move(react), api](const Heard& heard) {
          return heard.line.starts_with("GET /version") ? Reaction{.bytes = Version(api)} : react(heard);
        }) {
    auto made = Engine::Create(peer_.path());
    PLIMSOLL_CHECK(made.has_value());
    engine_ = std::move(*made);
    PLIMSOLL_CHECK(std::holds_alternative<EngineVersion>(engine_->Negotiate(In(5s))));
  }

  Engine* operator->() { return engine_.get(); }
  SocketEngine& peer() { return peer_; }
  std::string LastLine() const { return peer_.requests().back().line; }

 private:
  SocketEngine peer_;
  std::unique_ptr<Engine> engine_;
};

template <typename T>
EngineError ErrorOf(const Answer<T>& answer) {
  if (!std::holds_alternative<EngineError>(answer)) {
    ADD_FAILURE() << "an answer where an error was expected";
    return {.kind = Kind::kUnreachable, .sent = http::Sent::kNothing};
  }
  return std::get<EngineError>(answer);
}

template <typename T>
bool Succeeds(const Answer<T>& answer) {
  if (const auto* error = std::get_if<EngineError>(&answer)) {
    ADD_FAILURE() << error->detail;
    return false;
  }
  return true;
}

Reaction With(std::string bytes) { return {.bytes = std::move(bytes)}; }

const std::string kListed = R"([{"Id":")" + kId +
                            R"(","Names":["/plimsoll-a"],"Labels":{"io.plimsoll.expires":"1"}},)" + R"({"Id":")" +
                            std::string(64, 'b') + R"(","Names":["/plimsoll-ab","/x/plimsoll-a"],"Labels":null}])";

TEST(DockerEngine, ENG5_UsesTheLowerOfBothApiVersions) {
  for (const auto& [theirs, used] : std::vector<std::pair<std::string, std::string>>{
           {"1.41", "/v1.41/"}, {"1.49", "/v1.49/"}, {"1.99", "/v1.49/"}, {"2.0", "/v1.49/"}}) {
    Hostile hostile([](const Heard&) { return With(HttpAnswer(204, "")); }, theirs);
    EXPECT_TRUE(Succeeds(hostile->Start(kId, In(5s))));
    EXPECT_THAT(hostile.LastLine(), StartsWith("POST " + used));
  }
}

TEST(DockerEngine, ENG5_RefusesVersionsItDoesNotKnow) {
  for (const auto& [api, least, why] : std::vector<std::array<std::string, 3>>{{"1.40", "1.12", "at least 1.41"},
                                                                               {"1.9", "1.0", "at least 1.41"},
                                                                               {"1.60", "1.50", "at most 1.49"},
                                                                               {"1.41-beta", "1.12", "not two numbers"},
                                                                               {"1.41", "x", "not two numbers"}}) {
    const SocketEngine peer([&](const Heard&) { return With(Version(api, least)); });
    const auto engine = Engine::Create(peer.path()).value();
    const auto error = ErrorOf(engine->Negotiate(In(5s)));
    EXPECT_EQ(error.kind, Kind::kMalformed);
    EXPECT_THAT(error.detail, HasSubstr(why));
    const auto call = ErrorOf(engine->Info(In(5s)));
    EXPECT_EQ(call.kind, Kind::kUnreachable);
    EXPECT_EQ(call.sent, http::Sent::kNothing);
    EXPECT_THAT(peer.requests(), SizeIs(1));
  }
}

TEST(DockerEngine, ENG5_AsksForAPlatformOnlyWhereTheApiHasIt) {
  const auto react = [](const Heard&) { return With(HttpAnswer(404, "{}")); };
  Hostile old(react, "1.48");
  const auto error = ErrorOf(old->InspectImage("a:b", "linux/amd64", In(5s)));
  EXPECT_EQ(error.kind, Kind::kMalformed);
  EXPECT_EQ(error.sent, http::Sent::kNothing);
  EXPECT_THAT(error.detail, HasSubstr("needs API 1.49 (engine 28.1); this engine serves 1.48"));
  Hostile recent(react, "1.49");
  ErrorOf(recent->InspectImage("a:b", "linux/amd64", In(5s)));
  EXPECT_EQ(recent.LastLine(),
            "GET /v1.49/images/a:b/json?platform=%7B%22os%22%3A%22linux%22%2C%22architecture%22%3A"
            "%22amd64%22%7D HTTP/1.1");
}

TEST(DockerEngine, ENG2_SortsAnswersByTheirStatusAlone) {
  const auto status = [](int code, const std::string& body) {
    Hostile hostile([&](const Heard&) { return With(HttpAnswer(code, body)); });
    return ErrorOf(hostile->Inspect(kId, In(5s)));
  };
  EXPECT_EQ(status(404, "{}").kind, Kind::kNotFound);
  EXPECT_EQ(status(409, "{}").kind, Kind::kConflict);
  EXPECT_EQ(status(500, R"({"message":"No such container"})").kind, Kind::kRefused);
  EXPECT_EQ(status(500, R"({"message":"No such container"})").detail, "status 500: No such container");
  EXPECT_EQ(status(400, "").status, 400);
  EXPECT_EQ(status(301, "").kind, Kind::kMalformed);
  EXPECT_EQ(status(204, "").kind, Kind::kMalformed);
  EXPECT_EQ(status(200, "").kind, Kind::kMalformed);
  EXPECT_LE(status(500, std::string(1 << 20, 'x')).detail.size(), 1100U);
}

TEST(DockerEngine, ENG3_CallsAgainOverANewConnectionWhenAnIdleOneHasEnded) {
  Hostile hostile([](const Heard&) { return With(HttpAnswer(204, "")); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Succeeds(hostile->Start(kId, In(5s))));
  }
  EXPECT_EQ(hostile.peer().connections(), 1);
  hostile.peer().CloseAll();
  EXPECT_TRUE(Succeeds(hostile->Start(kId, In(5s))));
  EXPECT_EQ(hostile.peer().connections(), 2);
  EXPECT_THAT(hostile.peer().requests(), SizeIs(5));
}

TEST(DockerEngine, ENG3_SendsNothingTwice) {
  Hostile hostile([](const Heard&) { return Reaction{.bytes = "", .then = Reaction::Then::kClose}; });
  const auto error = ErrorOf(hostile->Create("plimsoll-a", "", "{}", In(5s)));
  EXPECT_EQ(error.kind, Kind::kUnreachable);
  EXPECT_EQ(error.sent, http::Sent::kMaybe);
  EXPECT_THAT(hostile.peer().requests(), SizeIs(2));  // the version and one create
}

TEST(DockerEngine, SaysThatNothingWasSentWhereNobodyListens) {
  const auto engine = Engine::Create("/no/such/socket").value();
  const auto error = ErrorOf(engine->Negotiate(In(5s)));
  EXPECT_EQ(error.kind, Kind::kUnreachable);
  EXPECT_EQ(error.sent, http::Sent::kNothing);
}

TEST(DockerEngine, ENG1_RefusesAnAnswerOverItsBound) {
  const std::string huge = R"({"Id":")" + std::string(Engine::kMaxAnswer, 'x') + "\"}";
  for (const std::string& answer :
       {HttpAnswer(200, huge), std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{"),
        "HTTP/1.1 200 OK\r\n\r\n" + huge, "HTTP/1.1 200 OK\r\nx: " + std::string(70'000, 'x') + "\r\n\r\n{}"}) {
    Hostile hostile([&](const Heard&) { return Reaction{.bytes = answer, .then = Reaction::Then::kClose}; });
    const auto error = ErrorOf(hostile->InspectImage("a", "", In(5s)));
    EXPECT_EQ(error.kind, Kind::kMalformed) << error.detail;
    EXPECT_EQ(error.sent, http::Sent::kMaybe);
  }
}

TEST(DockerEngine, ENG1_NamesWhatIsWrongInAnAnswer) {
  Hostile hostile([](const Heard&) { return With(HttpAnswer(200, R"([{"Id":7}])")); });
  const auto error = ErrorOf(hostile->ListByLabel("io.plimsoll.expires", In(5s)));
  EXPECT_EQ(error.kind, Kind::kMalformed);
  EXPECT_EQ(error.detail, "in the answer `container.Id` is not a text");
}

TEST(DockerEngine, EndsAtTheDeadlineOfASlowAnswer) {
  Hostile hostile([](const Heard&) { return Reaction{.bytes = HttpAnswer(204, ""), .each_byte = 20ms}; });
  const auto before = std::chrono::steady_clock::now();
  const auto error = ErrorOf(hostile->Start(kId, In(200ms)));
  EXPECT_EQ(error.kind, Kind::kDeadline);
  EXPECT_EQ(error.sent, http::Sent::kMaybe);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
}

TEST(DockerEngine, EndsOnACancel) {
  Hostile hostile([](const Heard&) { return With(""); });
  std::stop_source stop;
  std::jthread canceler([&] {
    std::this_thread::sleep_for(30ms);
    stop.request_stop();
  });
  const auto error = ErrorOf(hostile->Start(kId, {.deadline = In(5s).deadline, .stop = stop.get_token()}));
  EXPECT_EQ(error.kind, Kind::kCanceled);
  EXPECT_EQ(error.sent, http::Sent::kMaybe);
}

TEST(DockerEngine, UsesAConnectionNoMoreAfterAnythingButAWholeAnswer) {
  int calls = 0;
  Hostile hostile([&](const Heard&) {
    return With(++calls == 1 ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}trailing" : HttpAnswer(204, ""));
  });
  EXPECT_EQ(ErrorOf(hostile->Inspect(kId, In(5s))).kind, Kind::kMalformed);
  EXPECT_TRUE(Succeeds(hostile->Start(kId, In(5s))));
  EXPECT_EQ(hostile.peer().connections(), 2);
}

TEST(DockerEngine, ENG4_PutsNothingUncheckedIntoAPath) {
  Hostile hostile([](const Heard&) { return With(HttpAnswer(204, "")); });
  for (const std::string& bad : {std::string("../containers/x"), std::string("a/b"), std::string("a?force=1"),
                                 std::string("a b"), std::string("a\r\nx: y"), std::string(), std::string("a%2fb")}) {
    for (const auto& error :
         {ErrorOf(hostile->Attach(bad, In(5s))), ErrorOf(hostile->Start(bad, In(5s))),
          ErrorOf(hostile->Inspect(bad, In(5s))), ErrorOf(hostile->Remove(bad, In(5s))),
          ErrorOf(hostile->ListByName(bad, In(5s))), ErrorOf(hostile->Create(bad, "", "{}", In(5s))),
          ErrorOf(hostile->Create("plimsoll-a", bad + "/a/b/c", "{}", In(5s))),
          ErrorOf(hostile->InspectImage(bad == "a/b" ? "" : bad, "", In(5s)))}) {
      EXPECT_EQ(error.kind, Kind::kMalformed) << bad;
      EXPECT_EQ(error.sent, http::Sent::kNothing) << bad;
    }
  }
  EXPECT_EQ(ErrorOf(hostile->ListByLabel("a=b", In(5s))).sent, http::Sent::kNothing);
  EXPECT_THAT(hostile.peer().requests(), SizeIs(1));  // the version
}

TEST(DockerEngine, SendsWhatTheApiAsksFor) {
  Hostile hostile([](const Heard& heard) {
    if (heard.line.find("/create") != std::string::npos) {
      return With(HttpAnswer(201, R"({"Id":")" + kId + R"(","Warnings":["x"]})"));
    }
    return With(heard.line.starts_with("GET") ? HttpAnswer(200, "[]") : HttpAnswer(204, ""));
  });
  EXPECT_EQ(std::get<std::string>(hostile->Create("plimsoll-a", "linux/arm/v7", R"({"Image":"x"})", In(5s))), kId);
  EXPECT_EQ(hostile.LastLine(), "POST /v1.41/containers/create?name=plimsoll-a&platform=linux%2Farm%2Fv7 HTTP/1.1");
  EXPECT_EQ(hostile.peer().requests().back().body, R"({"Image":"x"})");
  EXPECT_TRUE(Succeeds(hostile->Remove(kId, In(5s))));
  EXPECT_EQ(hostile.LastLine(), "DELETE /v1.41/containers/" + kId + "?force=1&v=1 HTTP/1.1");
  EXPECT_TRUE(Succeeds(hostile->ListByName("plimsoll-a", In(5s))));
  EXPECT_EQ(hostile.LastLine(),
            "GET /v1.41/containers/json?all=1&filters=%7B%22name%22%3A%5B%22plimsoll-a%22%5D%7D HTTP/1.1");
}

TEST(DockerEngine, ENG6_AppliesItsFiltersAgain) {
  Hostile hostile([](const Heard&) { return With(HttpAnswer(200, kListed)); });
  const auto by_name = std::get<std::vector<ContainerListed>>(hostile->ListByName("plimsoll-a", In(5s)));
  ASSERT_THAT(by_name, SizeIs(1));
  EXPECT_EQ(by_name.at(0).id, kId);
  const auto by_label = std::get<std::vector<ContainerListed>>(hostile->ListByLabel("io.plimsoll.expires", In(5s)));
  EXPECT_THAT(by_label, SizeIs(1));
  EXPECT_THAT(std::get<std::vector<ContainerListed>>(hostile->ListByName("plimsoll-b", In(5s))), IsEmpty());
}

TEST(DockerEngine, TakesAnAttachedStreamOnlyWhereItWasAgreed) {
  const auto attach = [](const std::string& answer) {
    Hostile hostile([&](const Heard&) { return Reaction{.bytes = answer, .then = Reaction::Then::kClose}; });
    return ErrorOf(hostile->Attach(kId, In(5s))).kind;
  };
  EXPECT_EQ(attach("HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n"), Kind::kMalformed);
  EXPECT_EQ(attach("HTTP/1.1 101 OK\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"), Kind::kMalformed);
  EXPECT_EQ(attach("\x01\x02\x03\x04garbage\r\n\r\n"), Kind::kMalformed);
  EXPECT_EQ(attach(HttpAnswer(404, "{}")), Kind::kNotFound);
  EXPECT_EQ(attach(HttpAnswer(409, "{}")), Kind::kConflict);
  EXPECT_EQ(attach(""), Kind::kUnreachable);
}

TEST(DockerEngine, ServesManyThreadsAtOnce) {
  Hostile hostile([](const Heard&) { return With(HttpAnswer(204, "")); });
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int call = 0; call < 50; ++call) {
          good += std::holds_alternative<base::Done>(hostile->Start(kId, In(10s))) ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(good, 400);
}

}  // namespace
}  // namespace plimsoll::docker
