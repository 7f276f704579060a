#include "http/answer.h"

#include <ostream>  // Boost 1.81 uses it without including it

#include <boost/beast/http/status.hpp>

namespace plimsoll::http {

bool WrittenByServer(std::string_view lowercase_name) {
  return lowercase_name == "connection" || lowercase_name == "content-length" ||
         lowercase_name == "transfer-encoding" || lowercase_name == "keep-alive" ||
         lowercase_name == "proxy-connection" || lowercase_name == "upgrade";
}

Response Checked(Response response) {
  if (response.status < 200 || response.status > 599 || !response.headers.Sendable() || !response.trailers.Sendable()) {
    return Response{.status = 500, .headers = {}, .body = {}, .trailers = {}};
  }
  return response;
}

std::string WriteHead(const Response& response, ConnectionAfter after) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  std::string out;
  out.reserve(256);
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason.data(), reason.size()).append("\r\n");
  for (const Header& field : response.headers) {
    if (!WrittenByServer(field.name)) {
      out.append(field.name).append(": ").append(field.value).append("\r\n");
    }
  }
  if (response.status != 204) {
    out.append("content-length: ").append(std::to_string(response.body.size())).append("\r\n");
  }
  if (after == ConnectionAfter::kClose) {
    out.append("connection: close\r\n");
  }
  out.append("\r\n");
  return out;
}

Response PlainAnswer(int status, std::string_view text) {
  Response response{.status = status, .headers = {}, .body = std::string(text), .trailers = {}};
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  return response;
}

}  // namespace plimsoll::http
