#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace plimsoll::http {

// One connection's HTTP without its socket: bytes in, bytes out, and the time as an argument. Whoever owns it moves the
// bytes (connection.h) or makes them up (tests, fuzz targets). All methods are called on one thread.
//
// After each call the owner sends what Write yields, reads on while `appetite` says so, and closes once `state` says
// kClosed and everything is sent. Destroying it tells the handlers of all open requests that the client has left.
class Protocol {
 public:
  virtual ~Protocol() = default;

  // Bytes from the peer.
  virtual void Receive(std::string_view bytes, base::SteadyTime now) = 0;
  // The peer will send nothing more.
  virtual void ReceiveEnd(base::SteadyTime now) = 0;
  // Takes the answers that handlers have given since, and goes on with what had to wait.
  virtual void Advance(base::SteadyTime now) = 0;
  // Ends what is past its time limit. Harmless when called early.
  virtual void Expire(base::SteadyTime now) = 0;
  // Takes no new request from now on and ends once those in progress are answered.
  virtual void Drain(base::SteadyTime now) = 0;

  // Replaces `out`, which is empty, by bytes to send. Call only when everything handed out before has been sent.
  virtual void Write(std::string& out, base::SteadyTime now) = 0;

  // When to call Expire. It may move in either direction with every other call.
  virtual base::SteadyTime deadline() const = 0;

  enum class Appetite { kHungry, kFull };
  // Whether more bytes are useful now. A peer is not heard, its leaving included, while this is kFull.
  virtual Appetite appetite() const = 0;

  enum class State {
    kOpen,
    kSentLast,  // nothing more will be sent, but the peer is still listened to: the sending side may be closed
    kClosed,    // nothing more will be sent, and nothing the peer sends matters
  };
  virtual State state() const = 0;
};

}  // namespace plimsoll::http
