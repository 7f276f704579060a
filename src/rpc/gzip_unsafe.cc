#include <zlib.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "rpc/gzip.h"

namespace plimsoll::rpc {
namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib's window bits, and its way of saying "gzip header and trailer"
constexpr std::size_t kFirstOutput = 16 * 1024;

// SAFETY: zlib reads through a pointer to non-const but never writes to its input (zlib.h, z_const), and the caller's
// view outlives the stream. Sizes fit: every buffer here is far below 4 GiB, which Fits checks.
Bytef* InputOf(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

// SAFETY: `used` is within `buffer`, so the pointer stays inside it; avail_out is set to what is left.
Bytef* OutputOf(std::string& buffer, std::size_t used) { return reinterpret_cast<Bytef*>(buffer.data() + used); }

uInt Fits(std::size_t size) {
  PLIMSOLL_CHECK(size <= 0xffffffffU);
  return static_cast<uInt>(size);
}

class InflateStream {
 public:
  explicit InflateStream(std::string_view packed) {
    stream_.next_in = InputOf(packed);
    stream_.avail_in = Fits(packed.size());
    PLIMSOLL_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK);
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  ~InflateStream() { inflateEnd(&stream_); }

  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_ = {};
};

}  // namespace

Inflated GzipInflate(std::string_view packed, std::size_t limit) {
  InflateStream stream(packed);
  // One byte beyond the limit is enough to see that the output passes it.
  const std::size_t most = limit + 1;
  std::string out(std::min(most, kFirstOutput), '\0');
  std::size_t used = 0;
  while (true) {
    stream->next_out = OutputOf(out, used);
    stream->avail_out = Fits(out.size() - used);
    const int state = inflate(stream.get(), Z_NO_FLUSH);
    used = out.size() - stream->avail_out;
    if (used > limit) {
      return {{}, InflateProblem::kTooLarge};
    }
    if (state == Z_STREAM_END) {
      if (stream->avail_in == 0) {
        out.resize(used);
        return {std::move(out), std::nullopt};
      }
      inflateReset(stream.get());  // another member follows
    } else if (state != Z_OK && !(state == Z_BUF_ERROR && stream->avail_out == 0)) {
      return {{}, InflateProblem::kMalformed};
    } else if (stream->avail_out == 0) {
      out.resize(std::min(most, out.size() * 2));
    } else if (stream->avail_in == 0) {
      return {{}, InflateProblem::kMalformed};  // cut short
    }
  }
}

std::string GzipDeflate(std::string_view bytes) {
  z_stream stream = {};
  PLIMSOLL_CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipOnly, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = InputOf(bytes);
  stream.avail_in = Fits(bytes.size());
  stream.next_out = OutputOf(out, 0);
  stream.avail_out = Fits(out.size());
  PLIMSOLL_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace plimsoll::rpc
