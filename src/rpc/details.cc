#include "rpc/details.h"

#include <google/protobuf/descriptor.h>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/encode_json.h"

namespace plimsoll::rpc {
namespace {

v1::NotDispatchedReason ReasonNumber(base::Reason reason) {
  switch (reason) {
    case base::Reason::kRequest: return v1::NOT_DISPATCHED_REASON_REQUEST;
    case base::Reason::kPermission: return v1::NOT_DISPATCHED_REASON_PERMISSION;
    case base::Reason::kProtocol: return v1::NOT_DISPATCHED_REASON_PROTOCOL;
    case base::Reason::kUnsupported: return v1::NOT_DISPATCHED_REASON_UNSUPPORTED;
    case base::Reason::kIsolation: return v1::NOT_DISPATCHED_REASON_ISOLATION;
    case base::Reason::kCapacity: return v1::NOT_DISPATCHED_REASON_CAPACITY;
    case base::Reason::kEnvironment: return v1::NOT_DISPATCHED_REASON_ENVIRONMENT;
  }
  return v1::NOT_DISPATCHED_REASON_UNSPECIFIED;  // unreachable: the switch is complete and -Wswitch keeps it so
}

Detail DetailOf(const google::protobuf::Message& message) {
  return {message.GetDescriptor()->full_name(), message.SerializeAsString(), EncodeJson(message)};
}

}  // namespace

std::vector<Detail> DetailsOf(const Failure& failure) {
  std::vector<Detail> details;
  if (failure.reason) {
    v1::NotDispatched message;
    message.set_reason(ReasonNumber(*failure.reason));
    details.push_back(DetailOf(message));
  }
  if (failure.session_not_found) {
    v1::SessionEnded message;
    message.set_reason(v1::SESSION_END_NOT_FOUND);
    details.push_back(DetailOf(message));
  }
  return details;
}

}  // namespace plimsoll::rpc
