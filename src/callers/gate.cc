#include "callers/gate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/hex.h"
#include "base/sha256.h"
#include "callers/registry.h"

namespace plimsoll::callers {
namespace {

constexpr std::string_view kStaticPrincipal = "static";
constexpr std::string_view kOpenPrincipal = "anon";
constexpr std::string_view kEveryScope = "*";
constexpr std::size_t kMinSharedToken = 32;
constexpr std::string_view kHeaderSpace = " \t";

base::Sha256::Digest DigestOf(std::string_view text) {
  base::Sha256 hash;
  hash.Add(text);
  return hash.Finish();
}

// Takes the same time whatever the digests hold, so timing tells nothing about how close a guess is (CAL-3).
bool SameInConstantTime(const base::Sha256::Digest& a, const base::Sha256::Digest& b) {
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | std::to_integer<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

bool IsBearer(std::string_view word) {
  constexpr std::string_view kBearer = "bearer";
  return std::ranges::equal(word, kBearer,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// The token of `Bearer <token>`: exactly two words, the scheme in any case. Nothing for any other form.
std::optional<std::string_view> TokenIn(std::string_view header) {
  const std::size_t scheme_end = header.find_first_of(kHeaderSpace);
  if (scheme_end == std::string_view::npos || !IsBearer(header.substr(0, scheme_end))) {
    return std::nullopt;
  }
  const std::size_t start = header.find_first_not_of(kHeaderSpace, scheme_end);
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = header.substr(start);
  const std::string_view token = rest.substr(0, rest.find_first_of(kHeaderSpace));
  const bool nothing_follows = rest.find_first_not_of(kHeaderSpace, token.size()) == std::string_view::npos;
  return nothing_follows ? std::optional(token) : std::nullopt;
}

base::Refusal Unauthenticated(std::string message) {
  return {base::Rule::kUnauthenticated, std::move(message), std::nullopt};
}

base::Fault Broken(std::string rule) { return {base::FaultKind::kInternal, std::move(rule)}; }

}  // namespace

struct Gate::State {
  enum class Mode { kOpen, kSharedToken, kRegistry };
  Mode mode = Mode::kOpen;
  base::Sha256::Digest shared{};                                              // kSharedToken
  std::map<std::string, std::string, std::less<>> id_by_hash;                 // kRegistry
  std::map<std::string, std::vector<std::string>, std::less<>> scopes_by_id;  // kRegistry
};

Gate::Gate(std::shared_ptr<const State> state) : state_(std::move(state)) {}

base::Result<Gate> Gate::FromRegistry(std::string_view text) {
  auto entries = ParseRegistry(text);
  if (!entries) {
    return entries.error();
  }
  if (entries->empty()) {
    return Broken("no clients: nobody could call");
  }
  auto state = std::make_shared<State>();
  state->mode = State::Mode::kRegistry;
  for (Entry& entry : *entries) {
    state->id_by_hash.emplace(std::move(entry.token_sha256), entry.id);
    state->scopes_by_id.emplace(std::move(entry.id), std::move(entry.scopes));
  }
  return Gate(std::move(state));
}

base::Result<Gate> Gate::FromSharedToken(std::string_view token) {
  if (token.size() < kMinSharedToken) {
    return Broken(std::to_string(token.size()) + " characters, at least " + std::to_string(kMinSharedToken) +
                  " are needed");
  }
  if (!std::ranges::all_of(token, [](char c) { return c >= 0x21 && c <= 0x7e; })) {
    return Broken("a character outside 0x21 to 0x7E");
  }
  auto state = std::make_shared<State>();
  state->mode = State::Mode::kSharedToken;
  state->shared = DigestOf(token);
  return Gate(std::move(state));
}

Gate Gate::Open() { return Gate(std::make_shared<State>()); }

bool Gate::open() const { return state_->mode == State::Mode::kOpen; }

base::Result<Caller> Gate::Authenticate(std::optional<std::string_view> authorization) const {
  if (open()) {
    return Caller{std::string(kOpenPrincipal), false};
  }
  const auto token = authorization ? TokenIn(*authorization) : std::nullopt;
  if (!token) {
    return Unauthenticated("one Authorization header of the form `Bearer <token>` is required");
  }
  const auto digest = DigestOf(*token);
  if (state_->mode == State::Mode::kSharedToken) {
    if (!SameInConstantTime(digest, state_->shared)) {
      return Unauthenticated("the token is not known");
    }
    return Caller{std::string(kStaticPrincipal), true};
  }
  // The map is searched by the digest of the guess: timing shows nothing that leads to a token (CAL-3).
  const auto found = state_->id_by_hash.find(base::HexOf(digest));
  if (found == state_->id_by_hash.end()) {
    return Unauthenticated("the token is not known");
  }
  return Caller{found->second, true};
}

base::Status Gate::Authorize(const Caller& caller, std::string_view scope) const {
  if (state_->mode != State::Mode::kRegistry) {
    return base::Ok();
  }
  const auto found = state_->scopes_by_id.find(caller.principal);
  const bool holds = found != state_->scopes_by_id.end() && std::ranges::any_of(found->second, [&](const auto& held) {
                       return held == scope || held == kEveryScope;
                     });
  if (!holds) {
    return base::Refusal{base::Rule::kPermissionDenied, "the caller lacks the scope " + std::string(scope),
                         std::nullopt};
  }
  return base::Ok();
}

}  // namespace plimsoll::callers
