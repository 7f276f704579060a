#include "records/chain.h"

#include "base/check.h"

namespace plimsoll::records {

std::string_view Chain::BreakAt(const Record& record) const {
  if (record.session != fingerprint_) {
    return "it names another session";
  }
  if (record.sequence != calls_ + 1) {
    return "its number is not the next: a call is missing or repeated, or another holder of the session made one";
  }
  if (record.previous_sha256 != last_sha256_) {
    return "it does not follow the last record";
  }
  return {};
}

Record Chain::Next(Record record) const {
  record.session = fingerprint_;
  record.sequence = calls_ + 1;
  record.previous_sha256 = last_sha256_;
  record.record_sha256 = RecordDigest(record);
  return record;
}

void Chain::Advance(const Record& record) {
  PLIMSOLL_CHECK(BreakAt(record).empty());
  calls_ = record.sequence;
  last_sha256_ = record.record_sha256;
}

}  // namespace plimsoll::records
