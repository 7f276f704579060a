#include "sessions/opening.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "admission/check.h"
#include "base/check.h"
#include "base/hex.h"
#include "records/record.h"
#include "run/request.h"
#include "run/software_rule.h"

namespace plimsoll::sessions {
namespace {

using base::Refusal;
using base::Rule;
using base::Status;
using std::chrono::milliseconds;

constexpr milliseconds kLeastIdle{1000};
constexpr std::size_t kIdBytes = 16;

std::string FreshId(base::Random& random) {
  std::array<std::byte, kIdBytes> raw{};
  random.Fill(raw);
  return base::HexOf(raw);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) {
    joined += (joined.empty() ? "" : ",") + word;
  }
  return joined;
}

// Every kind of a session's calls runs in its one environment; a snippet keeps the times of a snippet (wire.md 5).
isolation::Profile OfferOf(const isolation::Profile& provider, const provider::SandboxFacts& facts) {
  PLIMSOLL_CHECK(provider.session.has_value());  // Check has asked
  isolation::Profile offer = provider;
  isolation::Environment environment = *provider.session;
  environment.identity = facts.environment;
  environment.software_identity = facts.software_identity;
  offer.session = environment;
  offer.project = environment;
  offer.module.reset();
  if (provider.javascript) {
    environment.default_timeout = provider.javascript->default_timeout;
    environment.max_timeout = provider.javascript->max_timeout;
  }
  offer.javascript = environment;
  return offer;
}

}  // namespace

milliseconds LifetimeInForce(const Options& options, std::uint32_t asked_ms) {
  return asked_ms == 0 ? options.lifetime : std::min(options.lifetime, milliseconds(asked_ms));
}

milliseconds IdleInForce(const Options& options, std::uint32_t asked_ms) {
  return asked_ms == 0 ? options.idle : std::min(options.idle, std::max(kLeastIdle, milliseconds(asked_ms)));
}

Opening::Opening(Registry& registry, isolation::Floor operator_floor, OpenCall call, OpenDone done)
    : registry_(registry),
      operator_floor_(operator_floor),
      call_(std::move(call)),
      done_(std::move(done)),
      began_(registry.Now()) {}

void Opening::Start() {
  if (Status may_open = Check(); !may_open) {
    return Answer(std::move(may_open).error());
  }
  base::Result<Registry::Reserved> reserved = registry_.Reserve(call_.principal, call_.asked.owner);
  if (!reserved) {
    return Answer(std::move(reserved).error());
  }
  reserved_ = std::move(*reserved);
  if (Status capacity = TakeCapacity(); !capacity) {
    return Fail(std::move(capacity).error());
  }
  if (reserved_.victim) {
    return Replace();
  }
  Make();
}

Status Opening::Check() const {
  provider::Provider& provider = registry_.provider();
  isolation::Profile offer = provider.Offer();
  if (registry_.options().caps.max == 0) {
    offer.session.reset();
  }
  const admission::Standing standing{offer, provider.Tier(), operator_floor_};
  if (Status may_open = admission::MayOpen(call_.floor, call_.asked.software_rule, standing); !may_open) {
    return may_open;
  }
  if (Status languages = run::CheckLanguages(call_.asked.languages); !languages) {
    return languages;
  }
  return run::CheckOwner(call_.asked.owner);
}

// ADM-4, and before a session is closed for this one. Who takes over a session's slot pays for the open all the same.
Status Opening::TakeCapacity() {
  if (Status waiting = dispatch::StillWaiting(call_.patience.deadline, call_.patience.client_gone, registry_.Now());
      !waiting) {
    return waiting;
  }
  if (reserved_.victim) {
    return registry_.dispatcher().TakeToken(call_.principal);
  }
  base::Result<base::Cleanup> slot = registry_.dispatcher().TakeSlot(call_.principal);
  if (!slot) {
    return std::move(slot).error();
  }
  slot_ = std::move(*slot);
  return base::Ok();
}

void Opening::Replace() {
  const auto sandbox = registry_.BeginReplacing(reserved_.victim, slot_);
  if (!sandbox) {
    return Fail(Refusal{Rule::kAtCapacity, "capacity: the session to be replaced is just ending; open again"});
  }
  sandbox->Remove([self = shared_from_this()](const Status& gone) {
    if (!gone) {
      self->registry_.NotReplaced(self->reserved_.victim, std::move(self->slot_));
      return self->Fail(Refusal{Rule::kAtCapacity, "capacity: the session to be replaced could not be closed"});
    }
    self->registry_.Replaced(std::exchange(self->reserved_.victim, nullptr));
    self->Make();
  });
}

void Opening::Make() {
  provider::Provider& provider = registry_.provider();
  provider::OpenOrder order;
  order.principal = call_.principal;
  order.stop = call_.patience.client_gone;
  order.floor = isolation::Floor::Stronger(call_.floor, operator_floor_);
  order.ends = registry_.dispatcher().clock().Wall() + LifetimeInForce(registry_.options(), call_.asked.lifetime_ms);
  if (const auto& environment = provider.Offer().session) {
    order.languages = run::HintedLanguages(call_.asked.languages, environment->languages);
  }
  order.ended = [&registry = registry_, kept = kept_](run::SessionEnded how) {
    if (const auto session = kept->Lock()->lock()) {
      registry.End(session, std::move(how));
    }
  };
  provider.Open(std::move(order), [self = shared_from_this()](auto made) { self->Made(std::move(made)); });
}

void Opening::Made(base::Result<std::shared_ptr<provider::Sandbox>> made) {
  if (const base::Fault* fault = base::FaultIn(made)) {
    return Fail(registry_.dispatcher().ConcludeFault(*fault, "session open failed"));
  }
  if (const Refusal* refusal = base::RefusalIn(made)) {
    return Fail(dispatch::WithCause(*refusal, call_.patience.deadline, registry_.Now()));
  }
  const std::shared_ptr<provider::Sandbox> sandbox = std::move(*made);
  if (Status may_keep = MayKeep(sandbox->Facts()); !may_keep) {
    // A refusal says that it is gone; what cannot be removed is the provider's to sweep up.
    return sandbox->Remove([self = shared_from_this(), sandbox,
                            why = std::move(may_keep).error()](const Status&) mutable { self->Fail(std::move(why)); });
  }
  Keep(sandbox);
}

// Asked again of the very sandbox that is kept.
Status Opening::MayKeep(const provider::SandboxFacts& facts) const {
  if (auto below = isolation::RefuseBelow(isolation::Floor::Stronger(call_.floor, operator_floor_), facts.tier)) {
    return *std::move(below);
  }
  if (!run::Allows(call_.asked.software_rule, facts.software_identity)) {
    return Refusal{Rule::kSoftwareMismatch,
                   "software_rule: the image that this session would run in is not in the rule"};
  }
  return dispatch::StillWaiting(call_.patience.deadline, call_.patience.client_gone, registry_.Now());
}

Terms Opening::TermsFor(std::string fingerprint, const provider::SandboxFacts& facts) const {
  const isolation::Profile& offer = registry_.provider().Offer();
  const base::SteadyTime now = registry_.Now();
  return {.fingerprint = std::move(fingerprint),
          .principal = call_.principal,
          .owner = call_.asked.owner,
          .rule = call_.asked.software_rule,
          .offer = OfferOf(offer, facts),
          .stated = {.provider = offer.provider,
                     .tier = facts.tier,
                     .environment = facts.environment,
                     .software_identity = facts.software_identity,
                     .instance = facts.instance,
                     .duration = {},
                     .result = {}},
          .opened = now,
          .expires = now + LifetimeInForce(registry_.options(), call_.asked.lifetime_ms),
          .idle = IdleInForce(registry_.options(), call_.asked.idle_timeout_ms)};
}

void Opening::Keep(std::shared_ptr<provider::Sandbox> sandbox) {
  const std::string id = FreshId(registry_.random());
  const auto session = std::make_shared<Session>(TermsFor(records::Fingerprint(id), sandbox->Facts()));
  Opened opened{
      .session_id = id,
      .fingerprint = session->terms.fingerprint,
      .facts = sandbox->Facts(),
      .sandbox = session->terms.stated.provider,
      .expires = registry_.dispatcher().clock().Wall() + LifetimeInForce(registry_.options(), call_.asked.lifetime_ms),
      .idle = session->terms.idle};
  session->sandbox = std::move(sandbox);
  session->slot = std::move(slot_);
  session->place = std::move(reserved_.place);
  session->owners_place = std::move(reserved_.owners_place);
  *kept_->Lock() = session;
  LogOpened(*session);
  registry_.Opened(session);
  Answer(std::move(opened));
}

void Opening::LogOpened(const Session& session) const {
  const Terms& terms = session.terms;
  const auto in_ms = [](auto duration) { return std::chrono::floor<milliseconds>(duration).count(); };
  std::vector<base::LogField> fields = {{"caller", terms.principal},
                                        {"session", terms.fingerprint},
                                        {"sandbox", terms.stated.provider},
                                        {"isolation", isolation::Name(terms.stated.tier)},
                                        {"lifetime_ms", in_ms(terms.expires - terms.opened)},
                                        {"idle_timeout_ms", in_ms(terms.idle)},
                                        {"duration_ms", in_ms(terms.opened - began_)}};
  const std::string languages =
      Joined(terms.offer.session ? terms.offer.session->languages : std::vector<std::string>());
  fields.push_back({"languages", languages});
  if (run::IsTraceId(call_.asked.trace_id)) {
    fields.push_back({"trace_id", call_.asked.trace_id});
  } else if (!call_.asked.trace_id.empty()) {
    fields.push_back({"trace_id_rejected", true});
  }
  registry_.log().Write(base::Severity::kInfo, "session opened", fields);
}

// Nothing is kept: what was reserved comes back, before the answer.
void Opening::Fail(base::Error why) {
  registry_.Abandoned(std::move(reserved_));
  slot_.Release();
  Answer(std::move(why));
}

void Opening::Answer(base::Result<Opened> answer) {
  if (const Refusal* refusal = base::RefusalIn(answer)) {
    registry_.dispatcher().CountRefusal(*refusal);
  }
  done_(std::move(answer));
}

}  // namespace plimsoll::sessions
