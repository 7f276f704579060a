#include <algorithm>
#include <bit>

#include "frames/agent.h"
#include "frames/agent_paths.h"
#include "frames/big_endian.h"

namespace plimsoll::frames::agent {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kExitedSize = 4 + 4 + 1 + 1 + 8;
constexpr std::size_t kSweepSize = 8 + 1;
constexpr std::uint8_t kTimedOutFlag = 1;
constexpr std::uint8_t kStdoutCutFlag = 2;
constexpr std::uint8_t kStderrCutFlag = 4;
constexpr std::uint8_t kArtifactsTruncatedFlag = 1;
constexpr std::uint64_t kLongestBudgetMs = 3'600'000;
constexpr std::uint64_t kLongestDurationMs = 24 * kLongestBudgetMs;
constexpr std::int32_t kTimedOutCode = 124;
constexpr std::uint8_t kHighestSignal = 64;

base::Fault Malformed(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }
base::Fault OfAnotherSize(std::string_view what, std::size_t size) {
  return Malformed(std::string(what) + " of " + std::to_string(size) + " bytes");
}
base::Fault OutsideItsList(std::string_view what) { return Malformed(std::string(what) + " outside its list"); }

std::string U32(std::uint32_t value) {
  std::string out;
  AppendBigEndian(value, out);
  return out;
}

base::Result<std::uint32_t> ParseU32(std::string_view what, std::string_view body) {
  if (body.size() != sizeof(std::uint32_t)) {
    return OfAnotherSize(what, body.size());
  }
  return ReadBigEndian<std::uint32_t>(body);
}

// Whether code, signal and the deadline fit together as Exited says.
bool IsAnEnding(const Exited& exited) {
  if (exited.signal > kHighestSignal) {
    return false;
  }
  if (exited.timed_out) {
    return exited.exit_code == kTimedOutCode;
  }
  return exited.signal == 0 ? exited.exit_code >= 0 && exited.exit_code <= 255
                            : exited.exit_code == 128 + exited.signal;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

base::Status CheckFiles(const std::vector<FileHead>& files) {
  std::uint64_t total = 0;
  for (const FileHead& file : files) {
    const bool is_code = file.path.empty() && files.size() == 1;
    if (!is_code && !IsPathBelow(file.path)) {
      return Malformed("a file with a path outside the rules");
    }
    if (file.size > kMaxFileBytes - total) {
      return Malformed("files of more than " + std::to_string(kMaxFileBytes) + " bytes together");
    }
    total += file.size;
  }
  return base::Ok();
}

}  // namespace

std::string EncodeOpenCall(const OpenCall& call) {
  std::string out = U32(call.channel);
  out.push_back(static_cast<char>(call.kind));
  for (const std::byte byte : call.key.bytes()) {
    out.push_back(static_cast<char>(byte));
  }
  return out;
}

base::Result<OpenCall> ParseOpenCall(std::string_view body) {
  if (body.size() != 5 + Key::kSize) {
    return OfAnotherSize("an opening of a call", body.size());
  }
  const auto channel = TakeBigEndian<std::uint32_t>(body);
  const auto kind = TakeBigEndian<std::uint8_t>(body);
  if (channel == kControl || kind > static_cast<std::uint8_t>(Kind::kPythonCell)) {
    return OutsideItsList("an opening of a call with a channel or kind");
  }
  std::array<std::byte, Key::kSize> key;
  std::transform(body.begin(), body.end(), key.begin(), [](char c) { return static_cast<std::byte>(c); });
  return OpenCall{.channel = channel, .kind = static_cast<Kind>(kind), .key = Key(key)};
}

std::string EncodeChannel(std::uint32_t channel) { return U32(channel); }
base::Result<std::uint32_t> ParseChannel(std::string_view body) { return ParseU32("a channel", body); }

std::string EncodeSweep(const SweepOrder& order) {
  std::string out;
  AppendBigEndian(order.disk_budget, out);
  out.push_back(static_cast<char>(order.quiesce));
  return out;
}

base::Result<SweepOrder> ParseSweep(std::string_view body) {
  if (body.size() != kSweepSize) {
    return OfAnotherSize("an order to sweep", body.size());
  }
  const auto budget = TakeBigEndian<std::uint64_t>(body);
  const auto quiesce = TakeBigEndian<std::uint8_t>(body);
  if (quiesce > static_cast<std::uint8_t>(SweepOrder::Quiesce::kYes)) {
    return OutsideItsList("an order to sweep with a value");
  }
  return SweepOrder{.disk_budget = budget, .quiesce = static_cast<SweepOrder::Quiesce>(quiesce)};
}

std::string EncodeSwept(const Swept& swept) {
  std::string out(1, static_cast<char>(swept.verdict));
  AppendBigEndian(swept.used, out);
  return out;
}

base::Result<Swept> ParseSwept(std::string_view body) {
  if (body.size() != kSweepSize) {
    return OfAnotherSize("a verdict of a sweep", body.size());
  }
  using enum Swept::Verdict;
  const auto verdict = static_cast<Swept::Verdict>(TakeBigEndian<std::uint8_t>(body));
  if (verdict != kClean && verdict != kUnproven && verdict != kOverBudget && verdict != kUnmeasurable) {
    return OutsideItsList("a verdict of a sweep");
  }
  return Swept{.verdict = verdict, .used = TakeBigEndian<std::uint64_t>(body)};
}

std::string EncodeStarted(std::uint32_t step) { return U32(step); }
base::Result<std::uint32_t> ParseStarted(std::string_view body) { return ParseU32("a started step", body); }

std::string EncodeFiles(const std::vector<FileHead>& files) {
  PLIMSOLL_CHECK(files.size() <= kMaxFiles && CheckFiles(files).has_value());
  std::string out;
  AppendBigEndian(static_cast<std::uint16_t>(files.size()), out);
  for (const FileHead& file : files) {
    AppendBigEndian(static_cast<std::uint16_t>(file.path.size()), out);
    out.append(file.path);
    AppendBigEndian(file.size, out);
  }
  return out;
}

base::Result<std::vector<FileHead>> ParseFiles(std::string_view body) {
  if (body.size() < sizeof(std::uint16_t)) {
    return OfAnotherSize("a list of files", body.size());
  }
  const std::size_t count = TakeBigEndian<std::uint16_t>(body);
  if (count > kMaxFiles) {
    return Malformed("a list of " + std::to_string(count) + " files; the most is " + std::to_string(kMaxFiles));
  }
  std::vector<FileHead> files(count);
  for (FileHead& file : files) {
    const std::size_t length = body.size() < sizeof(std::uint16_t) ? 0 : TakeBigEndian<std::uint16_t>(body);
    if (body.size() < length + sizeof file.size) {
      return Malformed("a list of files that ends early");
    }
    file.path = body.substr(0, length);
    body.remove_prefix(length);
    file.size = TakeBigEndian<std::uint64_t>(body);
  }
  if (!body.empty()) {
    return Malformed("a list of files with more behind it");
  }
  if (auto checked = CheckFiles(files); !checked) {
    return checked.error();
  }
  return files;
}

std::string EncodeBegin(milliseconds budget) {
  PLIMSOLL_CHECK(budget.count() >= 1 && budget.count() <= static_cast<std::int64_t>(kLongestBudgetMs));
  std::string out;
  AppendBigEndian(static_cast<std::uint64_t>(budget.count()), out);
  return out;
}

base::Result<milliseconds> ParseBegin(std::string_view body) {
  if (body.size() != sizeof(std::uint64_t)) {
    return OfAnotherSize("a budget", body.size());
  }
  const auto budget = ReadBigEndian<std::uint64_t>(body);
  if (budget < 1 || budget > kLongestBudgetMs) {
    return Malformed("a budget of " + std::to_string(budget) + " ms; it is 1 to " + std::to_string(kLongestBudgetMs));
  }
  return milliseconds(budget);
}

void AppendOutputBody(const Output& output, std::string& out) {
  PLIMSOLL_CHECK(!output.bytes.empty() && output.bytes.size() <= kMaxPiece);
  AppendBigEndian(output.step, out);
  out.append(output.bytes);
}

base::Result<Output> ParseOutput(std::string_view body) {
  if (body.size() <= sizeof(std::uint32_t) || body.size() > sizeof(std::uint32_t) + kMaxPiece) {
    return OfAnotherSize("output", body.size());
  }
  const auto step = TakeBigEndian<std::uint32_t>(body);
  return Output{.step = step, .bytes = body};
}

std::string EncodeExited(const Exited& exited) {
  PLIMSOLL_CHECK(IsAnEnding(exited) && exited.duration.count() >= 0);
  std::string out = U32(exited.step);
  AppendBigEndian(std::bit_cast<std::uint32_t>(exited.exit_code), out);
  out.push_back(static_cast<char>(exited.signal));
  const int flags = (exited.timed_out ? kTimedOutFlag : 0) | (exited.stdout_cut ? kStdoutCutFlag : 0) |
                    (exited.stderr_cut ? kStderrCutFlag : 0);
  out.push_back(static_cast<char>(flags));
  AppendBigEndian(std::min(static_cast<std::uint64_t>(exited.duration.count()), kLongestDurationMs), out);
  return out;
}

base::Result<Exited> ParseExited(std::string_view body) {
  if (body.size() != kExitedSize) {
    return OfAnotherSize("an ending", body.size());
  }
  Exited exited;
  exited.step = TakeBigEndian<std::uint32_t>(body);
  exited.exit_code = std::bit_cast<std::int32_t>(TakeBigEndian<std::uint32_t>(body));
  exited.signal = TakeBigEndian<std::uint8_t>(body);
  const auto flags = TakeBigEndian<std::uint8_t>(body);
  const auto duration = TakeBigEndian<std::uint64_t>(body);
  exited.timed_out = (flags & kTimedOutFlag) != 0;
  exited.stdout_cut = (flags & kStdoutCutFlag) != 0;
  exited.stderr_cut = (flags & kStderrCutFlag) != 0;
  if (flags > (kTimedOutFlag | kStdoutCutFlag | kStderrCutFlag) || duration > kLongestDurationMs ||
      !IsAnEnding(exited)) {
    return OutsideItsList("an ending with a value");
  }
  exited.duration = milliseconds(duration);
  return exited;
}

void AppendArtifactBody(const ArtifactPiece& piece, std::string& out) {
  PLIMSOLL_CHECK(piece.bytes.size() <= kMaxPiece && (piece.last || !piece.bytes.empty()));
  AppendBigEndian(piece.index, out);
  out.push_back(piece.last ? '\1' : '\0');
  out.append(piece.bytes);
}

base::Result<ArtifactPiece> ParseArtifact(std::string_view body) {
  if (body.size() < 5 || body.size() > 5 + kMaxPiece) {
    return OfAnotherSize("a piece of an artifact", body.size());
  }
  const auto index = TakeBigEndian<std::uint32_t>(body);
  const auto last = TakeBigEndian<std::uint8_t>(body);
  if (last > 1 || (last == 0 && body.empty())) {
    return OutsideItsList("a piece of an artifact with a value");
  }
  return ArtifactPiece{.index = index, .last = last == 1, .bytes = body};
}

std::string EncodeDone(const Done& done) {
  PLIMSOLL_CHECK(done.detail.size() <= kMaxDetail && IsPrintable(done.detail));
  std::string out(1, static_cast<char>(done.outcome));
  out.push_back(done.artifacts_truncated ? static_cast<char>(kArtifactsTruncatedFlag) : '\0');
  return out.append(done.detail);
}

base::Result<Done> ParseDone(std::string_view body) {
  if (body.size() < 2 || body.size() > 2 + kMaxDetail) {
    return OfAnotherSize("an end of a call", body.size());
  }
  const auto outcome = static_cast<Outcome>(TakeBigEndian<std::uint8_t>(body));
  const auto flags = TakeBigEndian<std::uint8_t>(body);
  const bool known = outcome == Outcome::kCompleted || outcome == Outcome::kSetupFailed ||
                     outcome == Outcome::kTimedOut || outcome == Outcome::kRunnerFailed;
  if (!known || flags > kArtifactsTruncatedFlag || !IsPrintable(body)) {
    return OutsideItsList("an end of a call with a value");
  }
  return Done{.outcome = outcome, .artifacts_truncated = flags != 0, .detail = std::string(body)};
}

}  // namespace plimsoll::frames::agent
