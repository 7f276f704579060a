#include "os/thread_name.h"

#include <pthread.h>

#include <string>

namespace plimsoll::os {

void NameThisThread(std::string_view name) {
  constexpr std::size_t kLongest = 15;
  // A thread without its name works as well.
  static_cast<void>(::pthread_setname_np(::pthread_self(), std::string(name.substr(0, kLongest)).c_str()));
}

}  // namespace plimsoll::os
