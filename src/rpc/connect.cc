#include "rpc/connect.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "rpc/details.h"
#include "rpc/encode_json.h"

namespace plimsoll::rpc {

std::string ConnectErrorBody(const Failure& failure) {
  std::string body = "{\"code\":";
  AppendJsonText(body, Name(failure.code));
  body.append(",\"message\":");
  AppendJsonText(body, base::RepairUtf8(failure.message));
  std::string_view before = ",\"details\":[";
  const auto details = DetailsOf(failure);
  for (const Detail& detail : details) {
    body.append(before).append("{\"type\":");
    AppendJsonText(body, detail.type);
    body.append(",\"value\":");
    AppendJsonText(body, base::Base64Encode(detail.value, base::Padding::kUnpadded));
    body.append(",\"debug\":").append(detail.debug).append("}");
    before = ",";
  }
  return body.append(details.empty() ? "}" : "]}");
}

}  // namespace plimsoll::rpc
