#include "rpc/details.h"

#include <google/protobuf/descriptor.h>

#include "plimsoll/v1/sandbox.pb.h"
#include "rpc/encode_json.h"
#include "rpc/translate.h"

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
  if (failure.session_ended) {
    v1::SessionEnded message;
    message.set_reason(EndOf(failure.session_ended->reason));
    message.set_detail(failure.session_ended->detail);
    details.push_back(DetailOf(message));
  }
  if (failure.unanswered) {
    v1::UnansweredCall message;
    *message.mutable_record() = MessageOf(*failure.unanswered);
    details.push_back(DetailOf(message));
  }
  return details;
}

}  // namespace plimsoll::rpc
