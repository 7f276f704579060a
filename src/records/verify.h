#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "records/record.h"
#include "run/request.h"

// What a reader of records checks, against its own copy of what was sent. Every function here is pure and may be called
// from any thread. Texts say which rule is broken and never repeat what a record says, but for a version, a tier and a
// floor.
namespace plimsoll::records {

// The codes of the Connect protocol in the order of their numbers, from 1 on: what a call without an answer can have
// ended in.
inline constexpr std::array<std::string_view, 16> kConnectCodes = {
    "canceled",       "unknown",           "invalid_argument",   "deadline_exceeded",   "not_found",
    "already_exists", "permission_denied", "resource_exhausted", "failed_precondition", "aborted",
    "out_of_range",   "unimplemented",     "internal",           "unavailable",         "data_loss",
    "unauthenticated"};

// What is wrong with a record.
struct Flaw {
  enum class Kind {
    kVersion,     // of an encoding that is not read here
    kMismatch,    // it does not state what was sent, or does not hash to its own digest
    kBelowFloor,  // the wall was weaker than the floor
  };
  Kind kind = Kind::kMismatch;
  std::string says = {};
};

// The version is kRecordVersion: a live answer carries no other.
std::optional<Flaw> CheckVersion(const Record& record);
// The software is inside the rule sent, and the rule is the one that the record names.
std::optional<Flaw> CheckSoftware(const run::Request& sent, const Record& record);
// The end is not before the start, and the record hashes to its own digest.
std::optional<Flaw> CheckSeal(const Record& record);
// The tier stated by name meets the floor sent. A word that is no tier meets none; an absent floor is met by any.
std::optional<Flaw> CheckFloor(const run::Request& sent, std::string_view stated);

// The record of a session call that may have run and got no answer (records.md 6.2), up to its place in the chain, for
// which Chain stands. `request_sha256` is the digest of the request exactly as sent.
std::optional<Flaw> CheckUnanswered(const run::Request& sent, std::string_view request_sha256, const Record& record);

}  // namespace plimsoll::records
