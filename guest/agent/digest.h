#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plimsoll::guest {

// The lowercase hex SHA-256 of what is left to read from a descriptor; empty when a read fails. Where the processor has
// instructions for it they are used: the agent hashes its own program whenever it starts, and a container starts with
// it.
std::string Sha256OfDescriptor(int fd);

// The same without those instructions, for tests and other processors.
std::string PortableSha256OfDescriptor(int fd);

}  // namespace plimsoll::guest
