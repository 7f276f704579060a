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

// Takes the output out of `answer`, whose report has passed records::MakeRecordable: its text is UTF-8 and its NaN has
// one bit pattern. Anything changed here would break the digests of the record.
v1::RunResponse ResponseOf(dispatch::Answer&& answer);

// What a provider offers and vouches for now, to a caller that states `protocol`.
v1::DescribeResponse DescriptionOf(const isolation::Profile& offer, isolation::StatedTier tier, std::uint32_t protocol);

}  // namespace plimsoll::rpc
