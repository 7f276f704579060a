#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "clients/cpp/transport.h"
#include "plimsoll/client.h"
#include "records/record.h"

// A daemon inside the test: no socket, no time.
namespace plimsoll::client {

// What a daemon that tells the truth answers to a Run with this body: the snippet printed `42`, on docker at `kernel`.
nlohmann::json HonestRun(std::string_view request_body);

// The same of a project: `cat a.txt` printed x, `false` ended it, and a.txt came back as a zero byte and x.
nlohmann::json HonestProject(std::string_view request_body);

// The answer with its record sealed again, after a test has changed it: the lie is then in what the record says only.
nlohmann::json Sealed(nlohmann::json answer);

// A record as proto3 JSON.
nlohmann::json RecordJson(const records::Record& record);

// An answer with status 200, JSON, and the request's ID.
Answer Ok(const Post& post, const nlohmann::json& body);
// An error with that status and body, and the request's ID.
Answer Refused(const Post& post, int status, const nlohmann::json& body);
// A Connect error with a NotDispatched detail of these bytes.
nlohmann::json ErrorWithDetail(std::string_view code, std::string_view detail_bytes);

// The value of a field that is there exactly once; aborts otherwise.
std::string FieldOf(const Post& post, std::string_view name);

using Reply = std::function<std::variant<Answer, Failure>(const Post&)>;

// Answers with `reply`, and keeps what was sent.
class FakeTransport final : public HttpTransport {
 public:
  // `sent` outlives the transport.
  FakeTransport(Reply reply, std::vector<Post>& sent) : reply_(std::move(reply)), sent_(sent) {}
  std::variant<Answer, Failure> Send(const Post& post) const override {
    sent_.push_back(post);
    return reply_(post);
  }

 private:
  Reply reply_;
  std::vector<Post>& sent_;
};

// A client of a fake daemon, with the posts it made.
struct Harness {
  explicit Harness(Reply reply, ClientOptions options = {});
  std::vector<Post> sent;
  Client client;
};

// A daemon that answers honestly, but for what `lie` does to the answer.
Reply Lying(std::function<void(nlohmann::json&)> lie);
Reply Honest();

}  // namespace plimsoll::client
