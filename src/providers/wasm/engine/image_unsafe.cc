#include "providers/wasm/engine/image_unsafe.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace plimsoll::wasm {
namespace {

// Below this, comparing is cheaper than a call to the kernel and the faults that follow.
constexpr std::uint32_t kShortestZeroRun = 16 * Image::kPage;

constexpr std::uint32_t kMagic = 0x31494c50;  // "PLI1"

bool IsZero(const std::uint8_t* page) { return page[0] == 0 && std::memcmp(page, page + 1, Image::kPage - 1) == 0; }

enum class Pages { kZero, kOther };

std::uint32_t LengthOfRun(std::span<std::uint8_t> memory, Address begin, Address end, Pages kind) {
  Address at = begin;
  while (at < end && IsZero(memory.data() + at) == (kind == Pages::kZero)) {
    at += Image::kPage;
  }
  return at - begin;
}

}  // namespace

struct Image::Header {
  std::uint32_t magic;
  std::uint32_t pages;
  std::uint32_t runs;
  std::uint32_t kept;
  Roots roots;
};

void Image::Append(std::span<std::uint8_t> memory, Address begin, Address end, std::vector<Run>& runs,
                   std::string& kept) {
  while (begin < end) {
    const std::uint32_t zeros = LengthOfRun(memory, begin, end, Pages::kZero);
    if (zeros >= kShortestZeroRun) {
      runs.push_back({.address = begin, .bytes = zeros, .kept_at = kZeros});
      begin += zeros;
      continue;
    }
    const std::uint32_t bytes = zeros + LengthOfRun(memory, begin + zeros, end, Pages::kOther);
    runs.push_back({.address = begin, .bytes = bytes, .kept_at = static_cast<std::uint32_t>(kept.size())});
    kept.append(reinterpret_cast<const char*>(memory.data() + begin), bytes);
    begin += bytes;
  }
}

std::string Image::Write(Machine& machine, const Roots& roots) {
  const std::span<std::uint8_t> memory = machine.memory();
  std::vector<Run> runs;
  std::string kept;
  Append(memory, kModuleStackTop, kStackGuard, runs, kept);
  Append(memory, kStackTop, static_cast<Address>(memory.size()), runs, kept);
  const Header header = {.magic = kMagic,
                         .pages = machine.pages(),
                         .runs = static_cast<std::uint32_t>(runs.size()),
                         .kept = static_cast<std::uint32_t>(kept.size()),
                         .roots = roots};
  std::string out(reinterpret_cast<const char*>(&header), sizeof(header));
  out.append(reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(Run));
  return out + kept;
}

std::optional<Image> Image::Read(std::span<const std::uint8_t> saved) {
  Header header;
  if (saved.size() < sizeof(header)) {
    return std::nullopt;
  }
  std::memcpy(&header, saved.data(), sizeof(header));
  const std::uint64_t runs_size = std::uint64_t{header.runs} * sizeof(Run);
  if (header.magic != kMagic || saved.size() != sizeof(header) + runs_size + header.kept) {
    return std::nullopt;
  }
  Image image;
  image.roots_ = header.roots;
  image.pages_ = header.pages;
  image.runs_.resize(header.runs);
  std::memcpy(image.runs_.data(), saved.data() + sizeof(header), runs_size);
  image.kept_ = saved.subspan(sizeof(header) + runs_size);
  // Every run lies in memory beside the stacks, and what it keeps inside the bytes: checked once, relied on for ever.
  const std::uint64_t end = std::uint64_t{header.pages} * kPageSize;
  for (const Run& run : image.runs_) {
    const bool in_memory =
        run.address % kPage == 0 && run.bytes % kPage == 0 && run.address + std::uint64_t{run.bytes} <= end;
    const bool kept = run.kept_at == kZeros || run.kept_at + std::uint64_t{run.bytes} <= image.kept_.size();
    if (!in_memory || !kept) {
      return std::nullopt;
    }
  }
  return image;
}

bool Image::Load(Machine& machine) const {
  if (pages_ < machine.pages() || !machine.Grow(pages_ - machine.pages())) {
    return false;
  }
  for (const Run& run : runs_) {
    if (run.kept_at != kZeros) {
      std::memcpy(machine.memory().data() + run.address, kept_.data() + run.kept_at, run.bytes);
    }
  }
  return true;
}

void Image::Restore(Machine& machine) const {
  PLIMSOLL_CHECK(machine.pages() == pages_);
  std::uint8_t* memory = machine.memory().data();
  for (const Run& run : runs_) {
    if (run.kept_at == kZeros) {
      // SAFETY: whole pages of the machine's private anonymous memory; they read as zeros afterwards.
      PLIMSOLL_CHECK(madvise(memory + run.address, run.bytes, MADV_DONTNEED) == 0);
      continue;
    }
    const std::uint8_t* kept = kept_.data() + run.kept_at;
    std::uint8_t* live = memory + run.address;
    for (std::uint32_t at = 0; at < run.bytes; at += kPage) {
      if (std::memcmp(live + at, kept + at, kPage) != 0) {
        std::memcpy(live + at, kept + at, kPage);
      }
    }
  }
}

}  // namespace plimsoll::wasm
