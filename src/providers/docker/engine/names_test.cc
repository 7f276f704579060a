#include "providers/docker/engine/names.h"

#include <gtest/gtest.h>

#include "providers/docker/engine/api_version.h"
#include "providers/docker/engine/platform.h"

namespace plimsoll::docker {
namespace {

const std::string kHex(64, 'a');

TEST(Names, ENG4_AreIdsNamesReferencesAndLabelsAndNothingElse) {
  EXPECT_TRUE(IsContainerId(kHex));
  for (const std::string& bad :
       {kHex + "a", kHex.substr(1), std::string(64, 'A'), kHex.substr(1) + "g", std::string()}) {
    EXPECT_FALSE(IsContainerId(bad)) << bad;
  }
  EXPECT_TRUE(IsSha256Id("sha256:" + kHex));
  EXPECT_FALSE(IsSha256Id(kHex));
  EXPECT_FALSE(IsSha256Id("sha512:" + kHex));

  for (const char* good : {"plimsoll-0123456789abcdef", "a1", "A_.-z"}) {
    EXPECT_TRUE(IsContainerName(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("a"), std::string("-a"), std::string("../a"), std::string("a/b"), std::string("a?b"),
        std::string("a b"), std::string("a\nb"), std::string("a%2f"), std::string(129, 'a'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(IsContainerName(bad)) << bad;
  }

  for (const std::string& good : {std::string("node:22-alpine"), std::string("localhost:5000/a/b@sha256:") + kHex,
                                  "sha256:" + kHex, std::string("a.b/c_d")}) {
    EXPECT_TRUE(IsImageReference(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("-x"), std::string("a/../b"), std::string(".."), std::string("a//b"),
        std::string("/a"), std::string("a/"), std::string("a/./b"), std::string("a b"), std::string("a?x=1"),
        std::string("a#b"), std::string("a\r\nb"), std::string("a%2e"), std::string(513, 'a')}) {
    EXPECT_FALSE(IsImageReference(bad)) << bad;
  }

  EXPECT_TRUE(IsLabelName("io.plimsoll.expires"));
  EXPECT_FALSE(IsLabelName("a=b"));
  EXPECT_FALSE(IsLabelName(""));
  EXPECT_FALSE(IsLabelName(std::string(257, 'a')));
}

TEST(Names, ArePercentEncoded) {
  EXPECT_EQ(PercentEncode("aZ09._~-"), "aZ09._~-");
  EXPECT_EQ(PercentEncode("{\"a\": [\xFF/]}"), "%7B%22a%22%3A%20%5B%FF%2F%5D%7D");
  EXPECT_EQ(PercentEncode(std::string_view("\0", 1)), "%00");
}

TEST(ApiVersion, IsTwoNumbersAndComparesAsNumbers) {
  EXPECT_EQ(ParseApiVersion("1.41"), (ApiVersion{.major = 1, .minor = 41}));
  EXPECT_LT(*ParseApiVersion("1.9"), *ParseApiVersion("1.41"));
  EXPECT_LT(*ParseApiVersion("1.100"), *ParseApiVersion("2.0"));
  EXPECT_EQ(ToText({.major = 1, .minor = 5}), "1.5");
  for (const char* bad : {"", "1", "1.", ".1", "1.41.0", "v1.41", "1.041", "01.41", "1.-1", "+1.41", " 1.41", "1.41 ",
                          "1,41", "1.12345", "12345.1", "1.4a"}) {
    EXPECT_EQ(ParseApiVersion(bad), std::nullopt) << bad;
  }
}

TEST(Platform, HasTwoOrThreeParts) {
  EXPECT_EQ(ParsePlatform("linux/amd64"), (Platform{.os = "linux", .architecture = "amd64", .variant = ""}));
  EXPECT_EQ(ToJson(*ParsePlatform("linux/amd64")), R"({"os":"linux","architecture":"amd64"})");
  EXPECT_EQ(ToJson(*ParsePlatform("linux/arm/v7")), R"({"os":"linux","architecture":"arm","variant":"v7"})");
  for (const std::string& bad :
       {std::string(), std::string("linux"), std::string("linux/"), std::string("/amd64"),
        std::string("linux/arm/v7/x"), std::string("linux//v7"), std::string("linux/arm/"), std::string("linux/am d64"),
        std::string("linux/\"amd64\""), "linux/" + std::string(33, 'a')}) {
    EXPECT_EQ(ParsePlatform(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace plimsoll::docker
