#pragma once

// Linked by this room's tests only.

#include <string>

#include "http/server.h"

namespace plimsoll::http {

// A key and a certificate for `name` (a DNS name, or an address when it parses as one) that signs itself, in files of a
// fresh temporary folder, which is removed with this.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& name);
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  TlsPair pair() const { return {.certificate_file = folder_ + "/cert.pem", .key_file = folder_ + "/key.pem"}; }
  std::string certificate_file() const { return pair().certificate_file; }

 private:
  std::string folder_;
};

}  // namespace plimsoll::http
