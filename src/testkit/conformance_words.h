#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "run/result.h"

// How the laws of the conformance suite compare and tell.
namespace plimsoll::testkit {

// What a snippet must have left.
struct Wanted {
  std::string out = {};
  std::string err = {};
  std::int32_t exit = 0;
  bool timed_out = false;
  bool out_cut = false;
  bool err_cut = false;
};

// The snippet's result inside an answer, or null.
const run::JavaScriptResult* SnippetIn(const base::Result<run::Report>& report);
// The project's result inside an answer, or null.
const run::ProjectResult* ProjectIn(const base::Result<run::Report>& report);

// An answer in one line, its streams cut to a readable length.
std::string Told(const base::Result<run::Report>& report);

// Empty when the answer is a snippet's result exactly as wanted, else what was seen.
std::string Differs(const base::Result<run::Report>& report, const Wanted& wanted);

// Empty when the answer is a refusal by this rule.
std::string NotRefused(const base::Result<run::Report>& report, base::Rule rule);

}  // namespace plimsoll::testkit
