// The only file that talks to libnghttp2. Its callbacks get the Impl as `user_data`.
#include <nghttp2/nghttp2.h>

#include <array>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "http/answer.h"
#include "http/http2_session.h"

namespace plimsoll::http {

namespace {

constexpr std::uint32_t kStreamWindow = 256 * 1024;      // bytes a peer may send ahead on one stream
constexpr std::int32_t kConnectionWindow = 1024 * 1024;  // and on all streams together
constexpr std::size_t kMaxSettings = 32;                 // entries of one SETTINGS frame
constexpr std::size_t kMaxContinuations = 8;             // frames that continue one header block
constexpr std::size_t kMaxUnsentAcknowledgements = 500;  // of pings and settings, while the peer does not read
constexpr std::uint64_t kResetBurst = 1000;              // resets by the peer at once, ...
constexpr std::uint64_t kResetsPerSecond = 33;           // ... and in the long run

// SAFETY: nghttp2 hands out valid ranges of `size` bytes that live until the callback returns.
std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// SAFETY: nghttp2 does not write through it; without NO_COPY flags it copies before the call returns.
nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

void AppendFields(const Headers& headers, std::vector<nghttp2_nv>& fields) {
  for (const Header& field : headers) {
    if (!WrittenByServer(field.name)) {
      fields.push_back(Field(field.name, field.value));
    }
  }
}

bool EndsStream(const nghttp2_frame_hd& head) { return (head.flags & NGHTTP2_FLAG_END_STREAM) != 0; }

bool IsRequestHead(const nghttp2_frame& frame) {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

}  // namespace

class Http2Session::Impl {
 public:
  Impl(const Limits& limits, Http2Events& events) : events_(events) {
    nghttp2_option* option = nullptr;
    PLIMSOLL_CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_settings(option, kMaxSettings);
    nghttp2_option_set_max_continuations(option, kMaxContinuations);
    nghttp2_option_set_max_outbound_ack(option, kMaxUnsentAcknowledgements);
    nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst, kResetsPerSecond);
    nghttp2_session_callbacks* callbacks = nullptr;
    PLIMSOLL_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnSent);
    PLIMSOLL_CHECK(nghttp2_session_server_new2(&session_, callbacks, this, option) == 0);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);

    const std::array<nghttp2_settings_entry, 4> settings = {
        {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_streams},
         {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
         {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.max_header_bytes},
         {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}}};
    PLIMSOLL_CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
    PLIMSOLL_CHECK(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow) == 0);
  }
  ~Impl() { nghttp2_session_del(session_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  nghttp2_session* session() const { return session_; }

  void Respond(std::int32_t stream, const Response& response, BodyPart body) {
    const std::string status = std::to_string(response.status);
    const std::string length = std::to_string(response.body.size());
    const bool has_body = body == BodyPart::kSend && !response.body.empty();
    std::vector<nghttp2_nv> fields;
    fields.reserve(16);
    fields.push_back(Field(":status", status));
    AppendFields(response.headers, fields);
    if (response.trailers.empty() && response.status != 204 && response.status != 304) {
      fields.push_back(Field("content-length", length));
    }
    nghttp2_data_provider provider{};
    provider.read_callback = Supply;
    if (has_body && !response.trailers.empty()) {
      trailers_[stream] = response.trailers;
    } else {
      AppendFields(response.trailers, fields);
    }
    // Fails only for a stream that is gone; its close was or will be told.
    static_cast<void>(
        nghttp2_submit_response(session_, stream, fields.data(), fields.size(), has_body ? &provider : nullptr));
  }

 private:
  // SAFETY: `user_data` is what nghttp2_session_server_new2 was given: the Impl that owns the session.
  static Impl& Of(void* user_data) { return *static_cast<Impl*>(user_data); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (IsRequestHead(*frame)) {
      Of(user_data).events_.OnStreamBegun(frame->hd.stream_id);
    }
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user_data) {
    if (IsRequestHead(*frame)) {
      Of(user_data).events_.OnHeader(frame->hd.stream_id, View(name, name_size), View(value, value_size));
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Events& events = Of(user_data).events_;
    const bool ends = EndsStream(frame->hd);
    if (IsRequestHead(*frame)) {
      events.OnHeadersEnd(frame->hd.stream_id, ends ? Http2Events::More::kNothing : Http2Events::More::kBodyFollows);
    }
    if (ends && (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS)) {
      events.OnRequestEnd(frame->hd.stream_id);
    }
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                    void* user_data) {
    Of(user_data).events_.OnBody(stream, View(bytes, size));
    return 0;
  }

  static int OnClose(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* user_data) {
    Impl& impl = Of(user_data);
    impl.trailers_.erase(stream);
    impl.events_.OnStreamClosed(
        stream, error == NGHTTP2_NO_ERROR ? Http2Events::Closed::kCleanly : Http2Events::Closed::kByError);
    return 0;
  }

  // An answer that did not wait for the whole request is followed by a reset without an error (RFC 9113 8.1).
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    const std::int32_t stream = frame->hd.stream_id;
    const bool is_answer = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (is_answer && EndsStream(frame->hd) && nghttp2_session_get_stream_remote_close(session, stream) == 0) {
      return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static ssize_t Supply(nghttp2_session* session, std::int32_t stream, std::uint8_t* space, std::size_t size,
                        std::uint32_t* flags, nghttp2_data_source*, void* user_data) {
    Impl& impl = Of(user_data);
    const auto supplied = impl.events_.SupplyBody(stream, {space, size});
    if (supplied.after == Http2Events::Supplied::After::kEnd) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (const auto trailers = impl.trailers_.find(stream); trailers != impl.trailers_.end()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        std::vector<nghttp2_nv> fields;
        AppendFields(trailers->second, fields);
        if (nghttp2_submit_trailer(session, stream, fields.data(), fields.size()) != 0) {
          return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        }
      }
    }
    return static_cast<ssize_t>(supplied.size);
  }

  Http2Events& events_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<std::int32_t, Headers> trailers_;  // of answers whose body is on its way
};

Http2Session::Http2Session(const Limits& limits, Http2Events& events) : impl_(std::make_unique<Impl>(limits, events)) {}

Http2Session::~Http2Session() = default;

Http2Session::Health Http2Session::Receive(std::string_view bytes) {
  // SAFETY: char and uint8_t have the same representation; nghttp2 only reads.
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t used = nghttp2_session_mem_recv(impl_->session(), data, bytes.size());
  return used == static_cast<ssize_t>(bytes.size()) ? Health::kGood : Health::kBroken;
}

Http2Session::Health Http2Session::Write(std::string& out, std::size_t enough) {
  while (out.size() < enough) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(impl_->session(), &data);
    if (size < 0) {
      return Health::kBroken;
    }
    if (size == 0) {
      break;
    }
    out.append(View(data, static_cast<std::size_t>(size)));
  }
  return Health::kGood;
}

void Http2Session::Respond(std::int32_t stream, const Response& response, BodyPart body) {
  impl_->Respond(stream, response, body);
}

void Http2Session::Cancel(std::int32_t stream) {
  static_cast<void>(nghttp2_submit_rst_stream(impl_->session(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL));
}

void Http2Session::RefuseNewStreams() {
  const std::int32_t last = nghttp2_session_get_last_proc_stream_id(impl_->session());
  static_cast<void>(nghttp2_submit_goaway(impl_->session(), NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0));
}

void Http2Session::Abort() {
  static_cast<void>(nghttp2_session_terminate_session(impl_->session(), NGHTTP2_ENHANCE_YOUR_CALM));
}

bool Http2Session::over() const {
  return nghttp2_session_want_read(impl_->session()) == 0 && nghttp2_session_want_write(impl_->session()) == 0;
}

bool Http2Session::has_output() const { return nghttp2_session_want_write(impl_->session()) != 0; }

}  // namespace plimsoll::http
