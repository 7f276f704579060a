#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "providers/docker/address.h"

namespace plimsoll::docker {

// A uid for guests: 1 to 65532, and neither it nor the next one (with which a session checks who it is) in a range that
// systems give to accounts, nor the number of an account or group of this host: what a guest made could otherwise
// belong to somebody. A file that is missing is skipped; one that cannot be read refuses kNotProven.
base::Status CheckGuestUid(std::uint32_t uid, const ReadFile& read);

// Whether a line of /etc/passwd states the number as uid or primary gid, or one of /etc/group as gid. Leading zeros
// count as the number. Pure.
bool PasswdHolds(std::string_view passwd, std::uint32_t number);
bool GroupHolds(std::string_view group, std::uint32_t number);

}  // namespace plimsoll::docker
