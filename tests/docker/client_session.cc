// The C++ client in a session of a real daemon: usage: docker-client-session URL FLOOR. Prints `ok` when files stay, a
// refusal leaves the session as it was, and the daemon's count at the close is the client's own; else what was wrong.
#include <cstdio>
#include <string>

#include "plimsoll/client.h"

namespace {

using plimsoll::client::Client;

// Empty when all was as it must be.
std::string Wrong(const std::string& url, const std::string& floor) {
  auto client = Client::Create({.base_url = url});
  if (!client) {
    return client.error().message;
  }
  auto session = client->OpenSession({.minimum_isolation = floor, .owner = "an owner"});
  if (!session) {
    return "open: " + session.error().message;
  }
  const auto written = session->RunJavaScript("require('fs').writeFileSync('kept', 'x')");
  const auto refused = session->RunJavaScript("1", {.minimum_isolation = "vm"});
  const auto read = session->RunProject({.files = {}, .steps = {"cat kept"}, .artifacts = {}});
  if (!written || !read || read->steps.empty() || read->steps[0].stdout_bytes != "x") {
    return "a file did not stay";
  }
  if (refused || refused.error().not_dispatched != plimsoll::client::NotDispatched::kIsolation) {
    return "a call below its floor was not refused";
  }
  if (session->calls() != 2) {
    return "the chain has another length than the calls that ran";
  }
  const auto closed = session->Close();
  if (!closed) {
    return "close: " + closed.error().message;
  }
  return closed->calls == 2 ? "" : "the daemon counts other calls";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wrong = argc == 3 ? Wrong(argv[1], argv[2]) : "usage: docker-client-session URL FLOOR";
  std::puts(wrong.empty() ? "ok" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}
