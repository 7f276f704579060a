#include <algorithm>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "http/http2_testclient.h"

namespace plimsoll::http {

namespace {

// SAFETY: nghttp2 hands out valid ranges that live until the callback returns.
std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// SAFETY: nghttp2 copies before the call returns.
nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

class Http2TestClient::Impl {
 public:
  Impl() {
    nghttp2_session_callbacks* callbacks = nullptr;
    PLIMSOLL_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          ++Of(self).seen[frame->hd.stream_id].header_blocks;
          return 0;
        });
    nghttp2_session_callbacks_set_on_header_callback(callbacks, [](nghttp2_session*, const nghttp2_frame* frame,
                                                                   const std::uint8_t* name, std::size_t name_size,
                                                                   const std::uint8_t* value, std::size_t value_size,
                                                                   std::uint8_t, void* self) {
      Seen& answer = Of(self).seen[frame->hd.stream_id];
      (answer.header_blocks > 1 ? answer.trailers : answer.headers).Add(View(name, name_size), View(value, value_size));
      return 0;
    });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                      void* self) {
          Of(self).seen[stream].body += View(bytes, size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_GOAWAY) {
            Of(self).goaway = frame->goaway.error_code;
          } else if (frame->hd.type <= NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            Of(self).seen[frame->hd.stream_id].ended = true;
          }
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t error, void* self) {
          Of(self).seen[stream].closed = error;
          return 0;
        });
    PLIMSOLL_CHECK(nghttp2_session_client_new(&session, callbacks, this) == 0);
    nghttp2_session_callbacks_del(callbacks);
    PLIMSOLL_CHECK(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0) == 0);
  }
  ~Impl() { nghttp2_session_del(session); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // SAFETY: `self` is what nghttp2_session_client_new was given.
  static Impl& Of(void* self) { return *static_cast<Impl*>(self); }

  static ssize_t Supply(nghttp2_session*, std::int32_t stream, std::uint8_t* space, std::size_t size,
                        std::uint32_t* flags, nghttp2_data_source*, void* self) {
    auto& [rest, part] = Of(self).bodies[stream];
    if (rest.empty() && part == Body::kPart) {
      return NGHTTP2_ERR_DEFERRED;
    }
    const std::size_t now = std::min(size, rest.size());
    std::copy_n(rest.data(), now, space);
    rest.erase(0, now);
    if (rest.empty() && part == Body::kWhole) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(now);
  }

  nghttp2_session* session = nullptr;
  std::map<std::int32_t, Seen> seen;
  std::map<std::int32_t, std::pair<std::string, Body>> bodies;
  std::optional<std::uint32_t> goaway;
};

Http2TestClient::Http2TestClient() : impl_(std::make_unique<Impl>()) {}

Http2TestClient::~Http2TestClient() = default;

std::int32_t Http2TestClient::Submit(std::string_view method, std::string_view path, const Headers& headers,
                                     std::string body, Body part) {
  std::vector<nghttp2_nv> fields = {Field(":method", method), Field(":path", path), Field(":scheme", "http"),
                                    Field(":authority", "h")};
  for (const Header& header : headers) {
    fields.push_back(Field(header.name, header.value));
  }
  nghttp2_data_provider provider{};
  provider.read_callback = Impl::Supply;
  const bool has_body = !body.empty() || part == Body::kPart;
  const std::int32_t stream = nghttp2_submit_request(impl_->session, nullptr, fields.data(), fields.size(),
                                                     has_body ? &provider : nullptr, nullptr);
  PLIMSOLL_CHECK(stream > 0);
  impl_->bodies[stream] = {std::move(body), part};
  return stream;
}

void Http2TestClient::Reset(std::int32_t stream) {
  PLIMSOLL_CHECK(nghttp2_submit_rst_stream(impl_->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL) == 0);
}

void Http2TestClient::Ping() { PLIMSOLL_CHECK(nghttp2_submit_ping(impl_->session, NGHTTP2_FLAG_NONE, nullptr) == 0); }

std::string Http2TestClient::Output() {
  std::string out;
  while (true) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(impl_->session, &data);
    PLIMSOLL_CHECK(size >= 0);
    if (size == 0) {
      return out;
    }
    out += View(data, static_cast<std::size_t>(size));
  }
}

void Http2TestClient::Input(std::string_view bytes) {
  // SAFETY: nghttp2 only reads.
  static_cast<void>(
      nghttp2_session_mem_recv(impl_->session, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

const Http2TestClient::Seen& Http2TestClient::seen(std::int32_t stream) { return impl_->seen[stream]; }

std::optional<std::uint32_t> Http2TestClient::goaway() const { return impl_->goaway; }

}  // namespace plimsoll::http
