#include "daemon/metrics.h"

#include <array>

#include "base/error.h"
#include "run/request.h"

namespace plimsoll::daemon {
namespace {

constexpr std::array<std::string_view, 5> kShedReasons = {"at_capacity", "paid_caller", "paid_daemon", "per_key",
                                                          "rate"};

std::string Family(std::string_view name, std::string_view type, std::string_view help) {
  return "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) + " " +
         std::string(type) + "\n";
}

std::string Single(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
  return Family(name, type, help) + Series(name, {}, value);
}

std::uint64_t CountOf(const std::map<std::string, std::uint64_t>& counts, std::string_view key) {
  const auto found = counts.find(std::string(key));
  return found == counts.end() ? 0 : found->second;
}

std::string ServedProtocols() {
  std::string text;
  for (const std::uint32_t protocol : run::kServedProtocols) {
    text += (text.empty() ? "" : ",") + std::to_string(protocol);
  }
  return text;
}

std::string RefusalSeries(const std::map<std::string, std::uint64_t>& refusals) {
  using enum base::Reason;
  std::string text = Family("plimsoll_refusals_total", "counter", "Refusals, nothing dispatched, by reason.");
  for (const base::Reason reason :
       {kCapacity, kEnvironment, kIsolation, kPermission, kProtocol, kRequest, kUnsupported}) {
    const std::string_view name = base::Name(reason);
    text += Series("plimsoll_refusals_total", {{"reason", name}}, CountOf(refusals, name));
  }
  return text;
}

// A label's value as the text format of Prometheus wants it.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\\\"; break;
      case '"': out += "\\\""; break;
      case '\n': out += "\\n"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string Series(std::string_view name, const std::vector<std::pair<std::string_view, std::string_view>>& labels,
                   std::uint64_t value) {
  std::string line(name);
  char open = '{';
  for (const auto& [label, text] : labels) {
    line += open;
    line += std::string(label) + "=\"";
    line += Escaped(text) + '"';
    open = ',';
  }
  line += labels.empty() ? " " : "} ";
  return line + std::to_string(value) + "\n";
}

std::string MetricsText(const MetricsSnapshot& snapshot) {
  const std::string protocols = ServedProtocols();
  std::string text = Single("plimsoll_runs_total", "counter", "Dispatched runs.", snapshot.runs) +
                     Single("plimsoll_runs_failed_total", "counter",
                            "Runs ended by an infrastructure fault, never by the guest.", snapshot.runs_failed) +
                     Single("plimsoll_inflight", "gauge", "Slots held.", snapshot.in_flight) +
                     Family("plimsoll_shed_total", "counter", "Arrivals shed for want of capacity, by reason.");
  for (const std::string_view reason : kShedReasons) {
    text += Series("plimsoll_shed_total", {{"reason", reason}}, CountOf(snapshot.shed, reason));
  }
  text += RefusalSeries(snapshot.refusals);
  text += Single("plimsoll_auth_failures_total", "counter", "Refused credentials.", snapshot.auth_failures);
  text += Single("plimsoll_orphans_reaped_total", "counter", "Sandboxes of crashed processes that were removed.",
                 snapshot.orphans_reaped);
  if (!snapshot.sessions.empty()) {
    text += Family("plimsoll_sessions", "gauge", "Sessions that have not ended, by state.");
  }
  for (const auto& [state, count] : snapshot.sessions) {
    text += Series("plimsoll_sessions", {{"state", state}}, count);
  }
  text += Family("plimsoll_build_info", "gauge", "Always 1; the labels say what runs.") +
          Series("plimsoll_build_info",
                 {{"version", snapshot.version}, {"protocol", protocols}, {"provider", snapshot.provider}}, 1);
  text += Family("plimsoll_isolation_tier", "gauge", "1 for the tier the provider can vouch for now.") +
          Series("plimsoll_isolation_tier", {{"tier", isolation::Name(snapshot.tier)}}, 1);
  return text;
}

}  // namespace plimsoll::daemon
