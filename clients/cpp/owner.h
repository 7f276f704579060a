#pragma once

#include <string>
#include <string_view>

namespace plimsoll::client {

// The name under which a daemon counts the sessions of `owner`: the same for the same token and owner in every client,
// and without the token it says nothing of the owner (clients-and-docs.md 1.2). Pure.
std::string OwnerDigest(std::string_view token, std::string_view owner);

}  // namespace plimsoll::client
