#pragma once

#include <string_view>

// The fields of each part of an annex, said once (REC-7) for all who hash, read or restate them. They stand in the
// order of the part's digest, which is also that of their numbers on the wire, from 1 on; the part's own `sha256` is
// the number after the last and is not among them.
//
// `Each` calls visit(name, member...) field by field, with that member of every struct given: of one struct to hash or
// read it, of two to move the one into the other. The structs need not be of one type, but have members of these names.
namespace plimsoll::records {

struct EndingFields {
  static constexpr std::string_view kDomain = "plimsoll.ext.ending.v1";

  static void Each(auto&& visit, auto&... parts) {
    visit("daemon", parts.daemon...);
    visit("caller_sha256", parts.caller_sha256...);
    visit("sequence", parts.sequence...);
    visit("previous_sha256", parts.previous_sha256...);
    visit("ending", parts.ending...);
    visit("ran", parts.ran...);
    visit("reason", parts.reason...);
    visit("code", parts.code...);
    visit("cause", parts.cause...);
    visit("count", parts.count...);
    visit("request_sha256", parts.request_sha256...);
    visit("record_sha256", parts.record_sha256...);
    visit("provider", parts.provider...);
    visit("isolation", parts.isolation...);
    visit("minimum_isolation", parts.minimum_isolation...);
    visit("software_rule_id", parts.software_rule_id...);
    visit("session", parts.session...);
    visit("session_call", parts.session_call...);
    visit("started_unix_ms", parts.started_unix_ms...);
    visit("ended_unix_ms", parts.ended_unix_ms...);
  }
};

struct ResourceFields {
  static constexpr std::string_view kDomain = "plimsoll.ext.resources.v1";

  static void Each(auto&& visit, auto&... parts) {
    visit("record_sha256", parts.record_sha256...);
    visit("method", parts.method...);
    visit("cpu_user_us", parts.cpu_user_us...);
    visit("cpu_system_us", parts.cpu_system_us...);
    visit("memory_peak_bytes", parts.memory_peak_bytes...);
    visit("memory_limit_bytes", parts.memory_limit_bytes...);
    visit("disk_peak_bytes", parts.disk_peak_bytes...);
    visit("pids_peak", parts.pids_peak...);
    visit("broker_calls", parts.broker_calls...);
    visit("broker_sent_bytes", parts.broker_sent_bytes...);
    visit("broker_received_bytes", parts.broker_received_bytes...);
    visit("queue_us", parts.queue_us...);
    visit("setup_us", parts.setup_us...);
    visit("run_us", parts.run_us...);
    visit("teardown_us", parts.teardown_us...);
    visit("paid_ms", parts.paid_ms...);
    visit("limit", parts.limit...);
  }
};

struct BrokerCallFields {
  static void Each(auto&& visit, auto&... parts) {
    visit("method", parts.method...);
    visit("route", parts.route...);
    visit("decision", parts.decision...);
    visit("status", parts.status...);
    visit("sent_bytes", parts.sent_bytes...);
    visit("received_bytes", parts.received_bytes...);
    visit("sent_body_sha256", parts.sent_body_sha256...);
    visit("received_body_sha256", parts.received_body_sha256...);
    visit("offset_us", parts.offset_us...);
    visit("duration_us", parts.duration_us...);
  }
};

struct LedgerFields {
  static constexpr std::string_view kDomain = "plimsoll.ext.ledger.v1";

  // `calls` is a list of what BrokerCallFields describes.
  static void Each(auto&& visit, auto&... parts) {
    visit("request_sha256", parts.request_sha256...);
    visit("grant_profile", parts.grant_profile...);
    visit("calls", parts.calls...);
  }
};

struct StreamFields {
  static void Each(auto&& visit, auto&... parts) {
    visit("step", parts.step...);
    visit("stream", parts.stream...);
    visit("kept_bytes", parts.kept_bytes...);
    visit("produced_bytes", parts.produced_bytes...);
    visit("truncated", parts.truncated...);
    visit("head", parts.head...);
  }
};

struct CallFields {
  static constexpr std::string_view kDomain = "plimsoll.ext.call.v1";

  static void Each(auto&& visit, auto&... parts) {
    visit("record_sha256", parts.record_sha256...);
    visit("kind", parts.kind...);
    visit("interpreter_end", parts.interpreter_end...);
    visit("signal", parts.signal...);
    visit("checkpoint_id", parts.checkpoint_id...);
    visit("returns_to_sha256", parts.returns_to_sha256...);
  }
};

struct OptionFields {
  static constexpr std::string_view kDomain = "plimsoll.ext.options.v1";

  static void Each(auto&& visit, auto&... parts) {
    visit("request_sha256", parts.request_sha256...);
    visit("deterministic", parts.deterministic...);
    visit("seed", parts.seed...);
    visit("start_unix_ms", parts.start_unix_ms...);
    visit("interrupt_first", parts.interrupt_first...);
  }
};

}  // namespace plimsoll::records
