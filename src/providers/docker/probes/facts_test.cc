#include "providers/docker/probes/facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "providers/docker/probes/flat_json.h"

namespace plimsoll::docker {
namespace {

Findings Parsed(std::string_view lines) {
  auto found = ParseFindings(lines);
  EXPECT_TRUE(found.has_value()) << base::TextOf(found.error());
  return found ? std::move(found).value() : Findings();
}

bool IsRefused(std::string_view lines) { return base::FaultIn(ParseFindings(lines)) != nullptr; }

TEST(ParseFlat, ReadsTextsNumbersListsAndRows) {
  const auto object = ParseFlat(R"({"a":"x","b":-5,"c":["p","q"],"d":[["r"],[]],"e":[]})");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(std::get<std::string>(object->at("a")), "x");
  EXPECT_EQ(std::get<std::int64_t>(object->at("b")), -5);
  EXPECT_EQ(std::get<FlatList>(object->at("c")), (FlatList{"p", "q"}));
  EXPECT_EQ(std::get<FlatRows>(object->at("d")), (FlatRows{{"r"}, {}}));
  EXPECT_EQ(std::get<FlatList>(object->at("e")), FlatList());
}

TEST(ParseFlat, RefusesEveryOtherShape) {
  for (const char* text : {
           "",
           "[]",
           "\"x\"",
           "1",
           "{",
           "{}{}",
           "{} x",
           R"({"a":1,"a":2})",
           R"({"a":1.5})",
           R"({"a":18446744073709551615})",
           R"({"a":true})",
           R"({"a":null})",
           R"({"a":{}})",
           R"({"a":[1]})",
           R"({"a":[["x"],"y"]})",
           R"({"a":["x",["y"]]})",
           R"({"a":[[["x"]]]})",
           R"({"a":[["x"],[[]]]})",
           "{\"a\":\"\xc3\xa9\"}",
           R"({"a":"\u00e9"})",
           R"({"a":"\n"})",
           R"({"\t":"x"})",
       }) {
    EXPECT_FALSE(ParseFlat(text).has_value()) << text;
  }
}

TEST(ParseFlat, HoldsItsBounds) {
  const auto list_of = [](std::size_t members) {
    std::string text = R"({"a":[)";
    for (std::size_t i = 0; i < members; ++i) {
      text += i == 0 ? R"("x")" : R"(,"x")";
    }
    return text + "]}";
  };
  EXPECT_TRUE(ParseFlat(list_of(1024)).has_value());
  EXPECT_FALSE(ParseFlat(list_of(1025)).has_value());
  const auto text_of = [](std::size_t bytes) { return R"({"a":")" + std::string(bytes, 'x') + R"("})"; };
  EXPECT_TRUE(ParseFlat(text_of(1024)).has_value());
  EXPECT_FALSE(ParseFlat(text_of(1025)).has_value());
  const auto keys_of = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) {
      text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    }
    return text + "}";
  };
  EXPECT_TRUE(ParseFlat(keys_of(32)).has_value());
  EXPECT_FALSE(ParseFlat(keys_of(33)).has_value());
  EXPECT_FALSE(ParseFlat(R"({"a":)" + std::string(100'000, '[')).has_value());
}

TEST(ParseFindings, TakesEveryProbesFacts) {
  const Findings found = Parsed(
      "{\"probe\":\"root-write\",\"result\":\"EROFS\"}\n"
      "{\"probe\":\"mounts\",\"rows\":[[\"/tmp\",\"tmpfs\",\"rw,noexec\"],[\"/\",\"overlay\",\"ro\"]]}\n"
      "{\"probe\":\"writable\",\"tried\":29,\"writable\":[\"/tmp\"]}\n"
      "{\"probe\":\"fill\",\"directory\":\"/tmp\",\"bytes\":16777216,\"result\":\"ENOSPC\"}\n"
      "{\"probe\":\"fill\",\"directory\":\"/work\",\"bytes\":1,\"result\":\"ok\"}\n"
      "{\"probe\":\"identity\",\"uid\":[\"1\",\"1\",\"1\",\"1\"],\"groups\":[]}\n"
      "{\"probe\":\"interfaces\",\"names\":[\"lo\"]}\n"
      "{\"probe\":\"cgroup\",\"pids_max\":\"256\",\"memory_max\":\"268435456\",\"swap_max\":\"absent\","
      "\"memory_and_swap_max\":\"268435456\",\"cpu_max\":\"absent\",\"cpu_quota_us\":\"-1\","
      "\"cpu_period_us\":\"100000\"}\n"
      "{\"probe\":\"agent-hidden\",\"fd0_read\":\"EACCES\",\"fd1_read\":\"EACCES\",\"fd1_write\":\"EACCES\","
      "\"mem\":\"EACCES\",\"environ\":\"EACCES\",\"maps\":\"EACCES\",\"ptrace_attach\":\"EPERM\","
      "\"ptrace_seize\":\"EPERM\",\"vm_read\":\"EPERM\",\"vm_write\":\"ok\"}\n"
      "{\"probe\":\"unix-socket\",\"result\":\"ok\",\"reply\":\"plimsoll-host\"}\n"
      "{\"probe\":\"memory\",\"mib\":8,\"result\":\"held\"}\n"
      "{\"probe\":\"memory\",\"mib\":16,\"result\":\"held\"}\n"
      "{\"probe\":\"fork\",\"made\":16,\"result\":\"made\"}\n"
      "{\"probe\":\"fork\",\"made\":20,\"result\":\"EAGAIN\"}\n"
      "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":600,\"used_ms\":598}\n"
      "{\"probe\":\"kernel-log\",\"result\":\"ok\",\"line\":\"Starting gVisor...\"}\n");
  EXPECT_EQ(found.root_write, "EROFS");
  ASSERT_EQ(found.mounts->size(), 2U);
  EXPECT_EQ(found.mounts->at(0).options, (std::vector<std::string>{"rw", "noexec"}));
  EXPECT_EQ(found.writable->tried, 29);
  EXPECT_EQ(found.fills.size(), 2U);
  EXPECT_EQ(found.identity->fields.at("uid").size(), 4U);
  EXPECT_FALSE(found.identity->fields.contains("seccomp")) << "a kernel may lack a line";
  EXPECT_EQ(found.cgroup->at("cpu_quota_us"), "-1");
  EXPECT_EQ(found.agent_hidden->at("vm_write"), "ok");
  EXPECT_EQ(found.socket->reply, "plimsoll-host");
  EXPECT_EQ(found.memory->mib, 16);
  EXPECT_EQ(found.fork->result, "EAGAIN");
  EXPECT_EQ(found.cpu->used_ms, 598);
  EXPECT_EQ(found.kernel_log, "Starting gVisor...");
}

TEST(ParseFindings, IsEmptyOfNothing) {
  const Findings found = Parsed("");
  EXPECT_FALSE(found.root_write || found.mounts || found.memory);
}

TEST(ParseFindings, RefusesALineThatIsNotOfItsForm) {
  for (const char* lines : {
           "\n",
           "x\n",
           "{}\n",
           R"({"probe":"root-write","result":"EROFS"})",                    // no end
           "{\"result\":\"EROFS\"}\n",                                      // of no probe
           "{\"probe\":\"other\",\"result\":\"EROFS\"}\n",                  //
           "{\"probe\":\"root-write\"}\n",                                  // a key missing
           "{\"probe\":\"root-write\",\"result\":\"EROFS\",\"more\":1}\n",  // one too many
           "{\"probe\":\"root-write\",\"result\":1}\n",                     // another type
           "{\"probe\":\"root-write\",\"result\":\"read-only\"}\n",         // no name of an error
           "{\"probe\":\"root-write\",\"result\":\"Eabc\"}\n",              //
           "{\"probe\":\"mounts\",\"rows\":[[\"/tmp\",\"tmpfs\"]]}\n",      // a row too short
           "{\"probe\":\"writable\",\"tried\":-1,\"writable\":[]}\n",       // below 0
           "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":600,\"used_ms\":\"598\"}\n",
           "{\"probe\":\"cgroup\",\"pids_max\":\"256\"}\n",
       }) {
    EXPECT_TRUE(IsRefused(lines)) << lines;
  }
}

TEST(ParseFindings, RefusesAProbeTwiceAndProgressThatGoesBack) {
  const std::string once = "{\"probe\":\"root-write\",\"result\":\"EROFS\"}\n";
  EXPECT_TRUE(IsRefused(once + once));
  const std::string fill = "{\"probe\":\"fill\",\"directory\":\"/tmp\",\"bytes\":1,\"result\":\"ok\"}\n";
  EXPECT_TRUE(IsRefused(fill + fill));
  const auto memory = [](int mib, const char* result) {
    return "{\"probe\":\"memory\",\"mib\":" + std::to_string(mib) + ",\"result\":\"" + result + "\"}\n";
  };
  EXPECT_FALSE(IsRefused(memory(8, "held") + memory(16, "held") + memory(16, "ENOMEM")));
  EXPECT_TRUE(IsRefused(memory(16, "held") + memory(8, "held")));
  EXPECT_TRUE(IsRefused(memory(8, "ENOMEM") + memory(16, "held")));
  const auto fork = [](int made, const char* result) {
    return "{\"probe\":\"fork\",\"made\":" + std::to_string(made) + ",\"result\":\"" + result + "\"}\n";
  };
  EXPECT_TRUE(IsRefused(fork(16, "made") + fork(8, "made")));
  EXPECT_TRUE(IsRefused(fork(16, "ok") + fork(32, "made")));
}

TEST(ParseFindings, RefusesMoreThanItsBound) {
  std::string lines;
  while (lines.size() <= kMaxFacts) {
    lines += "{\"probe\":\"memory\",\"mib\":8,\"result\":\"held\"}\n";
  }
  EXPECT_TRUE(IsRefused(lines));
}

}  // namespace
}  // namespace plimsoll::docker
