#include "clients/cpp/details.h"

#include <gtest/gtest.h>

#include "clients/cpp/fake_session_for_test.h"

namespace plimsoll::client {
namespace {

records::Record FullRecord() {
  return {.version = 4,
          .request_sha256 = "b",
          .result_sha256 = "c",
          .provider = "d",
          .isolation = "e",
          .environment = "f",
          .policy = "g",
          .started_unix_ms = 1795000000000,
          .ended_unix_ms = -1,
          .session = "j",
          .sequence = 18'446'744'073'709'551'615U,
          .previous_sha256 = "l",
          .record_sha256 = "m",
          .software_identity = "n",
          .software_rule_id = "o",
          .unanswered = "p",
          .instance = "q"};
}

TEST(DecodeUnansweredCall, ReadsEveryField) {
  EXPECT_EQ(DecodeUnansweredCall(EncodeUnansweredCall(FullRecord())), FullRecord());
}

TEST(DecodeUnansweredCall, ReadsAFieldByItsNumberInTheSchema) {
  // version 4, then field 16 and field 17, written by hand.
  const std::string bytes = std::string("\x0a\x0d\x08\x04\x82\x01\x03", 7) + "abc" + "\x8a\x01\x02" + "xy";
  EXPECT_EQ(DecodeUnansweredCall(bytes), (records::Record{.version = 4, .unanswered = "abc", .instance = "xy"}));
}

TEST(DecodeUnansweredCall, StepsOverFieldsItDoesNotKnow) {
  // A field 18 in the record, and a field 2 beside it.
  EXPECT_EQ(DecodeUnansweredCall(std::string("\x0a\x06\x08\x04\x92\x01\x01z\x10\x01", 10)),
            (records::Record{.version = 4}));
}

TEST(DecodeUnansweredCall, SaysNothingWhenItCannotBeRead) {
  const std::string whole = EncodeUnansweredCall(FullRecord());
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    EXPECT_EQ(DecodeUnansweredCall(whole.substr(0, cut)), std::nullopt) << cut;
  }
  const std::vector<std::string> bad = {
      "",                                                           // no record
      std::string("\x10\x01", 2),                                   // nor here
      std::string("\x08\x04", 2),                                   // a number where the record belongs
      std::string("\x0a\x02\x10\x01", 4),                           // a number where text belongs
      std::string("\x0a\x03\x0a\x01\x04", 5),                       // text where a number belongs
      std::string("\x0a\x03\x12\x01\xff", 5),                       // text that is not UTF-8
      std::string("\x0a\x06\x08\xff\xff\xff\xff\x7f", 8),           // a version no uint32 holds
      std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // longer than what is there
      std::string("\x0a\x01\x0b", 3)};                              // a group
  for (const std::string& bytes : bad) {
    EXPECT_EQ(DecodeUnansweredCall(bytes), std::nullopt) << testing::PrintToString(bytes);
  }
}

TEST(DecodeSessionEnded, ReadsEachReason) {
  for (int number = 1; number <= 10; ++number) {
    EXPECT_EQ(DecodeSessionEnded(EncodeSessionEnded(number, "why")),
              (SessionEnded{static_cast<SessionEnd>(number - 1), "why"}));
  }
  EXPECT_EQ(Name(SessionEnd::kClosed), "closed");
  EXPECT_EQ(Name(SessionEnd::kUnclaimed), "unclaimed");
}

TEST(DecodeSessionEnded, ReadsAReasonItDoesNotKnowAsUnknownAndNeverAsOpen) {
  for (const int number : {0, 11, 99}) {
    EXPECT_EQ(DecodeSessionEnded(EncodeSessionEnded(number, "")), SessionEnded{}) << number;
  }
  EXPECT_EQ(Name(SessionEnd::kUnknown), "unknown");
}

TEST(DecodeSessionEnded, CutsALongDetail) {
  EXPECT_EQ(DecodeSessionEnded(EncodeSessionEnded(1, std::string(5000, 'x')))->detail.size(), 4096U);
}

TEST(DecodeSessionEnded, SaysNothingWhenItCannotBeRead) {
  for (const std::string& bytes :
       {std::string("\x08"), std::string("\x0a\x01x"), std::string("\x10\x01"), std::string("\x12\x01\xff"),
        std::string("\x12\x05"
                    "ab")}) {
    EXPECT_EQ(DecodeSessionEnded(bytes), std::nullopt);
  }
}

}  // namespace
}  // namespace plimsoll::client
