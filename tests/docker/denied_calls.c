// Makes each system call that the shipped seccomp profile denies, by number, in a child of its own, and prints one line a call:
// its name, and the errno it failed with (0: it succeeded; `signal N`: the child was killed). Then the same for calls that must be
// allowed. The arguments are such that the call does no harm where nothing denies it. Linked statically: any image can run it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Headers older than the call lack its number; these are the same on every architecture.
#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif

static const void *const kBad = (const void *)1;  // no memory is mapped there

static void Report(const char *name, int status) {
  if (WIFSIGNALED(status)) {
    printf("%s\tsignal %d\n", name, WTERMSIG(status));
  } else {
    printf("%s\t%d\n", name, WEXITSTATUS(status));
  }
  fflush(stdout);
}

static void Wait(const char *name, pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    printf("%s\tno child\n", name);
    return;
  }
  Report(name, status);
}

#define TRY(name, ...)                                 \
  do {                                                 \
    pid_t child = fork();                              \
    if (child == 0) {                                  \
      errno = 0;                                       \
      long result = __VA_ARGS__;                       \
      _exit(result == -1 ? errno : 0);                 \
    }                                                  \
    Wait(name, child);                                 \
  } while (0)

// A clone that succeeds has a child, which ends at once.
static long Clone(unsigned long flags) {
  long child = syscall(__NR_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}

static long Clone3(void) {
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  long child = syscall(__NR_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child;
}

#ifdef __x86_64__
// A call of 32-bit x86, which a 64-bit program can make too.
static long Call32(long number, long first, const void *second) {
  long result = 0;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(0), "S"(0), "D"(0) : "memory", "r8", "r9", "r10", "r11");
  int value = (int)result;
  if (value < 0 && value > -4096) {
    errno = -value;
    return -1;
  }
  return value;
}

static void Denied32(void) {
  int32_t *arguments = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (arguments == MAP_FAILED) return;
  arguments[0] = AF_INET;
  arguments[1] = SOCK_DGRAM;
  TRY("socketcall(AF_INET) of 32-bit x86", Call32(102, 1, arguments));
  TRY("socket(AF_INET) of 32-bit x86", Call32(359, AF_INET, (void *)(long)SOCK_DGRAM));
  TRY("ptrace of 32-bit x86", Call32(26, 0, NULL));
  TRY("mount of 32-bit x86", Call32(21, 0, NULL));
  TRY("unshare of 32-bit x86", Call32(310, CLONE_NEWUSER, NULL));
  TRY("stime of 32-bit x86", Call32(25, 1, NULL));
  TRY("ipc of 32-bit x86", Call32(117, 23, NULL));
}
#endif

static void Denied(void) {
  TRY("ptrace", syscall(__NR_ptrace, 0, 0, 0, 0));
  TRY("process_vm_readv", syscall(__NR_process_vm_readv, getpid(), 0, 0, 0, 0, 0));
  TRY("process_vm_writev", syscall(__NR_process_vm_writev, getpid(), 0, 0, 0, 0, 0));
  TRY("io_uring_setup", syscall(__NR_io_uring_setup, 1, kBad));
  TRY("io_uring_enter", syscall(__NR_io_uring_enter, -1, 0, 0, 0, 0, 0));
  TRY("io_uring_register", syscall(__NR_io_uring_register, -1, 0, 0, 0));
  TRY("userfaultfd", syscall(__NR_userfaultfd, -1));
  TRY("perf_event_open", syscall(__NR_perf_event_open, kBad, 0, -1, -1, 0));
  TRY("bpf", syscall(__NR_bpf, 0, kBad, 48));
  TRY("add_key", syscall(__NR_add_key, kBad, kBad, 0, 0, 0));
  TRY("request_key", syscall(__NR_request_key, kBad, kBad, kBad, 0));
  TRY("keyctl", syscall(__NR_keyctl, 0, -3, 1));
  TRY("unshare(CLONE_NEWUSER)", syscall(__NR_unshare, CLONE_NEWUSER));
  TRY("unshare(CLONE_NEWNET)", syscall(__NR_unshare, CLONE_NEWNET));
  TRY("setns", syscall(__NR_setns, -1, 0));
  TRY("clone(CLONE_NEWUSER)", Clone(CLONE_NEWUSER));
  TRY("clone(CLONE_NEWNS)", Clone(CLONE_NEWNS));
  TRY("clone(CLONE_NEWPID)", Clone(CLONE_NEWPID));
  TRY("clone(CLONE_NEWNET)", Clone(CLONE_NEWNET));
  TRY("clone(CLONE_NEWIPC)", Clone(CLONE_NEWIPC));
  TRY("clone(CLONE_NEWUTS)", Clone(CLONE_NEWUTS));
  TRY("clone(CLONE_NEWCGROUP)", Clone(CLONE_NEWCGROUP));
  TRY("clone3", Clone3());
  TRY("mount", syscall(__NR_mount, 0, 0, 0, 0, 0));
  TRY("umount2", syscall(__NR_umount2, 0, 0));
  TRY("pivot_root", syscall(__NR_pivot_root, 0, 0));
  TRY("chroot", syscall(__NR_chroot, 0));
  TRY("fsopen", syscall(__NR_fsopen, kBad, 0));
  TRY("fsconfig", syscall(__NR_fsconfig, -1, 0, 0, 0, 0));
  TRY("fsmount", syscall(__NR_fsmount, -1, 0, 0));
  TRY("fspick", syscall(__NR_fspick, -1, kBad, 0));
  TRY("open_tree", syscall(__NR_open_tree, -1, kBad, 0));
  TRY("move_mount", syscall(__NR_move_mount, -1, kBad, -1, kBad, 0));
  TRY("mount_setattr", syscall(__NR_mount_setattr, -1, kBad, 0, kBad, 32));
  TRY("name_to_handle_at", syscall(__NR_name_to_handle_at, -1, kBad, kBad, kBad, 0));
  TRY("open_by_handle_at", syscall(__NR_open_by_handle_at, -1, kBad, 0));
#ifdef __NR_modify_ldt
  TRY("modify_ldt", syscall(__NR_modify_ldt, 0, kBad, 16));
#endif
  TRY("kexec_load", syscall(__NR_kexec_load, 0, 17, 0, 0));
  TRY("kexec_file_load", syscall(__NR_kexec_file_load, -1, -1, 0, 0, -1L));
  TRY("init_module", syscall(__NR_init_module, kBad, 4096, kBad));
  TRY("finit_module", syscall(__NR_finit_module, -1, kBad, 0));
  TRY("delete_module", syscall(__NR_delete_module, kBad, 0));
  TRY("reboot", syscall(__NR_reboot, 0, 0, 0, 0));
  TRY("swapon", syscall(__NR_swapon, kBad, 0));
  TRY("swapoff", syscall(__NR_swapoff, kBad));
  TRY("settimeofday", syscall(__NR_settimeofday, kBad, 0));
  TRY("clock_settime", syscall(__NR_clock_settime, 999, kBad));
  TRY("adjtimex", syscall(__NR_adjtimex, kBad));
  TRY("clock_adjtime", syscall(__NR_clock_adjtime, 999, kBad));
  TRY("shmget", syscall(__NR_shmget, 0, 4096, 0600));
  TRY("shmat", syscall(__NR_shmat, -1, 0, 0));
  TRY("shmdt", syscall(__NR_shmdt, kBad));
  TRY("shmctl", syscall(__NR_shmctl, -1, 0, 0));
  TRY("semget", syscall(__NR_semget, 0, 1, 0600));
  TRY("semop", syscall(__NR_semop, -1, kBad, 1));
  TRY("semtimedop", syscall(__NR_semtimedop, -1, kBad, 1, 0));
  TRY("semctl", syscall(__NR_semctl, -1, 0, 0, 0));
  TRY("msgget", syscall(__NR_msgget, 0, 0600));
  TRY("msgsnd", syscall(__NR_msgsnd, -1, kBad, 0, 0));
  TRY("msgrcv", syscall(__NR_msgrcv, -1, kBad, 0, 0, 0));
  TRY("msgctl", syscall(__NR_msgctl, -1, 0, 0));
  TRY("socket(AF_INET)", syscall(__NR_socket, AF_INET, SOCK_STREAM, 0));
  TRY("socket(AF_INET6)", syscall(__NR_socket, AF_INET6, SOCK_STREAM, 0));
  TRY("socket(AF_NETLINK)", syscall(__NR_socket, AF_NETLINK, SOCK_RAW, 0));
  TRY("socket(AF_PACKET)", syscall(__NR_socket, AF_PACKET, SOCK_RAW, 0));
  TRY("socket(AF_VSOCK)", syscall(__NR_socket, AF_VSOCK, SOCK_STREAM, 0));
  TRY("socket(AF_ALG)", syscall(__NR_socket, AF_ALG, SOCK_SEQPACKET, 0));
  TRY("socketpair(AF_INET)", syscall(__NR_socketpair, AF_INET, SOCK_STREAM, 0, kBad));
  TRY("socketpair(AF_TIPC)", syscall(__NR_socketpair, AF_TIPC, SOCK_STREAM, 0, kBad));
  TRY("personality(ADDR_NO_RANDOMIZE)", syscall(__NR_personality, 0x0040000));
  TRY("personality(READ_IMPLIES_EXEC)", syscall(__NR_personality, 0x0400000));
  TRY("mknodat of a character device", syscall(__NR_mknodat, AT_FDCWD, "/tmp/c", S_IFCHR | 0600, 0x103));
  TRY("mknodat of a block device", syscall(__NR_mknodat, AT_FDCWD, "/tmp/b", S_IFBLK | 0600, 0x700));
  TRY("mknodat of a regular file", syscall(__NR_mknodat, AT_FDCWD, "/tmp/r", S_IFREG | 0600, 0));
  TRY("mknodat of a socket", syscall(__NR_mknodat, AT_FDCWD, "/tmp/s", S_IFSOCK | 0600, 0));
#ifdef __NR_mknod
  TRY("mknod of a character device", syscall(__NR_mknod, "/tmp/c2", S_IFCHR | 0600, 0x103));
#endif
}

static void Allowed(void) {
  int pair[2];
  TRY("allowed: mknodat of a FIFO", syscall(__NR_mknodat, AT_FDCWD, "/tmp/f", S_IFIFO | 0600, 0));
#ifdef __NR_mknod
  TRY("allowed: mknod of a FIFO", syscall(__NR_mknod, "/tmp/f2", S_IFIFO | 0600, 0));
#endif
  TRY("allowed: socket(AF_UNIX)", syscall(__NR_socket, AF_UNIX, SOCK_STREAM, 0));
  TRY("allowed: socketpair(AF_UNIX)", syscall(__NR_socketpair, AF_UNIX, SOCK_STREAM, 0, pair));
  TRY("allowed: clone without a namespace", Clone(0));
  TRY("allowed: personality(0)", syscall(__NR_personality, 0));
  TRY("allowed: personality(0xffffffff)", syscall(__NR_personality, 0xffffffff));
  TRY("allowed: kill", syscall(__NR_kill, getpid(), 0));
  TRY("allowed: memfd_create", syscall(__NR_memfd_create, "m", 0));
  TRY("allowed: inotify_init1", syscall(__NR_inotify_init1, 0));
  TRY("allowed: timerfd_create", syscall(__NR_timerfd_create, 1, 0));
  TRY("allowed: signalfd4", syscall(__NR_signalfd4, -1, "\0\0\0\0\0\0\0", 8, 0));
#ifdef __NR_utime
  TRY("allowed: utime", syscall(__NR_utime, "/tmp", 0) == -1 && errno != EPERM ? 0 : -1);
  TRY("allowed: utimes", syscall(__NR_utimes, "/tmp/none", 0) == -1 && errno == ENOENT ? 0 : -1);
#endif
}

int main(void) {
  Denied();
#ifdef __x86_64__
  Denied32();
#endif
  Allowed();
  return 0;
}
