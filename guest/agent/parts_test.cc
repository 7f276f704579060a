// The parts of the agent that are pure, or nearly so.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sha256.h"
#include "guest/agent/digest.h"
#include "guest/agent/disk.h"
#include "guest/agent/order.h"
#include "guest/agent/process_stat.h"
#include "os/unique_fd.h"

namespace plimsoll::guest {
namespace {

namespace agent = frames::agent;
using agent::Kind;
using agent::Type;

agent::Frame FrameOf(Type type, std::string_view body) { return {.type = type, .channel = 1, .body = body}; }

bool Refuses(Order& order, Type type, const std::string& body) {
  return base::FaultIn(order.Take(FrameOf(type, body))) != nullptr;
}

Order Planned(Kind kind) {
  Order order(kind);
  agent::Plan plan;
  (kind == Kind::kSnippet ? plan.argv : plan.steps) = {"x"};
  plan.directory = "/work";
  EXPECT_EQ(order.Take(FrameOf(Type::kPlan, agent::EncodePlan(plan))).value(), Order::News::kPlanned);
  return order;
}

TEST(Order, IsTakenInPieces) {
  Order order = Planned(Kind::kProject);
  EXPECT_EQ(order.Take(FrameOf(Type::kFiles, agent::EncodeFiles({{"a", 3}, {"b", 0}, {"c", 2}}))).value(),
            Order::News::kNothing);
  EXPECT_EQ(order.Take(FrameOf(Type::kPiece, "1234")).value(), Order::News::kNothing);
  EXPECT_EQ(order.Take(FrameOf(Type::kPiece, "5")).value(), Order::News::kNothing);
  EXPECT_EQ(order.Take(FrameOf(Type::kBegin, agent::EncodeBegin(std::chrono::milliseconds(5)))).value(),
            Order::News::kBegun);
  EXPECT_EQ(order.TakeContent(), "12345");
  EXPECT_EQ(order.files().size(), 3U);
  EXPECT_EQ(order.budget().count(), 5);
}

TEST(Order, IsRefusedOutOfOrder) {
  const std::string begin = agent::EncodeBegin(std::chrono::milliseconds(5));
  const std::string code = agent::EncodeFiles({{"", 1}});
  Order empty(Kind::kSnippet);
  EXPECT_TRUE(Refuses(empty, Type::kFiles, code));
  EXPECT_TRUE(Refuses(empty, Type::kPiece, "x"));
  EXPECT_TRUE(Refuses(empty, Type::kBegin, begin));
  Order snippet = Planned(Kind::kSnippet);
  EXPECT_TRUE(Refuses(snippet, Type::kBegin, begin)) << "a snippet without code";
  EXPECT_TRUE(Refuses(snippet, Type::kFiles, agent::EncodeFiles({{"path", 1}})));
  Order project = Planned(Kind::kProject);
  EXPECT_TRUE(Refuses(project, Type::kFiles, code));
  EXPECT_FALSE(Refuses(project, Type::kBegin, begin)) << "a project may have no files";
  EXPECT_TRUE(Refuses(project, Type::kBegin, begin)) << "and begins once";
}

TEST(Order, RefusesAPlanThatDoesNotFitItsKind) {
  const auto refuses = [](Kind kind, const agent::Plan& plan) {
    Order order(kind);
    return Refuses(order, Type::kPlan, agent::EncodePlan(plan));
  };
  EXPECT_FALSE(refuses(Kind::kSnippet, {.argv = {"sh"}}));
  EXPECT_TRUE(refuses(Kind::kSnippet, {.steps = {"true"}, .directory = "/work"}));
  EXPECT_TRUE(refuses(Kind::kSnippet, {.argv = {"sh"}, .artifacts = {"a"}}));
  EXPECT_TRUE(refuses(Kind::kProject, {.argv = {"sh"}, .steps = {"true"}, .directory = "/work"}));
  EXPECT_TRUE(refuses(Kind::kProject, {.steps = {"true"}}));
  EXPECT_TRUE(refuses(Kind::kProject, {.directory = "/work"}));
  EXPECT_TRUE(refuses(Kind::kModule, {.argv = {"sh"}}));
}

os::UniqueFd FileWith(std::string_view bytes) {
  os::UniqueFd file(::memfd_create("digest", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  return file;
}

// Every length around the ends of blocks and of reads, by both ways, against the library's own.
TEST(Digest, IsSha256ForEveryLength) {
  std::string bytes(200'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 251);
  }
  std::vector<std::size_t> lengths;
  for (const std::size_t middle :
       {std::size_t{0}, std::size_t{64}, std::size_t{128}, std::size_t{65536}, std::size_t{131072}}) {
    for (std::size_t length = middle < 70 ? 0 : middle - 70; length < middle + 70; ++length) {
      lengths.push_back(length);
    }
  }
  for (const std::size_t length : lengths) {
    const std::string_view part = std::string_view(bytes).substr(0, length);
    const std::string expected = base::Sha256Hex(part);
    EXPECT_EQ(Sha256OfDescriptor(FileWith(part).get()), expected) << length;
  }
}

TEST(Digest, OfWhatCannotBeReadIsEmpty) { EXPECT_EQ(Sha256OfDescriptor(-1), ""); }

// `pid (name) ` and the fields from the third on, of which those not named are 0.
std::string StatLine(std::string_view name, std::string_view state, std::string_view parent, std::string_view flags,
                     std::string_view start) {
  std::string line = "12 (" + std::string(name) + ") " + std::string(state) + " " + std::string(parent) + " 0 0 0 0 " +
                     std::string(flags);
  for (int number = 10; number < 22; ++number) {
    line += " 0";
  }
  return line + " " + std::string(start) + " 4096 17\n";
}

TEST(ProcessStat, IsReadAfterTheLastParenthesisWhateverTheNameHolds) {
  for (const char* name : {"sh", "", ") Z 1 (", "a) R 1\n", ")))"}) {
    const auto stat = ParseStat(StatLine(name, "S", "34", "4194560", "-77"));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->parent, 34);
    EXPECT_EQ(stat->start, "-77");
    EXPECT_FALSE(stat->is_over() || stat->is_kernel_thread());
  }
  EXPECT_TRUE(ParseStat(StatLine("a", "Z", "1", "0", "1"))->is_over());
  EXPECT_TRUE(ParseStat(StatLine("a", "X", "1", "0", "1"))->is_over());
  EXPECT_TRUE(ParseStat(StatLine("kworker", "I", "2", "69238880", "9"))->is_kernel_thread());
}

TEST(ProcessStat, IsNothingInAnotherShape) {
  const std::string whole = StatLine("a", "S", "1", "2", "3");
  for (const std::string& bad :
       {std::string(), std::string("12 (a"), std::string("12 (a)"), std::string("12 (a) "), std::string("12 (a) S 1"),
        StatLine("a", "SS", "1", "2", "3"), StatLine("a", "S", "x", "2", "3"), StatLine("a", "S", "1", "-2", "3"),
        StatLine("a", "S", "1", "2x", "3"), whole.substr(0, whole.find(" 3 "))}) {
    EXPECT_FALSE(ParseStat(bad)) << bad;
  }
}

TEST(UsedBytes, AreThoseOfEveryPlaceTogether) {
  const auto tmp = UsedBytes({"/tmp"});
  ASSERT_TRUE(tmp);
  EXPECT_GT(*UsedBytes({"/tmp", "/tmp"}), *tmp);
  EXPECT_EQ(UsedBytes({}), std::uint64_t{0});
  EXPECT_FALSE(UsedBytes({"/tmp", "/no/such/place"}));
}

}  // namespace
}  // namespace plimsoll::guest
