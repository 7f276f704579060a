#pragma once

#include <functional>
#include <string>
#include <utility>

#include "http/handler.h"

namespace plimsoll::daemon {

// The metrics listener: GET and HEAD of /metrics, and nothing else.
class MetricsPage final : public http::Handler {
 public:
  // `text` gives the page; called on any thread, by several at once.
  explicit MetricsPage(std::function<std::string()> text) : text_(std::move(text)) {}

  std::variant<http::Response, http::ReadBody> OnHead(const http::RequestHead& head) override;
  void OnRequest(std::shared_ptr<http::Exchange> exchange) override;
  http::Response OnBodyTooLarge(const http::RequestHead& head) override;

 private:
  const std::function<std::string()> text_;
};

}  // namespace plimsoll::daemon
