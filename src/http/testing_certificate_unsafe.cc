#include "http/testing_certificate.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <boost/asio/ip/address.hpp>

#include "base/check.h"

namespace plimsoll::http {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File OpenForWriting(const std::string& path) {
  File file(std::fopen(path.c_str(), "we"), std::fclose);
  PLIMSOLL_CHECK(file != nullptr);
  return file;
}

void AddExtension(X509* certificate, int kind, const std::string& value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free);
  PLIMSOLL_CHECK(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

}  // namespace

TestCertificate::TestCertificate(const std::string& name) : folder_(testing::TempDir() + "plimsoll-cert-XXXXXX") {
  PLIMSOLL_CHECK(::mkdtemp(folder_.data()) != nullptr);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  PLIMSOLL_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const std::string common = "plimsoll test";
  // SAFETY: OpenSSL copies the bytes.
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common.data()),
                             static_cast<int>(common.size()), -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  boost::system::error_code not_an_address;
  static_cast<void>(boost::asio::ip::make_address(name, not_an_address));
  AddExtension(certificate.get(), NID_subject_alt_name, (not_an_address ? "DNS:" : "IP:") + name);
  AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  PLIMSOLL_CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  PLIMSOLL_CHECK(PEM_write_X509(OpenForWriting(pair().certificate_file).get(), certificate.get()) == 1);
  PLIMSOLL_CHECK(PEM_write_PrivateKey(OpenForWriting(pair().key_file).get(), key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) == 1);
}

TestCertificate::~TestCertificate() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace plimsoll::http
