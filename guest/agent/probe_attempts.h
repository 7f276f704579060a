#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

// The attempts of `plimsoll-guest probe`, one function each. Each prints its facts as lines on stdout, never judges,
// and leaves nothing behind. They run as guest processes: with the guest's uid, limits and filter.
namespace plimsoll::guest {

// Creates a file in `/`.
void ProbeRootWrite();
// The rows of /proc/self/mounts: target, type, options (at most 512 bytes of them).
void ProbeMounts();
// Tries to write at every mount point: creates a file, or else a directory, in a directory; opens a regular file for
// appending and writes nothing, since one of them could be /proc/sysrq-trigger. Devices, sockets and pipes are left
// out.
void ProbeWritable();
// Writes one file in `directory` until the kernel refuses or `mib` MiB are in it, and removes it.
void ProbeFill(const std::string& directory, std::uint32_t mib);

// Uids, gids, groups, capabilities, no_new_privs and the seccomp mode, of /proc/self/status.
void ProbeIdentity();
// The names in /proc/net/dev.
void ProbeInterfaces();
// The limits as the control groups state them: v2, else v1.
void ProbeCgroup();

// The first line of the kernel's log: at most 512 bytes read and 120 printable ones kept. Says nothing of any wall.
void ProbeKernelLog();

// Sends `line` to the Unix socket at `path` and reads a line back; waits at most 3 s for each part of it.
void ProbeUnixSocket(const std::string& path, std::string_view line);

// Everything that could show or change what process `pid` holds: its descriptors 0 and 1, memory, environment and maps;
// ptrace; process_vm_readv and process_vm_writev. What was attached to is let go.
void ProbeHidden(std::int32_t pid);

// Touches memory until it is stopped or `mib` MiB are held; says how far it is every 8 MiB.
void ProbeMemory(std::uint32_t mib);
// Makes processes that wait, until one is refused or `count` are there; says how far it is every 16; then ends and
// reaps them.
void ProbeFork(std::uint32_t count);
// Computes on `threads` threads for that long and states the processor time it got.
void ProbeCpu(std::chrono::milliseconds wall, std::uint32_t threads);

}  // namespace plimsoll::guest
