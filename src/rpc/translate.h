#pragma once

#include <cstdint>

#include "dispatch/dispatcher.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "plimsoll/v1/sandbox.pb.h"
#include "run/request.h"

// Between the messages of the wire and the values of run and records: names and types, and no decision.
namespace plimsoll::rpc {

// Takes the texts out of `message`, so that code and files are not copied.
run::Draft DraftOf(v1::RunRequest&& message);

run::SoftwareRuleDraft RuleOf(const v1::SoftwareRule& rule);

// Takes the output out of `answer`. Text that a provider made is repaired to UTF-8 (wire.md 5), and every NaN is sent
// as the bits 7ff8000000000000 (records.md 1).
v1::RunResponse ResponseOf(dispatch::Answer&& answer);

// What a provider offers and vouches for now, to a caller that states `protocol`.
v1::DescribeResponse DescriptionOf(const isolation::Profile& offer, isolation::StatedTier tier, std::uint32_t protocol);

}  // namespace plimsoll::rpc
