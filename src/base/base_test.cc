#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/path_text.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/unique_function.h"
#include "base/utf8.h"

namespace plimsoll::base {
namespace {

TEST(Base64, ReadsBackWhatItWritesAtEveryLength) {
  std::string bytes;
  for (int i = 0; i < 260; ++i) {
    for (const Padding padding : {Padding::kPadded, Padding::kUnpadded}) {
      EXPECT_EQ(Base64Decode(Base64Encode(bytes, padding)), bytes) << i;
    }
    bytes.push_back(static_cast<char>(i * 7));
  }
}

TEST(Base64, IsTheStandardsAlphabetAndReadsTheUrlSafeOneToo) {
  EXPECT_EQ(Base64Encode("\xfb\xff\xbf", Padding::kPadded), "+/+/");
  EXPECT_EQ(Base64Encode("f", Padding::kPadded), "Zg==");
  EXPECT_EQ(Base64Encode("fo", Padding::kUnpadded), "Zm8");
  EXPECT_EQ(Base64Decode("-_-_"), "\xfb\xff\xbf");
}

TEST(Base64, RefusesWhatNoEncoderMakes) {
  for (const char* text : {"A", "AAAAA", "Zg=", "Zg===", "====", "Z=g=", "Zm 8", "Zm8\n", "Zm8!"}) {
    EXPECT_EQ(Base64Decode(text), std::nullopt) << text;
  }
}

TEST(Utf8, TellsWellFormedTextFromEveryKindOfMalformedOne) {
  for (const char* good :
       {"", "plain ascii text", "\xC2\x80", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xE2\x82", "12345678\xFF"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

TEST(Utf8, R8_RepairsEachRunOfBadBytesWithOneReplacement) {
  EXPECT_EQ(RepairUtf8("a\xFF\xFE\xFDz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(RepairUtf8("\xE2\x82\xAC ok"), "\xE2\x82\xAC ok");
  EXPECT_TRUE(IsUtf8(RepairUtf8("\xC0\xAF\xED\xA0\x80")));
}

TEST(Hex, IsLowerCaseAndExactInLength) {
  EXPECT_EQ(HexOf(std::as_bytes(std::span("\x00\xff\x1a", 3))), "00ff1a");
  EXPECT_TRUE(IsLowerHex("0af9", 4));
  EXPECT_FALSE(IsLowerHex("0AF9", 4));
  EXPECT_FALSE(IsLowerHex("0af", 4));
}

TEST(Sha256, IsTheStandardsOfTheSameBytesInPieces) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.Add("a");
  pieces.Add("bc");
  EXPECT_EQ(HexOf(pieces.Finish()), Sha256Hex("abc"));
}

TEST(Cleanup, RunsOnceHoweverItIsReleasedOrMoved) {
  int runs = 0;
  {
    Cleanup first([&runs] { ++runs; });
    Cleanup second(std::move(first));
    second.Release();
    second.Release();
  }
  EXPECT_EQ(runs, 1);
  {
    const Cleanup dropped([&runs] { ++runs; });
  }
  EXPECT_EQ(runs, 2);
}

TEST(UniqueFunction, OwnsWhatCannotBeCopied) {
  UniqueFunction<int(int)> add([owned = std::make_unique<int>(40)](int more) { return *owned + more; });
  UniqueFunction<int(int)> moved(std::move(add));
  EXPECT_EQ(moved(2), 42);
}

TEST(PathText, FindsControlCharactersAtTheirBounds) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"a\0"sv, "\x1f"sv, "\x7f"sv, "a\u0080"sv, "\u009f"sv}) {
    EXPECT_TRUE(HasControlCharacter(text)) << text;
  }
  for (const std::string_view text : {""sv, " ~"sv, "\u00a0"sv, "\u0100\u4e80"sv}) {
    EXPECT_FALSE(HasControlCharacter(text)) << text;
  }
}

TEST(PathText, FindsSegmentsThatNameNothingBelow) {
  for (const char* path : {"", "/a", "a/", "a//b", ".", "a/.", "..", "a/../b"}) {
    EXPECT_TRUE(HasOddSegment(path)) << path;
  }
  for (const char* path : {"a", "a/b", "...", "..a/b.", ".a"}) {
    EXPECT_FALSE(HasOddSegment(path)) << path;
  }
}

// BASE-1
TEST(ResultDeathTest, AbortsWhenTheSideThatIsNotThereIsRead) {
  const Result<int> value = 1;
  EXPECT_DEATH(static_cast<void>(value.error()), "check failed");
  const Result<int> refused = Refusal{Rule::kAtCapacity, "full"};
  EXPECT_DEATH(static_cast<void>(refused.value()), "check failed");
}

// BASE-2
TEST(Result, TellsARefusalFromAFault) {
  const Status refused = Refusal{Rule::kAtCapacity, "full"};
  EXPECT_NE(RefusalIn(refused), nullptr);
  EXPECT_EQ(FaultIn(refused), nullptr);
  const Status failed = Fault{FaultKind::kInternal, "lost"};
  EXPECT_EQ(RefusalIn(failed), nullptr);
  EXPECT_EQ(TextOf(failed.error()), "lost");
}

}  // namespace
}  // namespace plimsoll::base
