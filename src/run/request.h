#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "isolation/tier.h"
#include "run/software_rule.h"

namespace plimsoll::run {

// The kinds of payload, in the order the protocol lists them.
enum class Kind { kJavaScript, kProject, kModule, kCell };
// `javascript`, `project`, `module`, `cell`.
std::string_view Name(Kind kind);

struct File {
  std::string path;
  std::string content;
  friend bool operator==(const File&, const File&) = default;
};

struct JavaScript {
  std::string code;
  std::string grant_profile;
};

struct Project {
  std::vector<File> files;
  std::vector<std::string> steps;
  std::vector<std::string> artifacts;
  std::string grant_profile;
};

struct Module {
  std::string model;
  std::vector<std::vector<double>> rows;
  double end_time = 0;
  double step = 0;
};

struct Cell {
  std::string language;
  std::string code;
  std::vector<File> files;
};

// monostate: no payload was sent. A draft can hold it, a Request cannot.
using Payload = std::variant<std::monostate, JavaScript, Project, Module, Cell>;

// A request as it was sent, before any check. Digests are taken over this form (records.md 1), so nothing in it is
// defaulted, cut or trimmed.
struct Draft {
  std::uint32_t protocol = 0;
  std::string minimum_isolation;
  std::string trace_id;
  std::int32_t timeout_ms = 0;
  SoftwareRuleDraft software_rule;
  Payload payload;
};

// The protocol numbers this daemon serves: the one place that lists them (wire.md 2).
inline constexpr std::uint32_t kServedProtocols[] = {4, 5};

// What every procedure but Describe states beside its payload, checked.
struct Envelope {
  isolation::Floor floor;
};

// The checks that Run, OpenSession and SessionRun share: wire.md 7, Run 1 to 3, in that order.
// Refuses with kProtocolMissing, kProtocolNotServed or kInvalidRequest.
base::Result<Envelope> ValidateEnvelope(std::uint32_t protocol, std::string_view minimum_isolation,
                                        const SoftwareRuleDraft& rule);

// A request that passed every check of wire.md 7 that needs no daemon: numbers in range, paths clean, one payload.
// Immutable; keeps the draft it was made from.
class Request {
 public:
  // Refuses with kProtocolMissing, kProtocolNotServed or kInvalidRequest, in the order of wire.md 7 (Run 1-5).
  // `cells` says whether a cell is allowed: only the stored form of a session call may hold one.
  enum class Cells { kRefused, kAllowed };
  static base::Result<Request> Validate(Draft draft, Cells cells);

  const Draft& as_sent() const PLIMSOLL_LIFETIMEBOUND { return draft_; }
  const isolation::Floor& floor() const PLIMSOLL_LIFETIMEBOUND { return floor_; }
  Kind kind() const { return kind_; }

  // The payload of kind(); calling another one aborts.
  const JavaScript& javascript() const PLIMSOLL_LIFETIMEBOUND;
  const Project& project() const PLIMSOLL_LIFETIMEBOUND;
  const Module& module() const PLIMSOLL_LIFETIMEBOUND;
  const Cell& cell() const PLIMSOLL_LIFETIMEBOUND;

  // Empty when no grant is asked for, and for kinds that take none.
  std::string_view grant_profile() const PLIMSOLL_LIFETIMEBOUND;

  // The timeout asked for, cut to 300 s; 0 = the provider's default.
  std::chrono::milliseconds timeout() const { return timeout_; }

  // The trace id to log, or empty; trace_id_rejected() when one was sent that is not well formed (it is dropped whole).
  std::string_view trace_id() const PLIMSOLL_LIFETIMEBOUND;
  bool trace_id_rejected() const { return trace_id_rejected_; }

  // True when no software rule was sent.
  bool any_software() const { return draft_.software_rule.identities.empty(); }
  // Whether the request's software rule allows `identity`.
  bool AllowsSoftware(std::string_view identity) const { return Allows(draft_.software_rule, identity); }

 private:
  Request(Draft draft, isolation::Floor floor);
  Draft draft_;
  isolation::Floor floor_;
  Kind kind_;
  std::chrono::milliseconds timeout_;
  bool trace_id_rejected_;
};

// Charset and length of a trace id: 1 to 64 of `[A-Za-z0-9._:-]`.
bool IsTraceId(std::string_view text);

}  // namespace plimsoll::run
