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
  EXPECT_TRUE(IsDataLoss(ErrorClass::kChain));
  EXPECT_TRUE(IsDataLoss(ErrorClass::kSoftwareEvidenceMismatch));
  EXPECT_TRUE(IsDataLoss(ErrorClass::kEvidenceMismatch));
  EXPECT_FALSE(IsDataLoss(ErrorClass::kSessionEnded));
  EXPECT_FALSE(IsDataLoss(ErrorClass::kMalformedResponse));
  EXPECT_FALSE(IsDataLoss(ErrorClass::kOther));
}

TEST(Names, EveryEndOfASessionHasItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(SessionEnd::kUnknown); ++i) {
    names.insert(Name(static_cast<SessionEnd>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(SessionEnd::kUnknown) + 1);
  EXPECT_EQ(SessionEndNumbered(4), SessionEnd::kMainProcessEnded);
  EXPECT_EQ(SessionEndNumbered(10), SessionEnd::kUnclaimed);
  EXPECT_EQ(SessionEndNumbered(0), SessionEnd::kUnknown);
  EXPECT_EQ(SessionEndNumbered(11), SessionEnd::kUnknown);
}

TEST(ClassOf, IsAnEndWhereTheErrorSaysSoAndNothingElseExplainsIt) {
  const auto with_end = [](Code code, std::optional<NotDispatched> reason) {
    return ClassOf(code, reason, SessionState::kEnded);
  };
  for (const Code code : {Code::kFailedPrecondition, Code::kNotFound, Code::kInternal, Code::kUnknown, Code::kAborted,
                          Code::kUnauthenticated, Code::kPermissionDenied, Code::kDataLoss, Code::kOutOfRange,
                          Code::kAlreadyExists, Code::kUnavailable, Code::kResourceExhausted}) {
    EXPECT_EQ(with_end(code, std::nullopt), ErrorClass::kSessionEnded) << Name(code);
    EXPECT_NE(ClassOf(code, std::nullopt, SessionState::kNotSaid), ErrorClass::kSessionEnded) << Name(code);
  }
  EXPECT_EQ(with_end(Code::kFailedPrecondition, NotDispatched::kIsolation), ErrorClass::kSessionEnded);
  EXPECT_EQ(with_end(Code::kInvalidArgument, NotDispatched::kRequest), ErrorClass::kInvalidRequest);
  EXPECT_EQ(with_end(Code::kResourceExhausted, NotDispatched::kRequest), ErrorClass::kInvalidRequest);
  EXPECT_EQ(with_end(Code::kResourceExhausted, NotDispatched::kCapacity), ErrorClass::kAtCapacity);
  EXPECT_EQ(with_end(Code::kUnimplemented, NotDispatched::kEnvironment), ErrorClass::kUnsupported);
  EXPECT_EQ(with_end(Code::kUnavailable, NotDispatched::kEnvironment), ErrorClass::kUnavailable);
  EXPECT_EQ(with_end(Code::kCanceled, std::nullopt), ErrorClass::kOther);
  EXPECT_EQ(with_end(Code::kDeadlineExceeded, std::nullopt), ErrorClass::kOther);
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
