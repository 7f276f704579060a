// Sends one snippet to the daemon whose URL is the only argument, with the token in PLIMSOLL_TOKEN, and prints what it
// printed and where; then tries a cell in a session, and prints why none was opened.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "plimsoll/client.h"

int main(int argc, char** argv) {
  const char* token = std::getenv("PLIMSOLL_TOKEN");
  if (argc != 2 || token == nullptr) {
    std::fprintf(stderr, "usage: PLIMSOLL_TOKEN=... client_only URL\n");
    return 2;
  }
  const auto client = plimsoll::client::Client::Create({.base_url = argv[1], .token = token});
  if (!client) {
    std::fprintf(stderr, "client_only: %s\n", client.error().message.c_str());
    return 1;
  }
  const auto run = client->RunJavaScript("console.log(6 * 7)", {.minimum_isolation = "process"});
  if (!run) {
    std::fprintf(stderr, "client_only: %s\n", run.error().message.c_str());
    return 1;
  }
  std::printf("%s%s\n", run->stdout_bytes.c_str(), run->evidence.isolation.c_str());
  auto session = client->OpenSession({.minimum_isolation = "process"});
  if (session) {
    const auto cell = session->RunCell({.code = "print(6 * 7)"});
    return cell && session->Close() ? cell->output.exit_code : 1;
  }
  const auto reason = session.error().not_dispatched;
  std::printf("%s\n", reason ? std::string(Name(*reason)).c_str() : session.error().message.c_str());
  return run->exit_code;
}
