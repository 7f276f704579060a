#include "providers/docker/preflight/guest_uid.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "providers/docker/preflight/wording.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kSetting = "SANDBOX_GUEST_UID";
constexpr std::uint32_t kMost = 65532;
constexpr std::size_t kMaxAccounts = std::size_t{8} << 20;  // bytes of one file

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
// Home areas, user namespaces and services that systems hand out by themselves.
constexpr std::array kTaken = {Range{60001, 60513}, Range{60578, 60705}, Range{61184, 65519}};

// Field `index`, from 0, of a line with fields between colons; empty when the line has fewer.
std::string_view Field(std::string_view line, std::size_t index) {
  for (; index > 0; --index) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return {};
    }
    line.remove_prefix(colon + 1);
  }
  return line.substr(0, line.find(':'));
}

// Whether the text is digits that make this number.
bool IsNumber(std::string_view text, std::uint32_t number) {
  const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  return !text.empty() && text.substr(zeros) == (number == 0 ? "" : std::to_string(number));
}

template <typename Holds>
bool AnyLine(std::string_view text, const Holds& holds) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (holds(text.substr(0, end))) {
      return true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

struct Source {
  const char* path;
  bool (*holds)(std::string_view text, std::uint32_t number);
};
constexpr std::array kSources = {Source{"/etc/passwd", PasswdHolds}, Source{"/etc/group", GroupHolds}};

base::Status CheckRange(std::uint32_t uid, std::uint32_t number) {
  for (const Range& range : kTaken) {
    if (number >= range.first && number <= range.last) {
      return NotProven(kSetting, std::to_string(uid) + ": it or the number after it lies in " +
                                     std::to_string(range.first) + " to " + std::to_string(range.last) +
                                     ", which systems give to accounts; choose another, such as 61000");
    }
  }
  return base::Ok();
}

}  // namespace

bool PasswdHolds(std::string_view passwd, std::uint32_t number) {
  return AnyLine(passwd, [number](std::string_view line) {
    return IsNumber(Field(line, 2), number) || IsNumber(Field(line, 3), number);
  });
}

bool GroupHolds(std::string_view group, std::uint32_t number) {
  return AnyLine(group, [number](std::string_view line) { return IsNumber(Field(line, 2), number); });
}

base::Status CheckGuestUid(std::uint32_t uid, const ReadFile& read) {
  if (uid < 1 || uid > kMost) {
    return NotProven(kSetting, std::to_string(uid) + " is outside 1 to 65532; choose another, such as 61000");
  }
  for (const std::uint32_t number : {uid, uid + 1}) {
    if (auto range = CheckRange(uid, number); !range) {
      return range;
    }
  }
  for (const Source& source : kSources) {
    const auto looked = read(source.path, kMaxAccounts);
    if (!looked) {
      return NotProven(kSetting, "cannot see whether it is free: " + std::string(base::TextOf(looked.error())) +
                                     "; make the file readable");
    }
    const std::optional<std::string>& content = *looked;
    if (!content) {
      continue;
    }
    for (const std::uint32_t number : {uid, uid + 1}) {
      if (source.holds(*content, number)) {
        return NotProven(kSetting, std::to_string(uid) + ": the number " + std::to_string(number) + " is in use in " +
                                       source.path + "; choose one that is free, as is the number after it");
      }
    }
  }
  return base::Ok();
}

}  // namespace plimsoll::docker
