#include "clients/cpp/fake_annex_for_test.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "base/check.h"
#include "records/annex.h"
#include "records/canonical.h"

namespace plimsoll::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using nlohmann::json;
using records::Canonical;

void AddFields(Canonical& out, const Message& message);

void AddField(Canonical& out, const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    const int count = reflection.FieldSize(message, &field);
    out.Count(field.name(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      AddFields(out, reflection.GetRepeatedMessage(message, &field, i));
    }
    return;
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: out.Bytes(field.name(), reflection.GetString(message, &field)); return;
    case FieldDescriptor::CPPTYPE_BOOL: out.Boolean(field.name(), reflection.GetBool(message, &field)); return;
    case FieldDescriptor::CPPTYPE_INT64: out.Integer(field.name(), reflection.GetInt64(message, &field)); return;
    case FieldDescriptor::CPPTYPE_UINT64: out.Integer(field.name(), reflection.GetUInt64(message, &field)); return;
    default: PLIMSOLL_CHECK(false);  // the schema has no other type
  }
}

// The fields in the order of their numbers, without the message's own digest.
void AddFields(Canonical& out, const Message& message) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    PLIMSOLL_CHECK(field.number() == i + 1);
    if (field.name() != "sha256") {
      AddField(out, message, field);
    }
  }
}

// The domain is made of the message's name: `plimsoll.ext.ending.v1`.
template <typename Part>
void Seal(Part& part) {
  std::string name = part.GetDescriptor()->name();
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  Canonical out("plimsoll.ext." + name + ".v1");
  AddFields(out, part);
  part.set_sha256(out.Finish());
}

void PutEnding(const json& record, ext::v1::Ending& out) {
  out.set_daemon("0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f");
  out.set_caller_sha256(std::string(64, 'c'));
  out.set_sequence(18446744073709551615U);
  out.set_previous_sha256(std::string(64, 'd'));
  out.set_ending("answered");
  out.set_ran("yes");
  out.set_cause("memory");
  out.set_count(1);
  out.set_request_sha256(record["requestSha256"]);
  out.set_record_sha256(record["recordSha256"]);
  out.set_provider("docker");
  out.set_isolation("kernel");
  out.set_software_rule_id(record["softwareRuleId"]);
  out.set_session(record["session"]);
  out.set_session_call(std::stoll(record["sequence"].get<std::string>()));
  out.set_started_unix_ms(1000);
  out.set_ended_unix_ms(1095);
}

void PutResources(const json& record, ext::v1::Resources& out) {
  out.set_record_sha256(record["recordSha256"]);
  out.set_method("cgroup");
  out.set_cpu_user_us(1200);
  out.set_cpu_system_us(300);
  out.set_memory_peak_bytes(41943040);
  out.set_memory_limit_bytes(268435456);
  out.set_disk_peak_bytes(-1);
  out.set_pids_peak(3);
  out.set_broker_calls(2);
  out.set_broker_sent_bytes(10);
  out.set_broker_received_bytes(999);
  out.set_queue_us(50);
  out.set_setup_us(2000);
  out.set_run_us(95000);
  out.set_teardown_us(-1);
  out.set_paid_ms(7);
  out.set_limit("memory");
}

void PutLedger(const json& record, ext::v1::Ledger& out) {
  out.set_request_sha256(record["requestSha256"]);
  out.set_grant_profile("inventory");
  for (const char* method : {"GET", "POST"}) {
    ext::v1::LedgerCall& call = *out.add_calls();
    call.set_method(method);
    call.set_route("/items/{id}");
    call.set_decision("allowed");
    call.set_status(200);
    call.set_sent_bytes(1);
    call.set_received_bytes(7);
    call.set_sent_body_sha256(std::string(64, 'e'));
    call.set_received_body_sha256(std::string(64, 'f'));
    call.set_offset_us(1000);
    call.set_duration_us(800);
  }
}

void PutStream(std::string_view request_sha256, std::string_view name, std::string_view bytes, ext::v1::Stream& out) {
  out.set_stream(std::string(name));
  out.set_kept_bytes(static_cast<std::int64_t>(bytes.size()));
  out.set_produced_bytes(static_cast<std::int64_t>(bytes.size()));
  out.set_head(records::StreamHead(request_sha256, 0, name, bytes));
}

}  // namespace

ext::v1::Annex HonestAnnex(const json& answer) {
  const json& record = answer["record"];
  const std::string request = record["requestSha256"];
  ext::v1::Annex out;
  PutEnding(record, *out.mutable_ending());
  PutResources(record, *out.mutable_resources());
  PutLedger(record, *out.mutable_ledger());
  out.set_probes_sha256(std::string(64, 'a'));
  PutStream(request, "stdout", "42\n", *out.add_streams());
  PutStream(request, "stderr", "", *out.add_streams());
  ext::v1::Call& call = *out.mutable_call();
  call.set_record_sha256(record["recordSha256"]);
  call.set_kind("call");
  call.set_interpreter_end("oom");
  call.set_signal(9);
  call.set_checkpoint_id("point");
  call.set_returns_to_sha256(std::string(64, 'b'));
  ext::v1::Options& options = *out.mutable_options();
  options.set_request_sha256(request);
  options.set_deterministic(true);
  options.set_seed(18446744073709551615U);
  options.set_start_unix_ms(1640995200000);
  options.set_interrupt_first(true);
  SealParts(out);
  SealAnnex(out, record["recordSha256"].get<std::string>());
  return out;
}

ext::v1::Annex EndingAlone(std::string_view request_sha256, std::string_view code, std::string_view ran,
                           std::string_view reason) {
  ext::v1::Annex out;
  ext::v1::Ending& ending = *out.mutable_ending();
  ending.set_ending(ran == "no" ? "refused" : "failed");
  ending.set_ran(std::string(ran));
  ending.set_reason(std::string(reason));
  ending.set_code(std::string(code));
  ending.set_count(1);
  ending.set_request_sha256(std::string(request_sha256));
  SealParts(out);
  SealAnnex(out, "");
  return out;
}

void SealParts(ext::v1::Annex& annex) {
  if (annex.has_ending()) {
    Seal(*annex.mutable_ending());
  }
  if (annex.has_resources()) {
    Seal(*annex.mutable_resources());
  }
  if (annex.has_ledger()) {
    Seal(*annex.mutable_ledger());
  }
  if (annex.has_call()) {
    Seal(*annex.mutable_call());
  }
  if (annex.has_options()) {
    Seal(*annex.mutable_options());
  }
}

void SealAnnex(ext::v1::Annex& annex, std::string_view record_sha256) {
  Canonical out("plimsoll.ext.annex.v1");
  out.Bytes("record_sha256", record_sha256);
  out.Bytes("ending_sha256", annex.ending().sha256());
  out.Bytes("resources_sha256", annex.resources().sha256());
  out.Bytes("ledger_sha256", annex.ledger().sha256());
  out.Bytes("probes_sha256", annex.probes_sha256());
  out.Bytes("call_sha256", annex.call().sha256());
  out.Bytes("options_sha256", annex.options().sha256());
  AddField(out, annex, *annex.GetDescriptor()->FindFieldByName("streams"));
  annex.set_annex_sha256(out.Finish());
}

json JsonOf(const ext::v1::Annex& annex) {
  std::string text;
  PLIMSOLL_CHECK(google::protobuf::util::MessageToJsonString(annex, &text).ok());
  return json::parse(text);
}

}  // namespace plimsoll::client
