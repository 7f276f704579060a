#include "clients/cpp/owner.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

// The expected digests were made with Python's own functions:
//   key = hashlib.sha256(b"plimsoll session owner key v2\n" + token.encode()).digest()
//   hmac.new(key, b"plimsoll session owner v2\n" + owner.encode(), hashlib.sha256).hexdigest()
TEST(OwnerDigest, C27_IsTheSameInEveryClient) {
  EXPECT_EQ(OwnerDigest("plimsoll-test-token-0001", "alice@example.com"),
            "e4732c033d89ad48e522c54cea81022305ed94b6e820d609ae91e4e00da5e812");
  EXPECT_EQ(OwnerDigest("", "alice@example.com"), "b261355cb5012097b8b4ca487cfe786bf9a7fcbc616c9c2fc38469a1c3e5bc8e");
  EXPECT_EQ(OwnerDigest("plimsoll-test-token-0001", "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x98\x80"),
            "5695de1c9c22fcd2d5f436d8c65ff97438d2efa631ed5c870816ee4989b4c3a8");
  EXPECT_EQ(OwnerDigest(std::string(100, 't'), std::string(1000, 'o')),
            "da7d0cb03727e2add89bc221bd96ecfa1faaf2acb5e1d32626903000777e5506");
}

TEST(OwnerDigest, C27_IsAnotherUnderAnotherToken) {
  EXPECT_EQ(OwnerDigest("plimsoll-test-token-0002", "alice@example.com"),
            "9618978f901635263ddb2fe5578198e1684589d63e114c8325be3933b90372fc");
  EXPECT_NE(OwnerDigest("plimsoll-test-token-0001", "alice@example.com"),
            OwnerDigest("plimsoll-test-token-0002", "alice@example.com"));
}

}  // namespace
}  // namespace plimsoll::client
