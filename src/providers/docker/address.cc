#include "providers/docker/address.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "providers/docker/engine/bounded_json.h"

namespace plimsoll::docker {
namespace {

using base::Refusal;
using base::Rule;
using nlohmann::json;

constexpr std::string_view kUsual = "/var/run/docker.sock";
constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kDefaultContext = "default";
constexpr std::size_t kMaxSocketPath = 107;

bool IsSocketPath(std::string_view text) {
  return text.starts_with('/') && text.size() <= kMaxSocketPath &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// The form of an address that is not a socket's, for the text of a refusal. Of the address itself only a known word is
// told: the rest may hold a password.
std::string_view FormOf(std::string_view address) {
  constexpr std::array<std::string_view, 6> kKnown{"tcp", "ssh", "http", "https", "npipe", "fd"};
  const std::size_t colon = address.find("://");
  if (colon == std::string_view::npos) {
    return address.find(':') == std::string_view::npos ? "no form that is known" : "tcp";
  }
  const auto* found = std::find(kKnown.begin(), kKnown.end(), address.substr(0, colon));
  return found == kKnown.end() ? "no form that is known" : *found;
}

// `where` says which variable or file holds the address.
base::Result<std::string> SocketOf(std::string_view address, const std::string& where) {
  std::string_view path = address;
  if (path.starts_with(kUnix)) {
    path.remove_prefix(kUnix.size());
  }
  if (IsSocketPath(path)) {
    return std::string(path);
  }
  if (address.starts_with(kUnix) || address.starts_with('/')) {
    return Refusal{Rule::kUnavailable,
                   "the engine's address is not unix:// and an absolute path of at most 107 bytes: correct " + where};
  }
  return Refusal{Rule::kUnavailable, "the engine's address is remote or unknown: form " + std::string(FormOf(address)) +
                                         " in " + where +
                                         "; only a local engine can be used: set DOCKER_HOST to "
                                         "unix:// and the path of its socket"};
}

// As docker's client has it, which is why it is safe in a text.
bool IsContextName(std::string_view name) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return name.size() >= 2 && name.size() <= 256 && alphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return alphanumeric(c) || std::string_view("_.+-").find(c) != std::string_view::npos;
         });
}

Refusal NotReadable(const std::string& path) {
  return {Rule::kUnavailable, "the docker client's file cannot be used: " + path +
                                  "; correct it, or set DOCKER_HOST to unix:// and the path of the engine's socket"};
}

// The object in the file, or null when there is no such file.
base::Result<json> ReadObject(const std::string& path, const ReadFile& read) {
  const auto text = read(path, kMaxClientFile);
  if (!text) {
    return NotReadable(path + ": " + std::string(base::TextOf(text.error())));
  }
  const std::optional<std::string>& content = *text;
  if (!content) {
    return json();
  }
  auto document = ParseBounded(*content);
  if (!document || !document->is_object()) {
    return NotReadable(path + " is not one JSON object");
  }
  return std::move(*document);
}

// The text at `key`; empty when there is none. Nothing when something else stands there.
std::optional<std::string> TextAt(const json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) {
    return std::string();
  }
  if (!found->is_string()) {
    return std::nullopt;
  }
  return *found->get_ptr<const std::string*>();
}

// Endpoints.docker.Host, and the context's own name, which must be the one that was looked for.
std::optional<std::string> HostIn(const json& meta, std::string_view name) {
  const auto endpoints = meta.find("Endpoints");
  if (TextAt(meta, "Name") != name || endpoints == meta.end() || !endpoints->is_object()) {
    return std::nullopt;
  }
  const auto docker = endpoints->find("docker");
  if (docker == endpoints->end() || !docker->is_object()) {
    return std::nullopt;
  }
  auto host = TextAt(*docker, "Host");
  return host && host->empty() ? std::nullopt : host;
}

base::Result<std::string> OfContext(const std::string& name, const std::string& where, const std::string& folder,
                                    const ReadFile& read) {
  if (name.empty() || name == kDefaultContext) {
    return std::string(kUsual);
  }
  if (!IsContextName(name)) {
    return Refusal{Rule::kUnavailable,
                   "a docker context has a name of 2 to 256 letters, digits and _.+-: correct " + where};
  }
  const std::string path = folder + "/contexts/meta/" + base::Sha256Hex(name) + "/meta.json";
  const auto meta = ReadObject(path, read);
  if (!meta) {
    return meta.error();
  }
  if (meta->is_null()) {
    return Refusal{Rule::kUnavailable, "the docker context does not exist: " + name + ", named by " + where +
                                           "; create it, or set DOCKER_HOST to unix:// and the path of the engine's "
                                           "socket"};
  }
  const auto host = HostIn(*meta, name);
  if (!host) {
    return NotReadable(path + " states no address of the context " + name);
  }
  return SocketOf(*host, "the docker context " + name);
}

}  // namespace

base::Result<std::string> ResolveAddress(const Settings& settings, const ReadFile& read) {
  if (!settings.docker_host.empty()) {
    return SocketOf(settings.docker_host, "DOCKER_HOST");
  }
  std::string folder = settings.docker_config;
  if (folder.empty() && !settings.home.empty()) {
    folder = settings.home + "/.docker";
  }
  if (!settings.docker_context.empty()) {
    return OfContext(settings.docker_context, "DOCKER_CONTEXT", folder, read);
  }
  if (folder.empty()) {
    return std::string(kUsual);
  }
  const std::string path = folder + "/config.json";
  const auto config = ReadObject(path, read);
  if (!config) {
    return config.error();
  }
  if (config->is_null()) {
    return std::string(kUsual);
  }
  const auto current = TextAt(*config, "currentContext");
  if (!current) {
    return NotReadable(path + " has a currentContext that is not a text");
  }
  return OfContext(*current, path, folder, read);
}

}  // namespace plimsoll::docker
