#include "os/errno_fault.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace plimsoll::os {
namespace {

base::FaultKind KindOf(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EAGAIN: return base::FaultKind::kOverloaded;
    default: return base::FaultKind::kInternal;
  }
}

}  // namespace

base::Fault ErrnoFault(std::string_view what, int error) {
  std::string detail(what);
  detail += ": ";
  detail += std::generic_category().message(error);
  return {KindOf(error), std::move(detail)};
}

}  // namespace plimsoll::os
