#include "providers/docker/testing/puppet_agent.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace plimsoll::docker {

namespace agent = frames::agent;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

PuppetAgent::PuppetAgent(os::UniqueFd socket) : socket_(std::move(socket)) {}

bool PuppetAgent::Receive(milliseconds longest) {
  const auto flag = os::Flag::Create();
  if (os::WaitFor(socket_.get(), os::Interest::kRead, *flag, steady_clock::now() + longest) != os::Woken::kReady) {
    return false;
  }
  std::array<char, 65536> buffer;
  const auto got = os::Receive(socket_.get(), buffer);
  if (got.state != os::Transfer::kMoved) {
    return false;
  }
  early_.append(buffer.data(), got.bytes);
  return true;
}

void PuppetAgent::TakeKey() {
  while (early_.size() < agent::Key::kSize) {
    ASSERT_TRUE(Receive(milliseconds(10'000))) << "the host sent no key";
  }
  std::array<std::byte, agent::Key::kSize> bytes;
  std::memcpy(bytes.data(), early_.data(), bytes.size());
  early_.erase(0, bytes.size());
  sender_.emplace(agent::Direction::kFromAgent);
  receiver_.emplace(agent::Direction::kFromHost);
  sender_->Open(agent::kControl, agent::Key(bytes));
  receiver_->Open(agent::kControl, agent::Key(bytes));
}

void PuppetAgent::Ready(std::string sha256) {
  Say(agent::Type::kReady, agent::kControl,
      agent::EncodeReady({.version = "1", .sha256 = std::move(sha256), .pid = 1, .uid = 61'000}));
}

std::optional<agent::Type> PuppetAgent::HearAny(milliseconds longest) {
  for (;;) {
    receiver_->Feed(std::exchange(early_, {}));
    agent::Frame frame;
    const auto next = receiver_->Next(frame);
    if (!next) {
      ADD_FAILURE() << base::TextOf(next.error());
      return std::nullopt;
    }
    if (*next == agent::Receiver::State::kFrame) {
      body_ = frame.body;
      if (frame.type == agent::Type::kKey) {
        const auto call = agent::ParseOpenCall(body_);
        sender_->Open(call->channel, call->key);
        receiver_->Open(call->channel, call->key);
      }
      return frame.type;
    }
    if (!Receive(longest)) {
      return std::nullopt;
    }
  }
}

std::string PuppetAgent::Hear(agent::Type type) {
  for (;;) {
    const auto heard = HearAny(milliseconds(10'000));
    if (!heard) {
      ADD_FAILURE() << "the host did not say " << static_cast<char>(type);
      return {};
    }
    if (*heard == type) {
      return body_;
    }
  }
}

std::string PuppetAgent::Made(agent::Type type, std::uint32_t channel, std::string_view body) {
  std::string frame;
  sender_->Append(type, channel, body, frame);
  return frame;
}

void PuppetAgent::Say(agent::Type type, std::uint32_t channel, std::string_view body) {
  Write(Made(type, channel, body));
}

void PuppetAgent::Write(std::string_view bytes, char stream) {
  std::string wrapped = {stream, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) {
    wrapped.push_back(static_cast<char>((bytes.size() >> static_cast<unsigned>(shift)) & 0xFFU));
  }
  wrapped += bytes;
  WriteRaw(wrapped);
}

void PuppetAgent::WriteRaw(std::string_view bytes) {
  const auto flag = os::Flag::Create();
  while (!bytes.empty()) {
    const auto sent = os::Send(socket_.get(), bytes);
    if (sent.state == os::Transfer::kClosed) {
      return;  // the host has heard enough
    }
    if (sent.state == os::Transfer::kWouldBlock) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    bytes.remove_prefix(sent.bytes);
  }
}

}  // namespace plimsoll::docker
