#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/software_rule.h"

// What OpenSession asks for (sessions.md 3 and 5). Every function is pure and may be called from any thread.
namespace plimsoll::run {

// As it was sent, before any check but those of the envelope.
struct SessionOpen {
  std::string trace_id = {};
  std::uint32_t lifetime_ms = 0;      // 0: the daemon's
  std::uint32_t idle_timeout_ms = 0;  // 0: the daemon's
  SoftwareRuleDraft software_rule = {};
  std::vector<std::string> languages = {};  // a hint: whose interpreters will be asked for
  std::string owner = {};                   // empty: counts against no owner
};

// Refuses kInvalidRequest where a language is not one that any provider could run.
base::Status CheckLanguages(std::span<const std::string> languages);

// Of the languages asked for those that are `stated`, each once and in the order of `stated`. All that are stated where
// none was asked for.
std::vector<std::string> HintedLanguages(std::span<const std::string> asked, std::span<const std::string> stated);

// Refuses kInvalidRequest where `owner` is neither empty nor 1 to 64 of `A-Z a-z 0-9 . _ : -`.
base::Status CheckOwner(std::string_view owner);

}  // namespace plimsoll::run
