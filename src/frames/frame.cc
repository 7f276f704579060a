#include "frames/frame.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace plimsoll::frames {
namespace {

constexpr std::size_t kSeedSize = sizeof(RunOrder::seed);
constexpr std::size_t kRunHeaderSize = 4 + kSeedSize + 8;
constexpr std::size_t kEndedSize = 1 + 1 + 4 + 1;
constexpr std::uint8_t kStdoutTruncatedFlag = 1;
constexpr std::uint8_t kStderrTruncatedFlag = 2;

template <typename Unsigned>
void AppendLittleEndian(Unsigned value, std::string& out) {
  static_assert(std::is_unsigned_v<Unsigned>);
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
  }
}

// Precondition: `bytes` holds at least sizeof(Unsigned) bytes.
template <typename Unsigned>
Unsigned ReadLittleEndian(std::string_view bytes) {
  static_assert(std::is_unsigned_v<Unsigned>);
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= static_cast<Unsigned>(static_cast<Unsigned>(static_cast<std::uint8_t>(bytes[i])) << (8 * i));
  }
  return value;
}

base::Fault Malformed(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }

bool IsKnownType(std::uint8_t byte) {
  return byte >= static_cast<std::uint8_t>(Type::kReady) && byte <= static_cast<std::uint8_t>(Type::kEnded);
}

std::size_t MinBody(Type type) {
  switch (type) {
    case Type::kReady: return 0;
    case Type::kRun: return kRunHeaderSize;
    case Type::kStdout:
    case Type::kStderr: return 1;
    case Type::kEnded: return kEndedSize;
  }
  return 0;
}

}  // namespace

std::size_t MaxBody(Type type) {
  switch (type) {
    case Type::kReady: return 0;
    case Type::kRun: return kRunHeaderSize + kMaxCode;
    case Type::kStdout:
    case Type::kStderr: return kMaxOutput;
    case Type::kEnded: return kEndedSize;
  }
  return 0;
}

void Append(Type type, std::string_view body, std::string& out) {
  PLIMSOLL_CHECK(body.size() >= MinBody(type) && body.size() <= MaxBody(type));
  out.push_back(static_cast<char>(type));
  AppendLittleEndian(static_cast<std::uint32_t>(body.size()), out);
  out.append(body);
}

void AppendRunOrder(const RunOrder& order, std::string& out) {
  PLIMSOLL_CHECK(order.code.size() <= kMaxCode);
  out.push_back(static_cast<char>(Type::kRun));
  AppendLittleEndian(static_cast<std::uint32_t>(kRunHeaderSize + order.code.size()), out);
  AppendLittleEndian(order.timeout_ms, out);
  out.append(std::begin(order.seed), std::end(order.seed));
  AppendLittleEndian(std::bit_cast<std::uint64_t>(order.wall_unix_us), out);
  out.append(order.code);
}

base::Result<RunOrder> ParseRunOrder(std::string_view body) {
  if (body.size() < kRunHeaderSize || body.size() > MaxBody(Type::kRun)) {
    return Malformed("a run order of " + std::to_string(body.size()) + " bytes; it holds " +
                     std::to_string(kRunHeaderSize) + " to " + std::to_string(MaxBody(Type::kRun)));
  }
  RunOrder order;
  order.timeout_ms = ReadLittleEndian<std::uint32_t>(body);
  body.remove_prefix(sizeof(std::uint32_t));
  std::transform(body.begin(), body.begin() + kSeedSize, std::begin(order.seed),
                 [](char byte) { return static_cast<std::uint8_t>(byte); });
  body.remove_prefix(kSeedSize);
  order.wall_unix_us = std::bit_cast<std::int64_t>(ReadLittleEndian<std::uint64_t>(body));
  body.remove_prefix(sizeof(std::uint64_t));
  order.code = body;
  return order;
}

void AppendEnded(const Ended& ended, std::string& out) {
  out.push_back(static_cast<char>(Type::kEnded));
  AppendLittleEndian(static_cast<std::uint32_t>(kEndedSize), out);
  out.push_back(static_cast<char>(ended.end));
  out.push_back(static_cast<char>(ended.next));
  AppendLittleEndian(std::bit_cast<std::uint32_t>(ended.exit_code), out);
  const int flags =
      (ended.stdout_truncated ? kStdoutTruncatedFlag : 0) | (ended.stderr_truncated ? kStderrTruncatedFlag : 0);
  out.push_back(static_cast<char>(flags));
}

base::Result<Ended> ParseEnded(std::string_view body) {
  if (body.size() != kEndedSize) {
    return Malformed("an end report of " + std::to_string(body.size()) + " bytes; it holds " +
                     std::to_string(kEndedSize));
  }
  const auto end = static_cast<std::uint8_t>(body[0]);
  const auto next = static_cast<std::uint8_t>(body[1]);
  const auto flags = static_cast<std::uint8_t>(body[6]);
  if (end < static_cast<std::uint8_t>(End::kFinished) || end > static_cast<std::uint8_t>(End::kTrapped) ||
      next < static_cast<std::uint8_t>(Next::kReuse) || next > static_cast<std::uint8_t>(Next::kDiscard) ||
      flags > (kStdoutTruncatedFlag | kStderrTruncatedFlag)) {
    return Malformed("an end report with a value outside its list");
  }
  return Ended{.end = static_cast<End>(end),
               .next = static_cast<Next>(next),
               .exit_code = std::bit_cast<std::int32_t>(ReadLittleEndian<std::uint32_t>(body.substr(2))),
               .stdout_truncated = (flags & kStdoutTruncatedFlag) != 0,
               .stderr_truncated = (flags & kStderrTruncatedFlag) != 0};
}

void Decoder::Feed(std::string_view bytes) {
  buffer_.erase(0, read_);
  read_ = 0;
  buffer_.append(bytes);
}

base::Result<Decoder::State> Decoder::Next(Frame& frame) {
  const std::string_view rest = std::string_view(buffer_).substr(read_);
  if (rest.empty()) {
    return State::kNeedMore;
  }
  const auto type_byte = static_cast<std::uint8_t>(rest.front());
  if (!IsKnownType(type_byte)) {
    return Malformed("a frame of the unknown type " + std::to_string(type_byte));
  }
  if (rest.size() < kHeaderSize) {
    return State::kNeedMore;
  }
  const auto type = static_cast<Type>(type_byte);
  const auto size = ReadLittleEndian<std::uint32_t>(rest.substr(1));
  if (size < MinBody(type) || size > MaxBody(type)) {
    return Malformed("a frame of type " + std::to_string(type_byte) + " with a body of " + std::to_string(size) +
                     " bytes; it holds " + std::to_string(MinBody(type)) + " to " + std::to_string(MaxBody(type)));
  }
  if (rest.size() - kHeaderSize < size) {
    return State::kNeedMore;
  }
  frame = {.type = type, .body = rest.substr(kHeaderSize, size)};
  read_ += kHeaderSize + size;
  return State::kFrame;
}

}  // namespace plimsoll::frames
