#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "plimsoll/ext/v1/annex.pb.h"

// An annex as a daemon sends it: built from the published schema, and sealed by a walk over that, so that names,
// numbers and orders are not those of the code under test.
namespace plimsoll::client {

// Every part, true and sealed, of this answer (the JSON of a RunResponse) that printed `42` and a line end.
ext::v1::Annex HonestAnnex(const nlohmann::json& answer);

// The ending of an error with this code: `ran` tells whether it was `refused`, with `reason`, or `failed`. Sealed.
ext::v1::Annex EndingAlone(std::string_view request_sha256, std::string_view code, std::string_view ran,
                           std::string_view reason);

// Puts the digest of each part, or of the annex alone, right again after a test has changed something.
void SealParts(ext::v1::Annex& annex);
void SealAnnex(ext::v1::Annex& annex, std::string_view record_sha256);

// As proto3 JSON.
nlohmann::json JsonOf(const ext::v1::Annex& annex);

}  // namespace plimsoll::client
