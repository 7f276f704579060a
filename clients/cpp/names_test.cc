#include "clients/cpp/names.h"

#include <gtest/gtest.h>

#include <set>

#include "clients/cpp/details.h"

namespace plimsoll::client {
namespace {

TEST(Names, EveryCodeHasItsOwnAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::kUnauthenticated); ++i) {
    const auto code = static_cast<Code>(i);
    EXPECT_EQ(CodeNamed(Name(code)), code);
    names.insert(Name(code));
  }
  EXPECT_EQ(names.size(), 16U);
  EXPECT_EQ(Name(Code::kFailedPrecondition), "failed_precondition");
  EXPECT_EQ(CodeNamed("ok"), std::nullopt);
}

TEST(Names, EveryReasonHasItsOwnAndOnlyUnknownIsNoWordOfTheWire) {
  for (int i = 0; i < static_cast<int>(NotDispatched::kUnknown); ++i) {
    const auto reason = static_cast<NotDispatched>(i);
    EXPECT_EQ(ReasonNamed(Name(reason)), reason);
  }
  EXPECT_EQ(Name(NotDispatched::kUnknown), "unknown");
  EXPECT_EQ(ReasonNamed("unknown"), std::nullopt);
  EXPECT_EQ(ReasonNamed("Request"), std::nullopt);
}

TEST(Names, EveryClassHasItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorClass::kOther); ++i) {
    names.insert(Name(static_cast<ErrorClass>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorClass::kOther) + 1);
  EXPECT_EQ(Name(ErrorClass::kOther), "Other");
  EXPECT_EQ(Name(ErrorClass::kAnswerNotBound), "AnswerNotBound");
  EXPECT_EQ(Name(Outcome::kRunnerFailed), "runner_failed");
}

TEST(Names, DataLossIsWhatCameAndDoesNotCheck) {
  EXPECT_TRUE(IsDataLoss(ErrorClass::kAnswerNotBound));
  EXPECT_TRUE(IsDataLoss(ErrorClass::kIsolationEvidenceMismatch));
  EXPECT_FALSE(IsDataLoss(ErrorClass::kMalformedResponse));
  EXPECT_FALSE(IsDataLoss(ErrorClass::kOther));
}

TEST(DecodeNotDispatched, ReadsEachReason) {
  for (int number = 1; number <= 7; ++number) {
    const std::string bytes = {'\x08', static_cast<char>(number)};
    EXPECT_EQ(DecodeNotDispatched(bytes), static_cast<NotDispatched>(number - 1));
  }
}

TEST(DecodeNotDispatched, W51_ReadsAReasonOfTheFutureAsUnknown) {
  EXPECT_EQ(DecodeNotDispatched("\x08\x63"), NotDispatched::kUnknown);
  EXPECT_EQ(DecodeNotDispatched(""), NotDispatched::kUnknown);
  EXPECT_EQ(DecodeNotDispatched("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), NotDispatched::kUnknown);
}

TEST(DecodeNotDispatched, SkipsFieldsItDoesNotKnow) {
  EXPECT_EQ(DecodeNotDispatched(std::string("\x12\x02hi\x08\x05\x18\x01\x21\0\0\0\0\0\0\0\0\x2d\0\0\0\0", 22)),
            NotDispatched::kIsolation);
}

TEST(DecodeNotDispatched, C9_SaysNothingWhenItCannotBeRead) {
  for (const std::string& bytes :
       {std::string("\x08"), std::string("\x08\x80"),
        std::string("\x0a\x01"
                    "a"),
        std::string("\x12\x05"
                    "ab"),
        std::string("\0\1", 2), std::string("\x0b"), std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        std::string("\x21\1\2\3")}) {
    EXPECT_EQ(DecodeNotDispatched(bytes), std::nullopt);
  }
}

}  // namespace
}  // namespace plimsoll::client
