#include "http/message.h"

#include <string>

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

TEST(Headers, OnlyIsTheValueOfAFieldThatIsThereOnce) {
  Headers headers;
  headers.Add("X-One", "1");
  headers.Add("x-two", "a");
  headers.Add("X-TWO", "b");
  EXPECT_EQ(headers.Only("x-one"), "1");
  EXPECT_EQ(headers.Only("x-two"), std::nullopt);
  EXPECT_EQ(headers.Only("x-three"), std::nullopt);
  EXPECT_EQ(headers.First("x-two"), "a");
  EXPECT_EQ(headers.Count("x-two"), 2U);
}

TEST(Headers, MayBeSentUnlessTheyCouldBreakTheMessage) {
  const auto sendable = [](const std::string& name, const std::string& value) {
    Headers headers;
    headers.Add(name, value);
    return headers.Sendable();
  };
  EXPECT_TRUE(Headers().Sendable());
  EXPECT_TRUE(sendable("X-A", "tab\tspace \xc3\xa9"));
  EXPECT_TRUE(sendable("x", ""));
  EXPECT_FALSE(sendable("", "a"));
  EXPECT_FALSE(sendable("x a", "a"));
  EXPECT_FALSE(sendable("x:", "a"));
  EXPECT_FALSE(sendable("x", "a\nb"));
  EXPECT_FALSE(sendable("x", "a\rb"));
  EXPECT_FALSE(sendable("x", std::string("a\0b", 3)));
  EXPECT_FALSE(sendable("x", "\x7f"));
}

}  // namespace
}  // namespace plimsoll::http
