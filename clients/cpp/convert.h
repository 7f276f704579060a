#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "clients/cpp/messages.h"
#include "plimsoll/client_error.h"
#include "plimsoll/client_requests.h"
#include "plimsoll/client_results.h"
#include "run/request.h"

namespace plimsoll::client {

// Whether the record of an answer is shown with its result: only one that was checked is.
enum class ShowRecord { kChecked, kNot };

// The answer's result in the terms of the public headers, with its annex; nothing when it has none. Takes the bytes out
// of `answer`.
std::optional<AnyResult> TakeResult(RunAnswer&& answer, ShowRecord show);

// A record and an annex in the terms of the public headers.
Record PublicRecord(records::Record record);
Annex PublicAnnex(records::Annex annex);

// The payload of a request in the terms of the rooms below.
run::Payload PayloadOf(Project project, std::string grant_profile);
run::Payload PayloadOf(Cell cell);

// The result of the one kind that the checks have let through.
template <typename T>
Result<T> Only(Result<AnyResult> result) {
  if (!result) {
    return std::move(result).error();
  }
  return std::get<T>(*std::move(result));
}

}  // namespace plimsoll::client
