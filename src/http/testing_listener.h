#pragma once

// Linked by this room's tests only.

#include <cstdint>
#include <memory>
#include <string>

#include "http/testing_sockets.h"

namespace plimsoll::http {

// A server that accepts one connection at a time and says what it is told, whatever it hears.
class TestListener {
 public:
  explicit TestListener(int backlog = 16);
  ~TestListener();
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;

  std::uint16_t port() const;
  // Accepts, reads until a blank line has come, answers, and closes. Returns what was read.
  std::string Serve(const std::string& answer);
  // Connections that fill the queue, so that the next one hangs.
  std::shared_ptr<void> Fill();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same on a Unix socket in the tests' temporary folder.
class TestUnixListener {
 public:
  TestUnixListener();
  ~TestUnixListener();
  TestUnixListener(const TestUnixListener&) = delete;
  TestUnixListener& operator=(const TestUnixListener&) = delete;

  const std::string& path() const;
  std::string Serve(const std::string& answer);
  // As Serve, but then sends back what it hears until the other side closes.
  std::string ServeAndEcho(const std::string& answer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::http
