#include "daemon/tls_check.h"

#include "http/tls.h"

namespace plimsoll::daemon {

base::Status CheckTlsPair(const std::string& certificate_file, const std::string& key_file) {
  const auto loaded = http::MakeServerTls({certificate_file, key_file});
  if (!loaded) {
    return loaded.error();
  }
  return base::Ok();
}

}  // namespace plimsoll::daemon
