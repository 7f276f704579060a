#pragma once

// Linked by this room's tests only.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::http {

// A client's TCP connection to this machine, used byte by byte. Reading gives up after five seconds.
class Socket {
 public:
  explicit Socket(std::uint16_t port, const std::string& host = "127.0.0.1");
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void Send(std::string_view bytes);  // ignores that the peer has closed
  std::string ReadSome();             // empty at the end or when it gives up
  std::string ReadUntil(std::string_view end);
  std::string ReadToEnd();
  bool ReadableWithin(std::chrono::milliseconds time);
  void Close();
  int descriptor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

bool CanConnect(std::uint16_t port, const std::string& host = "127.0.0.1");

// Whether `condition` comes to hold within five seconds.
bool Eventually(const std::function<bool()>& condition);

}  // namespace plimsoll::http
