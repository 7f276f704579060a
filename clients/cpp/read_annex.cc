#include "clients/cpp/read_annex.h"

#include <cstddef>
#include <string>

#include "clients/cpp/wire_reader.h"
#include "records/annex_fields.h"

namespace plimsoll::client {
namespace {

using records::Annex;

std::string CamelOf(std::string_view name) {
  std::string out;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

// Reads the fields of one JSON object by their types.
class FromJson {
 public:
  FromJson(const JsonMessage& message, Problems& problems) : message_(message), problems_(problems) {}

  void operator()(std::string_view name, std::string& out) const { out = message_.Text(CamelOf(name)); }
  void operator()(std::string_view name, std::int64_t& out) const { out = message_.Int64(CamelOf(name)); }
  void operator()(std::string_view name, std::uint64_t& out) const { out = message_.Uint64(CamelOf(name)); }
  void operator()(std::string_view name, bool& out) const { out = message_.Flag(CamelOf(name)); }
  void operator()(std::string_view name, std::vector<records::BrokerCall>& out) const {
    List<records::BrokerCallFields>(name, records::kMaxLedgerCalls, out);
  }

  // A list of what Fields describes, unless it has more than `most` elements.
  template <typename Fields, typename Element>
  void List(std::string_view name, std::size_t most, std::vector<Element>& out) const {
    const nlohmann::json* list = message_.Find(CamelOf(name));
    if (list != nullptr && list->size() > most) {
      problems_.Note(std::string(name) + " (" + std::to_string(list->size()) + " elements, at most " +
                     std::to_string(most) + ")");
      return;
    }
    message_.Each(CamelOf(name),
                  [&](const JsonMessage& element) { Fields::Each(FromJson(element, problems_), out.emplace_back()); });
  }

  // A part with its own digest, if it is there.
  template <typename Fields, typename Part>
  void PartOf(std::string_view name, std::optional<Part>& out) const {
    if (message_.Has(name)) {
      const JsonMessage message = message_.Message(name);
      const FromJson read(message, problems_);
      Fields::Each(read, out.emplace());
      read("sha256", out->sha256);
    }
  }

 private:
  const JsonMessage& message_;
  Problems& problems_;
};

template <typename Fields, typename Part>
bool DecodePart(std::string_view bytes, Part& out);

// Takes one field of the wire: the member whose turn is the field's number gets its value.
class FromWire {
 public:
  explicit FromWire(const WireField& field) : field_(field) {}

  template <typename Member>
  void operator()(std::string_view, Member& out) {
    if (++turn_ == field_.number) {
      good_ = Set(field_, out);
    }
  }
  void operator()(std::string_view, std::vector<records::BrokerCall>& out) {
    if (++turn_ == field_.number) {
      good_ = Append<records::BrokerCallFields>(field_, records::kMaxLedgerCalls, out);
    }
  }
  // False when the value was of another type or out of range, or one too many.
  bool good() const { return good_; }

  template <typename Fields, typename Element>
  static bool Append(const WireField& field, std::size_t most, std::vector<Element>& out) {
    return field.type == WireField::Type::kBytes && out.size() < most &&
           DecodePart<Fields>(field.bytes, out.emplace_back());
  }

 private:
  const WireField& field_;
  std::uint64_t turn_ = 0;
  bool good_ = true;
};

template <typename Fields, typename Part>
bool DecodePart(std::string_view bytes, Part& out) {
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) {
      return false;
    }
    FromWire take(*field);
    Fields::Each(take, out);
    if constexpr (requires { out.sha256; }) {
      take("sha256", out.sha256);
    }
    if (!take.good()) {
      return false;
    }
  }
  return true;
}

template <typename Fields, typename Part>
bool DecodePart(const WireField& field, std::optional<Part>& out) {
  return field.type == WireField::Type::kBytes && DecodePart<Fields>(field.bytes, out.emplace());
}

bool TakeField(const WireField& field, Annex& out) {
  switch (field.number) {
    case 1: return DecodePart<records::EndingFields>(field, out.ending);
    case 2: return DecodePart<records::ResourceFields>(field, out.resources);
    case 3: return DecodePart<records::LedgerFields>(field, out.ledger);
    case 4: return Set(field, out.probes_sha256);
    case 5: return FromWire::Append<records::StreamFields>(field, records::kMaxStreams, out.streams);
    case 6: return Set(field, out.annex_sha256);
    case 7: return DecodePart<records::CallFields>(field, out.call);
    case 8: return DecodePart<records::OptionFields>(field, out.options);
    default: return true;
  }
}

}  // namespace

Annex ReadAnnex(const JsonMessage& message, Problems& problems) {
  Annex out;
  const FromJson read(message, problems);
  read.PartOf<records::EndingFields>("ending", out.ending);
  read.PartOf<records::ResourceFields>("resources", out.resources);
  read.PartOf<records::LedgerFields>("ledger", out.ledger);
  read("probes_sha256", out.probes_sha256);
  read.List<records::StreamFields>("streams", records::kMaxStreams, out.streams);
  read("annex_sha256", out.annex_sha256);
  read.PartOf<records::CallFields>("call", out.call);
  read.PartOf<records::OptionFields>("options", out.options);
  return out;
}

std::optional<Annex> DecodeAnnex(std::string_view bytes) {
  Annex out;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field || !TakeField(*field, out)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace plimsoll::client
