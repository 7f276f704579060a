#include "daemon/log_sink.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/utf8.h"

namespace plimsoll::daemon {
namespace {

const base::WallTime kTime{std::chrono::microseconds(1'700'000'000'123'456)};

std::string Line(LogFormat format, std::vector<base::LogField> fields) {
  return LogLine(format, kTime, base::Severity::kWarn, "code run", fields);
}

TEST(LogLine, WritesTimeLevelMessageAndFieldsInOrder) {
  EXPECT_EQ(Line(LogFormat::kJson, {{"caller", "a b"}, {"n", std::int64_t{-3}}, {"ok", true}, {"ratio", 0.5}}),
            "{\"time\":\"2023-11-14T22:13:20.123456Z\",\"level\":\"WARN\",\"msg\":\"code run\",\"caller\":\"a b\","
            "\"n\":-3,\"ok\":true,\"ratio\":0.5}\n");
  EXPECT_EQ(Line(LogFormat::kText, {{"caller", "a b"}, {"addr", "[::1]:80"}, {"n", std::uint64_t{3}}}),
            "time=2023-11-14T22:13:20.123456Z level=WARN msg=\"code run\" caller=\"a b\" addr=[::1]:80 n=3\n");
}

TEST(LogLine, EscapesWhatCouldSteerATerminalOrALogReader) {
  EXPECT_NE(Line(LogFormat::kText, {{"x", "a\n\x1b[2J\x7f\xC2\x85\xE2\x80\xA8\xE2\x80\xAE\"\\"}})
                .find(R"(x="a\n\u001b[2J\u007f\u0085\u2028\u202e\"\\")"),
            std::string::npos);
}

TEST(LogLine, D54_CutsTextTo4096Bytes) {
  const auto shown = [](const std::string& text) {
    return nlohmann::json::parse(Line(LogFormat::kJson, {{"error", text}}))["error"].get<std::string>();
  };
  EXPECT_EQ(shown(std::string(4096, 'x')).size(), 4096U);
  EXPECT_EQ(shown(std::string(9000, 'x')).size(), 4096U);
  EXPECT_EQ(shown(std::string(4095, 'x') + "\xC3\xA9"), std::string(4095, 'x'));  // no half character
}

TEST(LogLine, IsOneParseableLineWhateverTheTextHolds) {
  EXPECT_TRUE(rc::check([] {
    const auto byte = rc::gen::map(rc::gen::inRange(0, 256), [](int value) { return static_cast<char>(value); });
    const std::string text = *rc::gen::container<std::string>(byte);
    for (const LogFormat format : {LogFormat::kJson, LogFormat::kText}) {
      const std::string line = Line(format, {{"a", text}, {"b", std::uint64_t{1}}});
      RC_ASSERT(std::ranges::count(line, '\n') == 1);
      RC_ASSERT(line.back() == '\n');
      RC_ASSERT(base::IsUtf8(line));
      RC_ASSERT(std::ranges::none_of(line.substr(0, line.size() - 1), [](char c) { return c >= 0 && c < 0x20; }));
    }
    const auto record = nlohmann::json::parse(Line(LogFormat::kJson, {{"a", text}, {"b", std::uint64_t{1}}}));
    RC_ASSERT(record["a"] == base::RepairUtf8(text));
    RC_ASSERT(record["b"] == 1);
  }));
}

}  // namespace
}  // namespace plimsoll::daemon
