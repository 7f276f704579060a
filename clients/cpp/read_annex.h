#pragma once

#include <optional>
#include <string_view>

#include "clients/cpp/json_message.h"
#include "records/annex.h"

// Reads `plimsoll.ext.v1.Annex`. Nothing in it is believed yet. Lists are counted before they are read: more calls than
// records::kMaxLedgerCalls or more streams than records::kMaxStreams is no annex.
namespace plimsoll::client {

// From proto3 JSON. A field that cannot be read, and a list that is too long, is noted in `problems`.
records::Annex ReadAnnex(const JsonMessage& message, Problems& problems);

// From protobuf binary. Nothing when the bytes are not the message they should be; fields that are not known are
// stepped over, and of a part that comes twice the last counts.
std::optional<records::Annex> DecodeAnnex(std::string_view bytes);

}  // namespace plimsoll::client
