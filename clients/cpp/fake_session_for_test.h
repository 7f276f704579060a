#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "clients/cpp/fake_daemon_for_test.h"
#include "records/chain.h"

namespace plimsoll::client {

// The daemon's side of one session: docker at `kernel`, one image, every call prints `42`. It keeps the chain as a
// daemon does, and tells the truth: a test bends what it says. Thread-safe.
class FakeSession {
 public:
  static constexpr std::string_view kId = "00112233445566778899aabbccddeeff";
  static constexpr std::string_view kSoftware = "oci-manifest:a";

  // The truth about this post, as the body of an answer: OpenSession, SessionRun or CloseSession. A SessionRun moves
  // the chain.
  nlohmann::json Truth(const Post& post);
  // The error of a call that may have run and has no answer, with its record. Moves the chain.
  nlohmann::json Unanswered(const Post& post, std::string_view code);
  // The record of such a call, without moving the chain, for a test that bends it.
  records::Record UnansweredRecord(const Post& post, std::string_view code);

  // The chain as the daemon has it.
  records::Chain chain();

  // Answers every post with the truth.
  Reply Honest();

 private:
  std::mutex mutex_;
  records::Chain chain_{records::Fingerprint(kId)};
};

// A SessionRun's post as the draft it was made from.
run::Draft DraftOf(const Post& post);

// Whether a post is of this method.
bool Is(const Post& post, std::string_view method);
// The methods that were posted, in order: `OpenSession SessionRun`.
std::string MethodsOf(const std::vector<Post>& sent);

// A Connect error with details: pairs of a message's name and its bytes.
nlohmann::json ErrorWith(std::string_view code, const std::vector<std::pair<std::string, std::string>>& details);
// `plimsoll.v1.UnansweredCall` and `plimsoll.v1.SessionEnded` in protobuf binary.
std::string EncodeUnansweredCall(const records::Record& record);
std::string EncodeSessionEnded(int reason, std::string_view detail);

}  // namespace plimsoll::client
