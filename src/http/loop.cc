#include "http/loop.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "os/thread_name.h"

namespace plimsoll::http {

void ConnectionCount::Increase() { ++*open_.Lock(); }

void ConnectionCount::Decrease() {
  --*open_.Lock();
  changed_.notify_all();
  freed_();
}

std::size_t ConnectionCount::Now() { return *open_.Lock(); }

bool ConnectionCount::WaitForNone(std::chrono::milliseconds limit) {
  auto open = open_.Lock();
  return changed_.wait_for(open.lock(), limit, [&] { return *open == 0; });
}

Loop::Loop() : io_(1), work_(boost::asio::make_work_guard(io_)) {}

Loop::~Loop() { Stop(); }

void Loop::Stop() {
  if (thread_.joinable()) {
    boost::asio::post(io_, [this] {
      CloseAll();
      io_.stop();
    });
    thread_.join();
  }
}

base::SteadyTime Loop::Now() { return boost::asio::steady_timer::clock_type::now(); }

void Loop::Start() {
  thread_ = std::jthread([this] {
    os::NameThisThread("http");
    io_.run();
  });
}

void Loop::Post(base::UniqueFunction<void()> action) {
  boost::asio::post(io_, [action = std::move(action)]() mutable { action(); });
}

void Loop::Join(std::shared_ptr<LoopMember> member) {
  LoopMember& joined = *member;
  members_.emplace(&joined, std::move(member));
  if (draining_) {
    joined.Drain();
  }
}

void Loop::Leave(LoopMember& member) { members_.erase(&member); }

void Loop::DrainAll() {
  draining_ = true;
  for (const auto& member : Members()) {
    member->Drain();
  }
}

void Loop::CloseAll() {
  for (const auto& member : Members()) {
    member->CloseNow();
  }
}

// A copy: members leave while they are gone through.
std::vector<std::shared_ptr<LoopMember>> Loop::Members() const {
  std::vector<std::shared_ptr<LoopMember>> members;
  members.reserve(members_.size());
  for (const auto& [key, member] : members_) {
    members.push_back(member);
  }
  return members;
}

}  // namespace plimsoll::http
