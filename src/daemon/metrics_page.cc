#include "daemon/metrics_page.h"

#include <string_view>

namespace plimsoll::daemon {
namespace {

http::Response Plain(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.body = std::move(body);
  return response;
}

}  // namespace

std::variant<http::Response, http::ReadBody> MetricsPage::OnHead(const http::RequestHead& head) {
  const std::string_view path = std::string_view(head.target).substr(0, head.target.find('?'));
  if (path != "/metrics") {
    return Plain(404, "not found\n");
  }
  if (head.method != "GET" && head.method != "HEAD") {
    http::Response response = Plain(405, "method not allowed\n");
    response.headers.Add("allow", "GET, HEAD");
    return response;
  }
  http::Response response;
  response.headers.Add("content-type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = text_();
  return response;
}

// OnHead answers everything, so no request is ever read on.
void MetricsPage::OnRequest(std::shared_ptr<http::Exchange> exchange) { exchange->Send(Plain(404, "not found\n")); }

http::Response MetricsPage::OnBodyTooLarge(const http::RequestHead& /*head*/) { return Plain(413, "too large\n"); }

}  // namespace plimsoll::daemon
