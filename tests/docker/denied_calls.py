"""The system calls that the shipped seccomp profile denies: (name, errno, group). denied_calls.c makes each, docs/reference/seccomp.md
lists each with the reason of its group."""
import errno

EPERM, ENOSYS = errno.EPERM, errno.ENOSYS

GROUPS = {
    "Reading and steering other processes": [
        ("ptrace", EPERM), ("process_vm_readv", EPERM), ("process_vm_writev", EPERM), ("ptrace of 32-bit x86", EPERM)],
    "io_uring": [("io_uring_setup", EPERM), ("io_uring_enter", EPERM), ("io_uring_register", EPERM)],
    "Tools for exploits of the kernel": [("userfaultfd", EPERM), ("perf_event_open", EPERM), ("bpf", EPERM)],
    "The key ring": [("add_key", EPERM), ("request_key", EPERM), ("keyctl", EPERM)],
    "Namespaces": [
        ("unshare(CLONE_NEWUSER)", EPERM), ("unshare(CLONE_NEWNET)", EPERM), ("setns", EPERM),
        ("clone(CLONE_NEWUSER)", EPERM), ("clone(CLONE_NEWNS)", EPERM), ("clone(CLONE_NEWPID)", EPERM),
        ("clone(CLONE_NEWNET)", EPERM), ("clone(CLONE_NEWIPC)", EPERM), ("clone(CLONE_NEWUTS)", EPERM),
        ("clone(CLONE_NEWCGROUP)", EPERM), ("clone3", ENOSYS), ("unshare of 32-bit x86", EPERM)],
    "Mounts and roots": [
        ("mount", EPERM), ("umount2", EPERM), ("pivot_root", EPERM), ("chroot", EPERM), ("fsopen", EPERM), ("fsconfig", EPERM),
        ("fsmount", EPERM), ("fspick", EPERM), ("open_tree", EPERM), ("move_mount", EPERM), ("mount_setattr", EPERM),
        ("mount of 32-bit x86", EPERM)],
    "Files by handle": [("name_to_handle_at", EPERM), ("open_by_handle_at", EPERM)],
    "Segments of the processor": [("modify_ldt", EPERM)],
    "The machine itself": [
        ("kexec_load", EPERM), ("kexec_file_load", EPERM), ("init_module", EPERM), ("finit_module", EPERM),
        ("delete_module", EPERM), ("reboot", EPERM), ("swapon", EPERM), ("swapoff", EPERM)],
    "Setting clocks": [
        ("settimeofday", EPERM), ("clock_settime", EPERM), ("adjtimex", EPERM), ("clock_adjtime", EPERM),
        ("stime of 32-bit x86", EPERM)],
    "SysV IPC": [
        ("shmget", EPERM), ("shmat", EPERM), ("shmdt", EPERM), ("shmctl", EPERM), ("semget", EPERM), ("semop", EPERM),
        ("semtimedop", EPERM), ("semctl", EPERM), ("msgget", EPERM), ("msgsnd", EPERM), ("msgrcv", EPERM), ("msgctl", EPERM),
        ("ipc of 32-bit x86", EPERM)],
    "Sockets other than AF_UNIX": [
        ("socket(AF_INET)", EPERM), ("socket(AF_INET6)", EPERM), ("socket(AF_NETLINK)", EPERM), ("socket(AF_PACKET)", EPERM),
        ("socket(AF_VSOCK)", EPERM), ("socket(AF_ALG)", EPERM), ("socketpair(AF_INET)", EPERM), ("socketpair(AF_TIPC)", EPERM),
        ("socket(AF_INET) of 32-bit x86", EPERM), ("socketcall(AF_INET) of 32-bit x86", ENOSYS)],
    "Personalities": [("personality(ADDR_NO_RANDOMIZE)", EPERM), ("personality(READ_IMPLIES_EXEC)", EPERM)],
    "Special files other than FIFOs": [
        ("mknodat of a character device", EPERM), ("mknodat of a block device", EPERM), ("mknodat of a regular file", EPERM),
        ("mknodat of a socket", EPERM), ("mknod of a character device", EPERM)],
}
DENIED = {name: code for rows in GROUPS.values() for name, code in rows}
# What the profile must not deny, each of which succeeds.
ALLOWED = ("mknodat of a FIFO", "mknod of a FIFO", "socket(AF_UNIX)", "socketpair(AF_UNIX)", "clone without a namespace",
           "personality(0)", "personality(0xffffffff)", "kill", "memfd_create", "inotify_init1", "timerfd_create", "signalfd4",
           "utime", "utimes")
# Not on every architecture.
X86_ONLY = {"modify_ldt", "mknod of a character device", "mknod of a FIFO", "utime", "utimes",
            *(name for name in DENIED if name.endswith("of 32-bit x86"))}
