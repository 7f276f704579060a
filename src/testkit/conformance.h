#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "isolation/tier.h"
#include "provider/provider.h"
#include "run/request.h"
#include "run/result.h"

// One suite of what a caller sees, for every provider: what a run means, and what a wall keeps apart. The laws are
// values, so that a control without a wall can be held to them as well and must break them.
namespace plimsoll::testkit {

// What a provider may lack without breaking the contract. A law that needs a lacking one is skipped by that name.
enum class Ability : std::uint32_t {
  kNone = 0,
  kNode = 1,      // snippets are run by Node: files, processes and sockets have names in it
  kProjects = 2,  // files, steps and artifacts
};
std::string_view Name(Ability ability);

// Things on the host that no guest may reach, made by the test that drives the suite.
struct HostThings {
  std::string file;      // a readable file whose content is `secret`
  std::string folder;    // a folder that every user of the host may write to
  std::string variable;  // an environment variable of this process, whose value is `secret`
  std::string secret;
  std::int64_t process = 0;  // a child of this process that sleeps
  std::uint16_t port = 0;    // a TCP port on 127.0.0.1 that is listened on
  std::function<bool()> process_lives;
  std::function<bool()> folder_is_empty;
};

// A provider that was found ready, and what the suite may ask of it.
struct Subject {
  provider::Provider& provider;
  const base::Clock& clock;
  isolation::Tier tier;
  std::uint32_t abilities;  // of Ability
  const HostThings& host;
  std::chrono::milliseconds slack{2'000};  // how late an answer may be after its deadline

  bool Can(Ability ability) const {
    return ability == Ability::kNone || (abilities & static_cast<std::uint32_t>(ability)) != 0;
  }

  struct Given {
    std::chrono::milliseconds timeout{20'000};
    std::string principal = "alice";
    std::stop_token stop = {};
    std::string minimum_isolation = {};
    std::string software = {};  // an exact rule
  };
  // Runs and waits for the answer; aborts the test program when none comes within two minutes.
  base::Result<run::Report> Ask(run::Payload payload, const Given& given) const;
  base::Result<run::Report> Snippet(std::string code, const Given& given) const;
};

struct Law {
  enum class Group { kBehaviour, kWall };
  // Who gets what the law keeps apart where there is no wall.
  enum class BrokenBy { kAnyone, kRoot };
  std::string_view id;
  Group group;
  Ability needs;
  // Empty when the law holds, else what was seen instead.
  std::string (*broken)(const Subject&);
  BrokenBy broken_by = BrokenBy::kAnyone;
};

// Every law, behaviour first.
std::span<const Law> BehaviourLaws();
std::span<const Law> ProjectLaws();
std::span<const Law> WallLaws();

}  // namespace plimsoll::testkit
