#include "lying_daemon/lying_daemon.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <list>
#include <string>
#include <thread>

#include "base/base64.h"
#include "base/guarded.h"

namespace plimsoll::testing_lies {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Json = nlohmann::json;

constexpr std::size_t kBlock = 65'536;

std::string TextOf(const Json& lie, const char* name, std::string otherwise) { return lie.value(name, otherwise); }

// A request as far as it was read.
struct Request {
  std::string head;
  std::size_t body_left = 0;
};

// The value of a header field, or empty.
std::string FieldIn(const std::string& head, std::string_view name) {
  std::size_t at = 0;
  while ((at = head.find("\r\n", at)) != std::string::npos) {
    at += 2;
    const std::size_t colon = head.find(':', at);
    if (colon == std::string::npos) {
      break;
    }
    const std::string_view found = std::string_view(head).substr(at, colon - at);
    if (std::ranges::equal(
            found, name, {}, [](unsigned char c) { return std::tolower(c); },
            [](unsigned char c) { return std::tolower(c); })) {
      const std::size_t begin = head.find_first_not_of(' ', colon + 1);
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  }
  return {};
}

// The last part of the target in a request line.
std::string MethodIn(const std::string& head) {
  const std::string target = head.substr(0, head.find(" HTTP/"));
  return target.substr(target.rfind('/') + 1);
}

std::vector<std::string> RequestIds(const std::string& how, std::string id) {
  if (how == "missing") {
    return {};
  }
  if (how == "foreign") {
    return {std::string(32, '0')};
  }
  if (how == "doubled") {
    return {id, id};
  }
  if (how == "joined") {
    return {id + ", " + id};
  }
  if (how == "upper") {
    std::ranges::transform(id, id.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  return {id};
}

std::string BodyOf(const Json& honest, const Json& lie) {
  if (lie.contains("text")) {
    return lie["text"];
  }
  if (lie.contains("base64")) {
    return base::Base64Decode(lie["base64"].get<std::string>()).value();
  }
  if (lie.contains("json")) {
    return lie["json"].dump();
  }
  Json answer = honest;
  answer.merge_patch(lie.value("merge", Json::object()));
  return answer.dump();
}

std::string HeadOf(const Json& lie, const std::string& request_id, std::size_t body_size) {
  std::string head = "HTTP/1.1 " + std::to_string(lie.value("status", 200)) + " Said\r\n";
  Json fields = {{"Content-Type", "application/json"}};
  fields.update(lie.value("headers", Json::object()));
  for (const auto& [name, value] : fields.items()) {
    head += name + ": " + value.get<std::string>() + "\r\n";
  }
  for (const std::string& id : RequestIds(TextOf(lie, "request_id", "echo"), request_id)) {
    head += "Plimsoll-Request-Id: " + id + "\r\n";
  }
  if (lie.contains("filler_bytes")) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += "Content-Length: " + std::to_string(lie.value("declared_length", body_size)) + "\r\n";
  }
  return head + "Connection: close\r\n\r\n";
}

// One connection, from its request to its end. Errors of the socket end it: the client may leave at any time.
class Conversation {
 public:
  Conversation(tcp::socket& socket, const Saying& saying) : socket_(socket), honest_(saying.honest), lie_(saying.lie) {}

  // `called` hears the method of the request.
  template <typename Called>
  void Run(const std::atomic<bool>& stopped, Called called) {
    const std::string end = TextOf(lie_, "end", "answer");
    Request request = ReadHead();
    called(MethodIn(request.head));
    if (end != "answer_before_body") {
      Skip(request.body_left);
    }
    if (end == "silence") {
      WaitForTheClient();
    } else if (end == "garbage") {
      Write("this is not the answer you are looking for\r\n\r\n");
    } else if (end != "close") {
      SendAnswer(FieldIn(request.head, "plimsoll-request-id"), stopped);
    }
    // The client reads to the end of what was written before the connection closes under it.
    socket_.shutdown(tcp::socket::shutdown_send, error_);
    WaitForTheClient();
  }

 private:
  Request ReadHead() {
    Request request;
    asio::streambuf buffer;
    const std::size_t size = asio::read_until(socket_, buffer, "\r\n\r\n", error_);
    const std::string read(asio::buffers_begin(buffer.data()), asio::buffers_end(buffer.data()));
    request.head = read.substr(0, size);
    const std::string length = FieldIn(request.head, "content-length");
    const std::size_t body = length.empty() ? 0 : std::stoul(length);
    request.body_left = body - std::min(body, read.size() - size);
    return request;
  }

  void Skip(std::size_t bytes) {
    std::string discarded(bytes, '\0');
    asio::read(socket_, asio::buffer(discarded), error_);
  }

  void SendAnswer(const std::string& request_id, const std::atomic<bool>& stopped) {
    const std::string body = BodyOf(honest_, lie_);
    const std::string head = HeadOf(lie_, request_id, body.size());
    if (lie_.contains("cut_head_at")) {
      Write(head.substr(0, lie_["cut_head_at"].get<std::size_t>()));
      return;
    }
    Write(head);
    if (lie_.contains("filler_bytes")) {
      WriteFiller(lie_["filler_bytes"]);
    } else if (lie_.contains("trickle_ms")) {
      Trickle(body, std::chrono::milliseconds(lie_["trickle_ms"].get<int>()), stopped);
    } else {
      Write(body.substr(0, lie_.value("cut_body_at", body.size())));
    }
  }

  void WriteFiller(std::size_t bytes) {
    const std::string block(kBlock, ' ');
    for (std::size_t sent = 0; sent < bytes && !error_; sent += kBlock) {
      Write("10000\r\n" + block + "\r\n");
    }
    Write("0\r\n\r\n");
  }

  void Trickle(const std::string& body, std::chrono::milliseconds pause, const std::atomic<bool>& stopped) {
    for (const char byte : body) {
      if (error_ || stopped) {
        return;
      }
      Write(std::string(1, byte));
      std::this_thread::sleep_for(pause);
    }
  }

  void Write(const std::string& bytes) { asio::write(socket_, asio::buffer(bytes), error_); }

  void WaitForTheClient() {
    std::string discarded(kBlock, '\0');
    boost::system::error_code gone;
    while (!gone) {
      socket_.read_some(asio::buffer(discarded), gone);
    }
  }

  tcp::socket& socket_;
  const Json& honest_;
  const Json& lie_;
  boost::system::error_code error_;
};

}  // namespace

class LyingDaemon::Impl {
 public:
  explicit Impl(std::vector<Saying> script)
      : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        port_(acceptor_.local_endpoint().port()),
        thread_([this, script = std::move(script)] {
          for (auto saying = script.begin(); saying != script.end() && !stopped_; ++saying) {
            Converse(*saying);
          }
        }) {}

  ~Impl() {
    stopped_ = true;
    boost::system::error_code ignored;
    // Wakes an accept that no client has answered.
    tcp::socket(context_).connect({asio::ip::address_v4::loopback(), port_}, ignored);
    // By number: the socket object belongs to the thread until that has ended, and stays open as long.
    if (const int socket = talking_; socket >= 0) {
      ::shutdown(socket, SHUT_RDWR);
    }
    thread_.join();
  }

  std::uint16_t port() const { return port_; }

  std::vector<std::string> Called() { return *called_.Lock(); }

  bool WasCalledAgain() {
    thread_.join();
    thread_ = std::thread([] {});
    boost::system::error_code error;
    acceptor_.non_blocking(true, error);
    tcp::socket second(context_);
    acceptor_.accept(second, error);
    return !error;
  }

 private:
  void Converse(const Saying& saying) {
    // None is closed before the daemon goes, so that a number is never that of another socket.
    tcp::socket& socket = sockets_.emplace_back(context_);
    boost::system::error_code error;
    acceptor_.accept(socket, error);
    if (error || stopped_) {
      return;
    }
    talking_ = socket.native_handle();
    Conversation(socket, saying).Run(stopped_, [&](std::string method) {
      called_.Lock()->push_back(std::move(method));
    });
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  std::list<tcp::socket> sockets_;
  std::uint16_t port_;
  base::Guarded<std::vector<std::string>> called_;
  std::atomic<bool> stopped_{false};
  std::atomic<int> talking_{-1};
  std::thread thread_;
};

LyingDaemon::LyingDaemon(std::vector<Saying> script) : impl_(std::make_unique<Impl>(std::move(script))) {}
LyingDaemon::~LyingDaemon() = default;
std::uint16_t LyingDaemon::port() const { return impl_->port(); }
std::vector<std::string> LyingDaemon::Called() { return impl_->Called(); }
bool LyingDaemon::WasCalledAgain() { return impl_->WasCalledAgain(); }

}  // namespace plimsoll::testing_lies
