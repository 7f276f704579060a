#include "frames/agent.h"

#include <sodium/crypto_auth_hmacsha256.h>
#include <sodium/utils.h>

#include <optional>

#include "frames/big_endian.h"

namespace plimsoll::frames::agent {
namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kHeadSize = 1 + 4 + 8;  // type, channel, counter
constexpr std::size_t kLeastFrame = kHeadSize + kTagSize;

static_assert(crypto_auth_hmacsha256_KEYBYTES == Key::kSize && crypto_auth_hmacsha256_BYTES >= kTagSize);

enum class Place { kControl, kCall };

// Where a type of frame may stand, and how long its body is.
struct Shape {
  Direction from;
  Place place;
  std::size_t least;
  std::size_t most;
};

constexpr std::size_t kMaxFilesBody = 2 + kMaxFiles * (2 + 8 + kMaxPath);

// Nothing for a number that is no type.
std::optional<Shape> ShapeOf(std::uint8_t number) {
  using enum Direction;
  switch (static_cast<Type>(number)) {
    case Type::kReady: return Shape{kFromAgent, Place::kControl, 2, kMaxIdentity};
    case Type::kKey: return Shape{kFromHost, Place::kControl, 5 + Key::kSize, 5 + Key::kSize};
    case Type::kCancel: return Shape{kFromHost, Place::kControl, 4, 4};
    case Type::kPing: return Shape{kFromHost, Place::kControl, 0, kMaxPing};
    case Type::kPong: return Shape{kFromAgent, Place::kControl, 0, kMaxPing};
    case Type::kSweep: return Shape{kFromHost, Place::kControl, 9, 9};
    case Type::kSwept: return Shape{kFromAgent, Place::kControl, 9, 9};
    case Type::kPlan: return Shape{kFromHost, Place::kCall, 2, kMaxFrame - kLeastFrame};
    case Type::kFiles: return Shape{kFromHost, Place::kCall, 2, kMaxFilesBody};
    case Type::kPiece: return Shape{kFromHost, Place::kCall, 1, kMaxPiece};
    case Type::kBegin: return Shape{kFromHost, Place::kCall, 8, 8};
    case Type::kStarted: return Shape{kFromAgent, Place::kCall, 4, 4};
    case Type::kStdout:
    case Type::kStderr: return Shape{kFromAgent, Place::kCall, 4 + 1, 4 + kMaxPiece};
    case Type::kExited: return Shape{kFromAgent, Place::kCall, 18, 18};
    case Type::kArtifact: return Shape{kFromAgent, Place::kCall, 5, 5 + kMaxPiece};
    case Type::kDone: return Shape{kFromAgent, Place::kCall, 2, 2 + kMaxDetail};
  }
  return std::nullopt;
}

base::Fault Malformed(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }

using Tag = std::array<unsigned char, crypto_auth_hmacsha256_BYTES>;

const unsigned char* Bytes(const void* bytes) { return static_cast<const unsigned char*>(bytes); }

// The tag over one direction byte and `signed_part`: type, channel, counter and body as they stand in the frame.
Tag TagOf(const Key& key, Direction direction, std::string_view signed_part) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, Bytes(key.bytes().data()), Key::kSize);
  crypto_auth_hmacsha256_update(&state, Bytes(&direction), sizeof direction);
  crypto_auth_hmacsha256_update(&state, Bytes(signed_part.data()), signed_part.size());
  Tag tag;
  crypto_auth_hmacsha256_final(&state, tag.data());
  sodium_memzero(&state, sizeof state);
  return tag;
}

}  // namespace

Key::~Key() { sodium_memzero(bytes_.data(), bytes_.size()); }

void Sender::Open(std::uint32_t channel, const Key& key) {
  PLIMSOLL_CHECK(channels_.try_emplace(channel, Channel{.key = key}).second);
}

void Sender::Close(std::uint32_t channel) { channels_.erase(channel); }

void Sender::Append(Type type, std::uint32_t channel, std::string_view body, std::string& out) {
  const auto found = channels_.find(channel);
  PLIMSOLL_CHECK(found != channels_.end());
  PLIMSOLL_CHECK(body.size() <= kMaxFrame - kLeastFrame);
  AppendBigEndian(static_cast<std::uint32_t>(kLeastFrame + body.size()), out);
  const std::size_t start = out.size();
  out.push_back(static_cast<char>(type));
  AppendBigEndian(channel, out);
  AppendBigEndian(found->second.next++, out);
  out.append(body);
  const Tag tag = TagOf(found->second.key, direction_, std::string_view(out).substr(start));
  out.append(tag.begin(), tag.begin() + kTagSize);
}

void Receiver::Open(std::uint32_t channel, const Key& key) {
  PLIMSOLL_CHECK(channels_.try_emplace(channel, Channel{.key = key}).second);
}

void Receiver::Close(std::uint32_t channel) { channels_.erase(channel); }

void Receiver::Feed(std::string_view bytes) {
  if (stuck_) {
    return;
  }
  buffer_.erase(0, read_);
  read_ = 0;
  buffer_.append(bytes);
}

base::Result<Receiver::State> Receiver::Next(Frame& frame) {
  if (stuck_) {
    return Malformed("nothing is read after a bad frame");
  }
  auto cut = Cut(frame);
  if (!cut) {
    stuck_ = true;
    buffer_ = {};
    read_ = 0;
  }
  return cut;
}

// Every part is judged as soon as it is there, so a frame that will be refused is never waited for.
base::Result<Receiver::State> Receiver::Cut(Frame& frame) {
  std::string_view rest = std::string_view(buffer_).substr(read_);
  if (rest.size() < kLengthSize) {
    return State::kNeedMore;
  }
  const std::size_t length = TakeBigEndian<std::uint32_t>(rest);
  if (length < kLeastFrame || length > kMaxFrame) {
    return Malformed("a frame of " + std::to_string(length) + " bytes; it has " + std::to_string(kLeastFrame) + " to " +
                     std::to_string(kMaxFrame));
  }
  if (rest.empty()) {
    return State::kNeedMore;
  }
  const auto number = static_cast<std::uint8_t>(rest.front());
  const auto shape = ShapeOf(number);
  if (!shape || shape->from != from_) {
    return Malformed("a frame of type " + std::to_string(number) + ", which this end never gets");
  }
  const std::size_t size = length - kLeastFrame;
  if (size < shape->least || size > shape->most) {
    return Malformed("a frame of type " + std::to_string(number) + " with a body of " + std::to_string(size) +
                     " bytes; it has " + std::to_string(shape->least) + " to " + std::to_string(shape->most));
  }
  if (rest.size() < kHeadSize) {
    return State::kNeedMore;
  }
  std::string_view head = rest.substr(1);
  const auto channel = TakeBigEndian<std::uint32_t>(head);
  const auto found = channels_.find(channel);
  if (found == channels_.end() || (channel == kControl) != (shape->place == Place::kControl)) {
    return Malformed("a frame of type " + std::to_string(number) + " on channel " + std::to_string(channel) +
                     ", where it does not belong");
  }
  if (const auto counter = TakeBigEndian<std::uint64_t>(head); counter != found->second.next) {
    return Malformed("frame " + std::to_string(counter) + " of channel " + std::to_string(channel) +
                     " in the place of frame " + std::to_string(found->second.next));
  }
  if (rest.size() < length) {
    return State::kNeedMore;
  }
  const Tag tag = TagOf(found->second.key, from_, rest.substr(0, length - kTagSize));
  if (sodium_memcmp(tag.data(), rest.data() + length - kTagSize, kTagSize) != 0) {
    return Malformed("a frame of channel " + std::to_string(channel) + " with a tag that does not fit");
  }
  ++found->second.next;
  read_ += kLengthSize + length;
  frame = {.type = static_cast<Type>(number), .channel = channel, .body = rest.substr(kHeadSize, size)};
  return State::kFrame;
}

}  // namespace plimsoll::frames::agent
