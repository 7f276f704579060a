#include "run/session_open.h"

#include <algorithm>
#include <iterator>

#include "run/check.h"
#include "run/limits.h"
#include "run/request.h"

namespace plimsoll::run {

base::Status CheckLanguages(std::span<const std::string> languages) {
  for (std::size_t i = 0; i < languages.size(); ++i) {
    const std::string field = std::string("languages[").append(std::to_string(i)).append("]");
    if (base::Status known = CheckLanguage(field, languages[i]); !known) {
      return known;
    }
  }
  return base::Ok();
}

std::vector<std::string> HintedLanguages(std::span<const std::string> asked, std::span<const std::string> stated) {
  std::vector<std::string> hinted;
  std::ranges::copy_if(stated, std::back_inserter(hinted), [&](const std::string& language) {
    return asked.empty() || std::ranges::find(asked, language) != asked.end();
  });
  return hinted;
}

base::Status CheckOwner(std::string_view owner) {
  // An owner has the letters and the length of a trace id.
  if (owner.empty() || IsTraceId(owner)) {
    return base::Ok();
  }
  return base::Refusal{base::Rule::kInvalidRequest, "owner: must be 1 to " + std::to_string(kMaxTraceIdBytes) +
                                                        " of A-Z a-z 0-9 . _ : -, this is " +
                                                        std::to_string(owner.size()) + " bytes"};
}

}  // namespace plimsoll::run
