#pragma once

// Linked by this room's tests and fuzz targets only.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/guarded.h"
#include "http/handler.h"
#include "http/limits.h"
#include "http/outbox.h"
#include "http/protocol.h"

namespace plimsoll::http {

inline Response Text(int status, std::string body) {
  Response response{.status = status, .headers = {}, .body = std::move(body), .trailers = {}};
  response.headers.Add("content-type", "text/plain");
  return response;
}

// Answers `METHOD target size` and 200 unless told otherwise by target: `/refuse` is refused by its head, `/hold` is
// kept in `held`, `/drop` is dropped without an answer, `/big/<n>` is answered by n bytes. Bodies up to `max_body`.
class FakeHandler final : public Handler {
 public:
  explicit FakeHandler(std::uint64_t max_body = 1024) : max_body_(max_body) {}

  std::variant<Response, ReadBody> OnHead(const RequestHead& head) override {
    heads_.Lock()->push_back(head);
    if (head.target == "/refuse") {
      return Text(401, "refused");
    }
    return ReadBody{.max_body = max_body_, .hold = {}};
  }

  void OnRequest(std::shared_ptr<Exchange> exchange) override {
    const std::string& target = exchange->head().target;
    if (target == "/hold") {
      held_.Lock()->push_back(std::move(exchange));
      changed_.notify_all();
    } else if (target.starts_with("/big/")) {
      std::size_t size = 0;
      static_cast<void>(std::from_chars(target.data() + 5, target.data() + target.size(), size));
      exchange->Send(Text(200, std::string(std::min<std::size_t>(size, 4'000'000), 'x')));
    } else if (target != "/drop") {
      exchange->Send(Text(200, exchange->head().method + " " + target + " " + std::to_string(exchange->body().size())));
    }
  }

  Response OnBodyTooLarge(const RequestHead&) override { return Text(429, "too large"); }

  void OnPlumbing(const RequestHead* head, Response& response) override {
    response.headers.Add("x-plumbing", head == nullptr ? "no head" : head->target);
  }

  std::vector<RequestHead> heads() { return *heads_.Lock(); }
  // The first exchange held, waited for; null after five seconds.
  std::shared_ptr<Exchange> WaitForHeld() {
    auto held = held_.Lock();
    if (!changed_.wait_for(held.lock(), std::chrono::seconds(5), [&] { return !held->empty(); })) {
      return nullptr;
    }
    auto first = std::move(held->front());
    held->erase(held->begin());
    return first;
  }
  std::vector<std::shared_ptr<Exchange>> TakeHeld() { return std::exchange(*held_.Lock(), {}); }

 private:
  const std::uint64_t max_body_;
  base::Guarded<std::vector<RequestHead>> heads_;
  base::Guarded<std::vector<std::shared_ptr<Exchange>>> held_;
  std::condition_variable changed_;  // `held_` has one more
};

// A protocol without a socket, at a time the test sets.
template <typename P>
class Driven {
 public:
  explicit Driven(Handler& handler, Limits limits = {})
      : limits_(limits),
        outbox_(std::make_shared<Outbox>([this] { woken_ = true; })),
        protocol_(handler, limits_, outbox_, now_) {}
  ~Driven() { outbox_->Close(); }

  P& protocol() { return protocol_; }

  // Each returns what the protocol sends in consequence.
  std::string Receive(std::string_view bytes) {
    protocol_.Receive(bytes, now_);
    return Pump();
  }
  std::string ReceiveEnd() {
    protocol_.ReceiveEnd(now_);
    return Pump();
  }
  std::string Drain() {
    protocol_.Drain(now_);
    return Pump();
  }
  std::string Pass(std::chrono::milliseconds time) {
    now_ += time;
    protocol_.Expire(now_);
    return Pump();
  }
  std::string Pump() {
    std::string sent;
    std::string out;
    do {
      woken_ = false;
      protocol_.Advance(now_);
      out.clear();
      protocol_.Write(out, now_);
      sent += out;
    } while (!out.empty() || woken_);
    return sent;
  }
  bool open() const { return protocol_.state() == Protocol::State::kOpen; }
  bool closed() const { return protocol_.state() == Protocol::State::kClosed; }

 private:
  const Limits limits_;
  bool woken_ = false;
  base::SteadyTime now_ = base::SteadyTime(std::chrono::hours(1));
  const std::shared_ptr<Outbox> outbox_;
  P protocol_;
};

}  // namespace plimsoll::http
