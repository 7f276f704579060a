#include "providers/docker/leases.h"

#include <utility>

namespace plimsoll::docker {

void Leases::Track(std::string name) { names_.Lock()->insert(std::move(name)); }

void Leases::Forget(std::string_view name) {
  auto names = names_.Lock();
  if (const auto found = names->find(name); found != names->end()) {
    names->erase(found);
  }
}

bool Leases::Holds(std::string_view name) const { return names_.Lock()->contains(name); }

}  // namespace plimsoll::docker
