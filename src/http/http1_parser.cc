#include "http/http1_parser.h"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace plimsoll::http {

namespace beast = boost::beast::http;
using BeastString = boost::beast::string_view;

namespace {

// The last chunk has at least `0` and two line ends; Beast aborts in debug builds when it is asked again about a part
// of that. Waiting loses nothing: a chunked body that goes on like this has five more bytes to come.
bool MayBeACutLastChunk(std::string_view bytes) {
  return bytes.size() < 5 && (bytes.starts_with('0') || bytes.starts_with('\r'));
}

std::string_view View(BeastString text) { return {text.data(), text.size()}; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lowercase) {
  return std::equal(text.begin(), text.end(), lowercase.begin(), lowercase.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// A field continued on a line that begins with white space (RFC 9112 5.2), which Beast unfolds silently. A field's
// bytes are always taken together, so both sides of the fold are in `taken`.
bool HasFoldedLine(std::string_view taken) {
  for (auto at = taken.find('\n'); at != std::string_view::npos && at + 1 < taken.size();
       at = taken.find('\n', at + 1)) {
    if (taken[at + 1] == ' ' || taken[at + 1] == '\t') {
      return true;
    }
  }
  return false;
}

// `http://host/path` is the same as `/path` to us (RFC 9112 3.2.2).
std::string_view PathOf(std::string_view target) {
  const auto scheme_end = target.find("://");
  if (target.starts_with('/') || scheme_end == std::string_view::npos) {
    return target;
  }
  const auto path = target.find('/', scheme_end + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

// Whether a head that has taken `taken` bytes, with `waiting` more at hand, passes `limit`.
bool IsHeadTooLarge(const boost::beast::error_code& error, std::size_t taken, std::size_t waiting, std::size_t limit) {
  return taken > limit || error == beast::error::header_limit ||
         (error == beast::error::need_more && taken + waiting > limit);
}

// What an error past the head's limit means, with `waiting` bytes that were not taken.
Http1Parser::Step StepOf(const boost::beast::error_code& error, std::size_t waiting, std::size_t limit) {
  if (error == beast::error::need_more) {
    // A chunk's head or the trailer block, which Beast takes only as a whole.
    return waiting > limit ? Http1Parser::Step::kMalformed : Http1Parser::Step::kMore;
  }
  return error == beast::error::body_limit ? Http1Parser::Step::kTooLarge : Http1Parser::Step::kMalformed;
}

bool IsTarget(std::string_view target, std::string_view method) {
  return target.starts_with('/') || target.find("://") != std::string_view::npos ||
         (target == "*" && method == "OPTIONS") || method == "CONNECT";
}

}  // namespace

class Http1Parser::Request final : public beast::basic_parser<true> {
 public:
  explicit Request(std::uint32_t max_header_bytes) {
    header_limit(max_header_bytes);
    body_limit(boost::none);
  }

  RequestHead head;
  BodyBuffer* body = nullptr;
  bool wants_continue = false;
  int http_version = 11;

 private:
  using Error = boost::beast::error_code;

  void on_request_impl(beast::verb, BeastString method, BeastString target, int version, Error& error) override {
    if (!IsTarget(View(target), View(method))) {
      error = beast::error::bad_target;
      return;
    }
    head.method = View(method);
    head.target = PathOf(View(target));
    head.version = Version::kHttp1;
    http_version = version;
  }

  void on_field_impl(beast::field, BeastString name, BeastString value, Error&) override {
    if (!is_header_done()) {  // trailer fields of a chunked body say nothing we use
      head.headers.Add(View(name), View(value));
    }
  }

  void on_header_impl(Error& error) override {
    const auto length = head.headers.Only("content-length");
    const auto encoding = head.headers.Only("transfer-encoding");
    const bool length_is_clear = head.headers.Count("content-length") == (length ? 1U : 0U) &&
                                 (!length || length->find_first_not_of("0123456789") == std::string_view::npos);
    const bool encoding_is_clear =
        head.headers.Count("transfer-encoding") == (encoding ? 1U : 0U) &&
        (!encoding || (http_version == 11 && !length && EqualsIgnoringCase(*encoding, "chunked")));
    const bool host_is_clear = http_version == 11 ? head.headers.Count("host") == 1 : head.headers.Count("host") <= 1;
    if (!length_is_clear || !encoding_is_clear || !host_is_clear) {
      error = beast::error::bad_field;
      return;
    }
    if (const auto declared = content_length()) {
      head.declared_length = *declared;
    } else if (!chunked()) {
      head.declared_length = 0;
    }
    const auto expect = head.headers.Only("expect");
    wants_continue = http_version == 11 && expect && EqualsIgnoringCase(*expect, "100-continue");
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(BeastString bytes, Error& error) override { return Take(bytes, error); }
  void on_chunk_header_impl(std::uint64_t, BeastString, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastString bytes, Error& error) override { return Take(bytes, error); }
  void on_finish_impl(Error&) override {}
  void on_response_impl(int, BeastString, int, Error&) override {}

  std::size_t Take(BeastString bytes, Error& error) {
    if (body != nullptr && body->Append(View(bytes)) == BodyBuffer::Fit::kTooLarge) {
      error = beast::error::body_limit;
    }
    return bytes.size();
  }
};

Http1Parser::Http1Parser(std::uint32_t max_header_bytes)
    : max_header_bytes_(max_header_bytes), request_(std::make_unique<Request>(max_header_bytes)) {}

Http1Parser::~Http1Parser() = default;

Http1Parser::Step Http1Parser::Parse(std::string_view& bytes) {
  while (true) {
    if (const auto step = Advance(bytes)) {
      return *step;
    }
  }
}

std::optional<Http1Parser::Step> Http1Parser::Advance(std::string_view& bytes) {
  if (request_->is_done()) {
    return Step::kDone;
  }
  const bool in_head = !request_->is_header_done();
  if (!in_head && request_->chunked() && MayBeACutLastChunk(bytes)) {
    return Step::kMore;
  }
  boost::beast::error_code error;
  const std::size_t used = request_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  const std::string_view taken = bytes.substr(0, used);
  bytes.remove_prefix(used);
  taken_ += used;
  if (in_head && IsHeadTooLarge(error, taken_, bytes.size(), max_header_bytes_)) {
    return Step::kHeadTooLarge;
  }
  if (in_head && HasFoldedLine(taken)) {
    return Step::kMalformed;
  }
  if (error) {
    return StepOf(error, bytes.size(), max_header_bytes_);
  }
  if (in_head && request_->is_header_done()) {
    return Step::kHead;
  }
  if (bytes.empty() && !request_->is_done()) {
    return Step::kMore;
  }
  return std::nullopt;
}

RequestHead& Http1Parser::head() { return request_->head; }

void Http1Parser::SetBody(BodyBuffer* body) { request_->body = body; }

Http1Parser::Framing Http1Parser::framing() const { return request_->is_done() ? Framing::kNoBody : Framing::kBody; }

Http1Parser::After Http1Parser::after() const {
  return request_->http_version == 11 && request_->keep_alive() ? After::kKeep : After::kClose;
}

Http1Parser::Expects Http1Parser::expects() const {
  return request_->wants_continue ? Expects::kContinue : Expects::kNothing;
}

bool Http1Parser::started() const { return taken_ > 0; }

void Http1Parser::Reset() {
  taken_ = 0;
  request_ = std::make_unique<Request>(max_header_bytes_);
}

}  // namespace plimsoll::http
