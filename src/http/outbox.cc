#include "http/outbox.h"

#include <atomic>
#include <utility>

namespace plimsoll::http {

namespace {

class PendingExchange final : public Exchange {
 public:
  PendingExchange(RequestHead head, std::string body, base::Cleanup hold, std::stop_source gone,
                  std::shared_ptr<Outbox> outbox, std::uint64_t request)
      : head_(std::move(head)),
        body_(std::move(body)),
        hold_(std::move(hold)),
        gone_(std::move(gone)),
        outbox_(std::move(outbox)),
        request_(request) {}

  ~PendingExchange() override {
    if (!answered_.load()) {
      outbox_->Put({.request = request_, .response = std::nullopt});
    }
  }

  const RequestHead& head() const override { return head_; }
  std::string& body() override { return body_; }
  std::stop_token client_gone() const override { return gone_.get_token(); }
  base::Cleanup& hold() override { return hold_; }

  void Send(Response response) override {
    PLIMSOLL_CHECK(!answered_.exchange(true));
    outbox_->Put({.request = request_, .response = std::move(response)});
  }

 private:
  const RequestHead head_;
  std::string body_;
  base::Cleanup hold_;
  const std::stop_source gone_;
  const std::shared_ptr<Outbox> outbox_;
  const std::uint64_t request_;
  std::atomic<bool> answered_ = false;
};

}  // namespace

Outbox::Outbox(base::UniqueFunction<void()> wake) : contents_(Contents{.wake = std::move(wake), .replies = {}}) {}

void Outbox::Put(Reply reply) {
  auto contents = contents_.Lock();
  if (!contents->wake) {
    return;
  }
  contents->replies.push_back(std::move(reply));
  if (contents->replies.size() == 1) {
    contents->wake();
  }
}

std::vector<Reply> Outbox::Take() { return std::exchange(contents_.Lock()->replies, {}); }

void Outbox::Close() {
  auto contents = contents_.Lock();
  contents->wake = {};
  contents->replies.clear();
}

std::shared_ptr<Exchange> MakeExchange(RequestHead head, std::string body, base::Cleanup hold, std::stop_source gone,
                                       std::shared_ptr<Outbox> outbox, std::uint64_t request) {
  return std::make_shared<PendingExchange>(std::move(head), std::move(body), std::move(hold), std::move(gone),
                                           std::move(outbox), request);
}

}  // namespace plimsoll::http
