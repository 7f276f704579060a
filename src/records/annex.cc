#include "records/annex.h"

#include "records/annex_fields.h"
#include "records/canonical.h"

namespace plimsoll::records {
namespace {

// Hashes each field by its type.
class AddField {
 public:
  explicit AddField(Canonical& out) : out_(out) {}

  void operator()(std::string_view name, const std::string& text) const { out_.Bytes(name, text); }
  void operator()(std::string_view name, const std::int64_t& number) const { out_.Integer(name, number); }
  void operator()(std::string_view name, const std::uint64_t& number) const { out_.Integer(name, number); }
  void operator()(std::string_view name, const bool& flag) const { out_.Boolean(name, flag); }
  void operator()(std::string_view name, const std::vector<BrokerCall>& calls) const {
    out_.Count(name, calls.size());
    for (const BrokerCall& call : calls) {
      BrokerCallFields::Each(*this, call);
    }
  }

 private:
  Canonical& out_;
};

template <typename Fields, typename Part>
std::string DigestOf(const Part& part) {
  Canonical out(Fields::kDomain);
  Fields::Each(AddField(out), part);
  return out.Finish();
}

// The digest that a part states of itself; empty without the part.
template <typename Part>
std::string_view SealOf(const std::optional<Part>& part) {
  return part ? std::string_view(part->sha256) : std::string_view();
}

}  // namespace

std::string EndingDigest(const Ending& ending) { return DigestOf<EndingFields>(ending); }
std::string ResourcesDigest(const ResourceReceipt& receipt) { return DigestOf<ResourceFields>(receipt); }
std::string LedgerDigest(const BrokerLedger& ledger) { return DigestOf<LedgerFields>(ledger); }
std::string CallDigest(const CallFacts& facts) { return DigestOf<CallFields>(facts); }
std::string OptionsDigest(const OptionsUsed& options) { return DigestOf<OptionFields>(options); }

std::string AnnexDigest(const Annex& annex, std::string_view record_sha256) {
  Canonical out("plimsoll.ext.annex.v1");
  out.Bytes("record_sha256", record_sha256);
  out.Bytes("ending_sha256", SealOf(annex.ending));
  out.Bytes("resources_sha256", SealOf(annex.resources));
  out.Bytes("ledger_sha256", SealOf(annex.ledger));
  out.Bytes("probes_sha256", annex.probes_sha256);
  out.Bytes("call_sha256", SealOf(annex.call));
  out.Bytes("options_sha256", SealOf(annex.options));
  out.Count("streams", annex.streams.size());
  for (const StreamSummary& stream : annex.streams) {
    StreamFields::Each(AddField(out), stream);
  }
  return out.Finish();
}

std::string StreamStart(std::string_view request_sha256, std::int64_t step, std::string_view stream) {
  Canonical out("plimsoll.ext.stream.v1");
  out.Bytes("request_sha256", request_sha256);
  out.Integer("step", step);
  out.Bytes("stream", stream);
  return out.Finish();
}

std::string StreamBlock(std::string_view previous, std::uint64_t offset, std::string_view data) {
  Canonical out("plimsoll.ext.block.v1");
  out.Bytes("previous", previous);
  out.Integer("offset", offset);
  out.Bytes("data", data);
  return out.Finish();
}

std::string StreamHead(std::string_view request_sha256, std::int64_t step, std::string_view stream,
                       std::string_view data) {
  std::string head = StreamStart(request_sha256, step, stream);
  for (std::size_t offset = 0; offset < data.size(); offset += kStreamBlockBytes) {
    head = StreamBlock(head, offset, data.substr(offset, kStreamBlockBytes));
  }
  return head;
}

}  // namespace plimsoll::records
