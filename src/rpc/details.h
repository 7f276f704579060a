#pragma once

#include <string>
#include <vector>

#include "rpc/status.h"

namespace plimsoll::rpc {

// One detail of an error, encoded.
struct Detail {
  std::string type;   // full message name, without a URL prefix
  std::string value;  // binary form
  std::string debug;  // JSON form, for people
};

// The details of a failure: those of NotDispatched, SessionEnded and UnansweredCall that it has.
std::vector<Detail> DetailsOf(const Failure& failure);

}  // namespace plimsoll::rpc
