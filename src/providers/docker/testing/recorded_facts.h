#pragma once

#include <string_view>

// What the probes printed in containers of a real engine (20.10.24, runc 1.1.5, a current runsc, control groups v1,
// x86-64), under the settings of every sandbox and with one of them left out. Host paths in options are shortened.
namespace plimsoll::docker::recorded {

// --- all settings applied, with a /work of 128 MiB

inline constexpr std::string_view kRunc = R"json({"probe":"root-write","result":"EROFS"}
{"probe":"mounts","rows":[["/","overlay","ro,relatime,lowerdir=/l/W7:/l/O5,upperdir=/u,workdir=/w"],["/proc","proc","rw,nosuid,nodev,noexec,relatime"],["/dev","tmpfs","rw,nosuid,size=65536k,mode=755"],["/dev/pts","devpts","rw,nosuid,noexec,relatime,gid=5,mode=620,ptmxmode=666"],["/sys","sysfs","ro,nosuid,nodev,noexec,relatime"],["/sys/fs/cgroup","tmpfs","rw,nosuid,nodev,noexec,relatime,mode=755"],["/sys/fs/cgroup/pids","cgroup","ro,nosuid,nodev,noexec,relatime,pids"],["/dev/mqueue","mqueue","rw,nosuid,nodev,noexec,relatime"],["/tmp","tmpfs","rw,nosuid,nodev,noexec,relatime,size=16384k"],["/work","tmpfs","rw,nosuid,nodev,noexec,relatime,size=131072k"],["/run/plimsoll-guest","ext4","ro,relatime"],["/etc/resolv.conf","ext4","ro,relatime"],["/etc/hostname","ext4","ro,relatime"],["/etc/hosts","ext4","ro,relatime"],["/dev/shm","tmpfs","rw,nosuid,nodev,noexec,relatime,size=16384k"],["/proc/bus","proc","ro,nosuid,nodev,noexec,relatime"],["/proc/keys","tmpfs","rw,nosuid,size=65536k,mode=755"],["/sys/firmware","tmpfs","ro,relatime"]]}
{"probe":"writable","tried":29,"writable":["/dev/mqueue","/dev/shm","/tmp","/work"]}
{"probe":"identity","uid":["61000","61000","61000","61000"],"gid":["61000","61000","61000","61000"],"groups":["61000"],"cap_inh":["0000000000000000"],"cap_prm":["0000000000000000"],"cap_eff":["0000000000000000"],"cap_bnd":["0000000000000000"],"cap_amb":["0000000000000000"],"no_new_privs":["1"],"seccomp":["2"]}
{"probe":"interfaces","names":["lo"]}
{"probe":"cgroup","pids_max":"256","memory_max":"268435456","swap_max":"absent","memory_and_swap_max":"268435456","cpu_max":"absent","cpu_quota_us":"100000","cpu_period_us":"100000"}
{"probe":"unix-socket","result":"ok","reply":"plimsoll-host"}
{"probe":"agent-hidden","fd0_read":"EACCES","fd1_read":"EACCES","fd1_write":"EACCES","mem":"EACCES","environ":"EACCES","maps":"EACCES","ptrace_attach":"EPERM","ptrace_seize":"EPERM","vm_read":"EPERM","vm_write":"EPERM"}
{"probe":"fill","directory":"/tmp","bytes":16777216,"result":"ENOSPC"}
{"probe":"fill","directory":"/dev/shm","bytes":16777216,"result":"ENOSPC"}
{"probe":"fill","directory":"/work","bytes":134217728,"result":"ENOSPC"}
)json";

inline constexpr std::string_view kRunsc = R"json({"probe":"root-write","result":"EACCES"}
{"probe":"mounts","rows":[["/","9p","ro,trans=fd,rfdno=4,wfdno=4,aname=/,dcache=1000,directfs"],["/tmp","tmpfs","rw,nosuid,noexec,size=16384k"],["/dev","dev","rw,nosuid,mode=0755"],["/sys","sysfs","ro,nosuid,noexec,dentry_cache_limit=1000"],["/proc","proc","rw,nosuid,noexec,dentry_cache_limit=1000"],["/work","tmpfs","rw,nosuid,noexec,size=131072k,mode=1777"],["/dev/pts","devpts","rw,nosuid,noexec"],["/dev/shm","tmpfs","rw,nosuid,noexec,size=16384k"],["/etc/hosts","9p","ro,trans=fd,rfdno=8,wfdno=8,aname=/,directfs"],["/sys/fs/cgroup","tmpfs","ro,nosuid,noexec"],["/sys/fs/cgroup/pids","cgroup","rw,pids"],["/run/plimsoll-guest","9p","ro,trans=fd,rfdno=5,wfdno=5,aname=/,directfs"]]}
{"probe":"writable","tried":20,"writable":["/dev/shm","/tmp","/work"]}
{"probe":"identity","uid":["61000","61000","61000","61000"],"gid":["61000","61000","61000","61000"],"groups":["61000"],"cap_inh":["0000000000000000"],"cap_prm":["0000000000000000"],"cap_eff":["0000000000000000"],"cap_bnd":["0000000000000000"],"cap_amb":["0000000000000000"],"no_new_privs":["1"],"seccomp":["0"]}
{"probe":"interfaces","names":["lo"]}
{"probe":"cgroup","pids_max":"max","memory_max":"268435456","swap_max":"absent","memory_and_swap_max":"absent","cpu_max":"absent","cpu_quota_us":"100000","cpu_period_us":"100000"}
{"probe":"unix-socket","result":"ok","reply":"plimsoll-host"}
{"probe":"agent-hidden","fd0_read":"EACCES","fd1_read":"EACCES","fd1_write":"EACCES","mem":"EACCES","environ":"EACCES","maps":"EACCES","ptrace_attach":"EPERM","ptrace_seize":"EPERM","vm_read":"EPERM","vm_write":"EPERM"}
{"probe":"fill","directory":"/tmp","bytes":16777216,"result":"ENOSPC"}
{"probe":"fill","directory":"/dev/shm","bytes":16777216,"result":"ENOSPC"}
{"probe":"fill","directory":"/work","bytes":134217728,"result":"ENOSPC"}
{"probe":"kernel-log","result":"ok","line":"[    0.000000] Starting gVisor..."}
)json";

// Limits that hold: the last words before each was met.
inline constexpr std::string_view kMemoryHeld248 = "{\"probe\":\"memory\",\"mib\":248,\"result\":\"held\"}\n";  // runc
inline constexpr std::string_view kMemoryHeld232 = "{\"probe\":\"memory\",\"mib\":232,\"result\":\"held\"}\n";  // runsc
inline constexpr std::string_view kForkRefused = "{\"probe\":\"fork\",\"made\":254,\"result\":\"EAGAIN\"}\n";   // runc
inline constexpr std::string_view kForkMade144 = "{\"probe\":\"fork\",\"made\":144,\"result\":\"made\"}\n";     // runsc

// --- one setting left out

// Without --memory and --memory-swap, runc and runsc alike.
inline constexpr std::string_view kNoMemoryLimit = "{\"probe\":\"memory\",\"mib\":320,\"result\":\"held\"}\n";
inline constexpr std::string_view kNoMemoryLimitStated =
    R"json({"probe":"cgroup","pids_max":"256","memory_max":"9223372036854771712","swap_max":"absent","memory_and_swap_max":"9223372036854771712","cpu_max":"absent","cpu_quota_us":"100000","cpu_period_us":"100000"}
)json";
// Without --pids-limit, runc and runsc alike.
inline constexpr std::string_view kNoPidsLimit = "{\"probe\":\"fork\",\"made\":272,\"result\":\"ok\"}\n";
inline constexpr std::string_view kNoPidsLimitStated =
    R"json({"probe":"cgroup","pids_max":"max","memory_max":"268435456","swap_max":"absent","memory_and_swap_max":"268435456","cpu_max":"absent","cpu_quota_us":"100000","cpu_period_us":"100000"}
)json";
// Without --cpus. What the probe counts under runsc is more than it got: 1080 of 600 ms with a limit of one processor.
inline constexpr std::string_view kNoCpuLimitStated =
    R"json({"probe":"cgroup","pids_max":"256","memory_max":"268435456","swap_max":"absent","memory_and_swap_max":"268435456","cpu_max":"absent","cpu_quota_us":"-1","cpu_period_us":"100000"}
)json";
inline constexpr std::string_view kRunscCountsTooMuch =
    "{\"probe\":\"cpu\",\"threads\":2,\"wall_ms\":601,\"used_ms\":1080}\n";
// Without --read-only: a uid without rights in / is refused, but not for a read-only file system.
inline constexpr std::string_view kWritableRoot = R"json({"probe":"root-write","result":"EACCES"}
{"probe":"mounts","rows":[["/","overlay","rw,relatime,lowerdir=/l/PJ:/l/O5,upperdir=/u,workdir=/w"],["/tmp","tmpfs","rw,nosuid,nodev,noexec,relatime,size=16384k"],["/work","tmpfs","rw,nosuid,nodev,noexec,relatime,size=131072k"],["/dev/shm","tmpfs","rw,nosuid,nodev,noexec,relatime,size=16384k"]]}
)json";
// With --tmpfs /tmp:rw, a /work without a size and no tmpfs at /dev/shm but docker's own of 32 MiB.
inline constexpr std::string_view kTmpfsWithoutSize =
    R"json({"probe":"mounts","rows":[["/","overlay","ro,relatime"],["/tmp","tmpfs","rw,nosuid,noexec"],["/work","tmpfs","rw,nosuid,noexec,mode=1777"],["/dev/shm","tmpfs","rw,nosuid,noexec,size=32768k,mode=1777"]]}
{"probe":"fill","directory":"/tmp","bytes":25165824,"result":"ok"}
{"probe":"fill","directory":"/work","bytes":142606336,"result":"ok"}
{"probe":"fill","directory":"/dev/shm","bytes":25165824,"result":"ok"}
)json";
// Without --cap-drop and --security-opt no-new-privileges, as a user.
inline constexpr std::string_view kPrivileges =
    R"json({"probe":"identity","uid":["61000","61000","61000","61000"],"gid":["61000","61000","61000","61000"],"groups":["61000"],"cap_inh":["0000000000000000"],"cap_prm":["0000000000000000"],"cap_eff":["0000000000000000"],"cap_bnd":["00000000a80425fb"],"cap_amb":["0000000000000000"],"no_new_privs":["0"],"seccomp":["2"]}
)json";
// Without --user.
inline constexpr std::string_view kRoot =
    R"json({"probe":"identity","uid":["0","0","0","0"],"gid":["0","0","0","0"],"groups":["0"],"cap_inh":["0000000000000000"],"cap_prm":["00000000a80425fb"],"cap_eff":["00000000a80425fb"],"cap_bnd":["00000000a80425fb"],"cap_amb":["0000000000000000"],"no_new_privs":["0"],"seccomp":["2"]}
)json";
// With --network host.
inline constexpr std::string_view kHostNetwork =
    "{\"probe\":\"interfaces\",\"names\":[\"lo\",\"ifb0\",\"ifb1\",\"eth0\"]}\n";
// With an agent that has not made itself non-dumpable: runc, then runsc.
inline constexpr std::string_view kOpenAgent =
    R"json({"probe":"agent-hidden","fd0_read":"ok","fd1_read":"ok","fd1_write":"ok","mem":"ok","environ":"ok","maps":"ok","ptrace_attach":"EPERM","ptrace_seize":"EPERM","vm_read":"EPERM","vm_write":"EPERM"}
)json";
inline constexpr std::string_view kOpenAgentRunsc =
    R"json({"probe":"agent-hidden","fd0_read":"ok","fd1_read":"ok","fd1_write":"ok","mem":"ok","environ":"ok","maps":"ok","ptrace_attach":"EPERM","ptrace_seize":"EPERM","vm_read":"EFAULT","vm_write":"EFAULT"}
)json";

}  // namespace plimsoll::docker::recorded
