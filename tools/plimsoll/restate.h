#pragma once

#include <utility>

#include "run/restate.h"
#include "tools/plimsoll/outcome.h"

namespace plimsoll::tool {

// What a run left, out of the client's form of it or the embedding interface's: their members have the same names.

// Moves what one process left.
template <typename From>
Output OutputOf(From& from) {
  Output out;
  run::MoveOutput(from, out);
  return out;
}

template <typename Record>
RecordLine LineOf(const Record& record) {
  return {.version = record.version,
          .request_sha256 = record.request_sha256,
          .result_sha256 = record.result_sha256,
          .policy = record.policy,
          .software_rule_id = record.software_rule_id,
          .started_unix_ms = record.started_unix_ms,
          .ended_unix_ms = record.ended_unix_ms,
          .record_sha256 = record.record_sha256};
}

}  // namespace plimsoll::tool
