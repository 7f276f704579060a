#pragma once

#include <optional>
#include <string>

#include "rpc/body.h"
#include "rpc/service.h"

// What the files of Service share.
namespace plimsoll::rpc {

// A body that cannot be read has the header mark alone.
inline http::Response FailBody(const Reply& reply, const base::Error& error) {
  Failure failure = FailureOf(error, Stage::kBeforeProcedure);
  failure.reason.reset();
  return Fail(reply, failure);
}

// Steps 8 and 9: decodes the body and gives the slot back, or answers.
template <typename Message>
std::optional<Message> Service::Read(const Incoming& incoming) const {
  Message message;
  base::Status decoded = ReadBodyInto(message, incoming.asked, incoming.exchange->body());
  std::string().swap(incoming.exchange->body());  // not held while code runs
  incoming.exchange->hold().Release();
  if (!decoded) {
    incoming.exchange->Send(FailBody(incoming.reply, decoded.error()));
    return std::nullopt;
  }
  return message;
}

}  // namespace plimsoll::rpc
