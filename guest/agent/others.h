#pragma once

#include <set>
#include <string>

namespace plimsoll::guest {

// Looks whether anything else runs in the process namespace whose first process this is: the proof that a sweep has
// done its work. It kills nothing.
//
// That all children were waited for says so of everything that descends from the agent, and of a chain of processes
// that fork faster than a folder is read. This look finds what else can be there: a process put into the namespace from
// outside, which is nobody's child here.
class Others {
 public:
  enum class Found { kNothing, kSome };
  // Every process that was there at one look has had a kill before the next: a zombie is accepted at the second look at
  // it, once all its threads are over. Whatever cannot be read counts as there.
  Found Look();

 private:
  bool IsAccepted(const std::string& name);

  std::set<std::string> seen_;  // `pid:start`, of the last look
  std::set<std::string> now_;
};

}  // namespace plimsoll::guest
