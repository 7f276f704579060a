#pragma once

#include <optional>
#include <string_view>

#include "plimsoll/client_error.h"
#include "records/record.h"

// The details of an error, from protobuf binary. Nothing when the bytes are not the message they should be: such a
// detail says nothing. Fields that are not known are stepped over.
namespace plimsoll::client {

// `plimsoll.v1.NotDispatched`. A number this client has no word for, and none at all, read kUnknown, which is a mark
// all the same.
std::optional<NotDispatched> DecodeNotDispatched(std::string_view bytes);

// `plimsoll.v1.SessionEnded`. A number this client has no word for, and none at all, read kUnknown: never that the
// session is open.
std::optional<SessionEnded> DecodeSessionEnded(std::string_view bytes);

// The record of `plimsoll.v1.UnansweredCall`. Nothing in it is believed yet. A message without a record is nothing.
std::optional<records::Record> DecodeUnansweredCall(std::string_view bytes);

}  // namespace plimsoll::client
