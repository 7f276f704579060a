#include "providers/docker/preflight/agent_program.h"

#include <optional>
#include <utility>

#include "providers/docker/preflight/wording.h"

namespace plimsoll::docker {
namespace {

constexpr std::string_view kSubject = "plimsoll-guest";
constexpr std::uint32_t kWritableByOthers = 0022;
constexpr std::uint32_t kForEverybody = 0555;

}  // namespace

AgentProgram::AgentProgram(std::string path, std::uint32_t own_uid, LookAtFile look, DigestFile digest)
    : path_(std::move(path)), own_uid_(own_uid), look_(std::move(look)), digest_(std::move(digest)) {}

base::Status AgentProgram::CheckStanding(const os::FileStanding& standing) const {
  const std::string at = Shown(path_);
  if (standing.owner != 0 && standing.owner != own_uid_) {
    return NotProven(kSubject, at + " belongs to uid " + std::to_string(standing.owner) +
                                   ", neither root nor the daemon; give it to root");
  }
  if ((standing.permissions & kWritableByOthers) != 0) {
    return NotProven(kSubject, at + " can be written by group or others; chmod 0755 it");
  }
  if ((standing.permissions & kForEverybody) != kForEverybody) {
    return NotProven(kSubject, at + " cannot be read and executed by everybody; chmod 0755 it");
  }
  if (!standing.file_system_runs_programs) {
    return NotProven(kSubject, at + " lies on a file system mounted noexec; install it on another");
  }
  return base::Ok();
}

base::Refusal AgentProgram::CannotUse(std::string_view cause) const {
  return NotProven(kSubject, "cannot use " + Shown(path_) + ": " + std::string(cause) + "; install it there");
}

base::Result<std::string> AgentProgram::Check() {
  if (!path_.starts_with('/')) {
    return NotProven(kSubject,
                     "no absolute path is known for it; install it beside the daemon, or set PLIMSOLL_LIBEXEC");
  }
  const auto look = look_(path_);
  if (!look) {
    return CannotUse(base::TextOf(look.error()));
  }
  const std::optional<os::FileStanding>& standing = *look;
  if (!standing) {
    return CannotUse("no such file");
  }
  if (auto fit = CheckStanding(*standing); !fit) {
    return std::move(fit).error();
  }
  auto digest = digest_.Of(path_, *standing);
  if (!digest) {
    return CannotUse(base::TextOf(digest.error()));
  }
  return digest;
}

}  // namespace plimsoll::docker
