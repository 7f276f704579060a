#include "tests/conformance/host_things.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"

namespace plimsoll::conformance {
namespace {

os::UniqueFd Listen(std::uint16_t& port) {
  os::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  PLIMSOLL_CHECK(bind(fd.get(), generic, size) == 0 && listen(fd.get(), 8) == 0);
  PLIMSOLL_CHECK(getsockname(fd.get(), generic, &size) == 0);
  port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

HostThings::HostThings() {
  things_.secret = "the-secret-of-" + std::filesystem::path(root_.path()).filename().string();
  things_.file = root_.Write("secret", things_.secret);
  things_.folder = root_.Path("open");
  std::filesystem::create_directory(things_.folder);
  std::filesystem::permissions(things_.folder, std::filesystem::perms::all);
  things_.folder_is_empty = [folder = things_.folder] { return std::filesystem::is_empty(folder); };
  things_.variable = "PLIMSOLL_CONFORMANCE_SECRET";
  PLIMSOLL_CHECK(setenv(things_.variable.c_str(), things_.secret.c_str(), 1) == 0);
  auto child = os::Child::Start({.program = "/bin/sleep", .arguments = {"86399"}});
  PLIMSOLL_CHECK(child);
  sleeper_ = std::make_unique<os::Child>(std::move(*child));
  things_.process = sleeper_->pid();
  things_.process_lives = [this] { return !sleeper_->TryReap().has_value(); };
  listener_ = Listen(things_.port);
}

HostThings::~HostThings() { unsetenv(things_.variable.c_str()); }

}  // namespace plimsoll::conformance
