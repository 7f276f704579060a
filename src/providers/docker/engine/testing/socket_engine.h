#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::docker {

// What one request heard.
struct Heard {
  std::string line;  // `GET /version HTTP/1.1`
  std::string body;
};

// What the peer does about it.
struct Reaction {
  std::string bytes;                       // sent as they are
  std::chrono::milliseconds each_byte{0};  // pause between single bytes; 0: all at once
  enum class Then { kKeep, kClose } then = Then::kKeep;
};

// A peer on a Unix socket of its own that reads requests and answers each as it is told, one thread for all. It stands
// for an engine that is broken, slow, hostile or gone.
class SocketEngine {
 public:
  explicit SocketEngine(std::function<Reaction(const Heard&)> react);
  ~SocketEngine();
  SocketEngine(const SocketEngine&) = delete;
  SocketEngine& operator=(const SocketEngine&) = delete;

  const std::string& path() const;
  int connections() const;  // accepted so far
  std::vector<Heard> requests() const;
  void CloseAll();  // every connection, from now on idle or not

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// An answer with a body and its length.
std::string HttpAnswer(int status, const std::string& body);

}  // namespace plimsoll::docker
