#pragma once

#include <string>

namespace plimsoll::guest {

// The lowercase hex SHA-256 of what is left to read from a descriptor; empty when a read fails.
std::string Sha256OfDescriptor(int fd);

}  // namespace plimsoll::guest
