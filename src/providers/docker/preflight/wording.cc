#include "providers/docker/preflight/wording.h"

namespace plimsoll::docker {

base::Refusal NotProven(std::string_view subject, std::string_view what) {
  std::string message(subject);
  message += ": ";
  message += what;
  return {base::Rule::kNotProven, std::move(message)};
}

std::string Shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown) {
    if (c < ' ' || c > '~') {
      c = '?';
    }
  }
  return text.size() > kMost ? shown + "..." : shown;
}

}  // namespace plimsoll::docker
