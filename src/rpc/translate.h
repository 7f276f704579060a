#pragma once

#include <cstdint>
#include <optional>

#include "dispatch/dispatcher.h"
#include "isolation/profile.h"
#include "isolation/tier.h"
#include "plimsoll/v1/sandbox.pb.h"
#include "run/request.h"
#include "run/session_end.h"
#include "run/session_open.h"
#include "sessions/sessions.h"

// Between the messages of the wire and the values of run and records: names and types, and no decision.
namespace plimsoll::rpc {

// Takes the texts out of `message`, so that code and files are not copied.
run::Draft DraftOf(v1::RunRequest&& message);

// A call of a session in its stored form, which digests cover: a request without the session.
run::Draft DraftOf(v1::SessionRunRequest&& message);

run::SoftwareRuleDraft RuleOf(const v1::SoftwareRule& rule);
run::SessionOpen SessionOpenOf(v1::OpenSessionRequest&& message);
v1::RunRecord MessageOf(records::Record record);
v1::SessionEnd EndOf(run::SessionEnd end);

// Takes the output out of `answer`, whose report has passed records::MakeRecordable: its text is UTF-8 and its NaN has
// one bit pattern. Anything changed here would break the digests of the record.
v1::RunResponse ResponseOf(dispatch::Answer&& answer);

v1::OpenSessionResponse ResponseOf(sessions::Opened&& opened);
// As ResponseOf of a run, with how the session ended, if it did.
v1::SessionRunResponse ResponseOf(dispatch::Answer&& answer, const std::optional<run::SessionEnded>& ended);
v1::CloseSessionResponse ResponseOf(sessions::Closed&& closed);

// What a provider offers and vouches for now and how sessions are kept, to a caller that states `protocol`.
v1::DescribeResponse DescriptionOf(const isolation::Profile& offer, isolation::StatedTier tier,
                                   const sessions::Options& kept, std::uint32_t protocol);

}  // namespace plimsoll::rpc
