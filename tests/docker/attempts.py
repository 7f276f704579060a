"""What a guest may try, and the exact outcome of each attempt.

An attempt is code in one of three languages. `node` is a snippet in the snippet image; `python` and `sh` are one step of a project
in the project image. Its outcome is what it prints and its exit code, one for both runtimes or one each. Python attempts have
`tell(function)`, which prints `ok` or the name of the error, and `call(number, ...)`, a raw system call that does the same.
"""
from dataclasses import dataclass, field

PRELUDE = '''
import ctypes, errno, os, signal, socket, stat, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def name(e): return errno.errorcode.get(e, str(e))
def call(number, *rest):
    ctypes.set_errno(0)
    rest = [ctypes.c_long(x) if isinstance(x, int) else x for x in rest]
    got = libc.syscall(ctypes.c_long(number), *rest)
    print("ok" if got >= 0 else name(ctypes.get_errno()), flush=True)
def tell(function):
    try: function(); print("ok", flush=True)
    except OSError as e: print(name(e.errno), flush=True)
def opened(path, flags=os.O_RDONLY): tell(lambda: os.close(os.open(path, flags)))
'''


@dataclass
class Attempt:
    name: str
    language: str
    code: str
    out: object  # text, {"runc": text, "runsc": text}, or texts where host kernels differ
    exit: object = 0
    timed_out: bool = False
    timeout_ms: int = 15000
    artifacts: list = field(default_factory=list)
    # the artifacts that come back, as (path, bytes); for a race, a function of them and of whether one was left out for its size
    kept: object = field(default_factory=list)
    outcome: object = "PROJECT_OUTCOME_COMPLETED"
    cut: tuple = (False, False)
    within: float = 0  # seconds until the answer, 0: not judged

    def of(self, value, runtime):
        return value[runtime] if isinstance(value, dict) else value


def node(name, code, out, **more):
    return Attempt(name, "node", code, out, **more)


def python(name, code, out, **more):
    return Attempt(name, "python", PRELUDE + code, out, **more)


def sh(name, code, out, **more):
    return Attempt(name, "sh", code, out, **more)


def errors(lines):
    return "\n".join(lines) + "\n"


def wrote(path):
    return f"try {{ require('fs').writeFileSync({path!r}, 'x'); console.log('ok') }} catch (e) {{ console.log(e.code) }}"


FILES = [
    node("writes_to_the_root", wrote("/x"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("writes_to_usr", wrote("/usr/bin/x"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("changes_passwd", wrote("/etc/passwd"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("changes_the_resolver", wrote("/etc/resolv.conf"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("changes_the_agents_program", wrote("/run/plimsoll-guest"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("removes_the_agents_program",
         "try { require('fs').unlinkSync('/run/plimsoll-guest'); console.log('ok') } catch (e) { console.log(e.code) }",
         {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("writes_the_kernels_settings", wrote("/proc/sys/kernel/core_pattern"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("pulls_the_sysrq_trigger", wrote("/proc/sysrq-trigger"), {"runc": ("EROFS\n", "ENOENT\n"), "runsc": "EACCES\n"}),
    node("writes_to_sys", wrote("/sys/kernel/uevent_helper"), {"runc": "EROFS\n", "runsc": "EACCES\n"}),
    node("leaves_its_cgroup", wrote("/sys/fs/cgroup/pids/tasks"), {"runc": ("EROFS\n", "ENOENT\n"), "runsc": "EACCES\n"}),
    node("reads_the_kernels_memory",
         "try { console.log(require('fs').readFileSync('/proc/kcore').length) } catch (e) { console.log(e.code) }",
         {"runc": ("0\n", "ENOENT\n"), "runsc": "ENOENT\n"}),
    node("reads_shadow",
         "try { require('fs').readFileSync('/etc/shadow'); console.log('ok') } catch (e) { console.log(e.code) }", "ENOENT\n"),
    node("lists_the_hosts_docker_socket", "console.log(require('fs').existsSync('/var/run/docker.sock'))", "false\n"),
    node("runs_a_program_from_tmp", """
const fs = require('fs'); fs.copyFileSync('/run/plimsoll-guest', '/tmp/x'); fs.chmodSync('/tmp/x', 0o755);
console.log(require('child_process').spawnSync('/tmp/x', ['probe']).error.code)""", "EACCES\n"),
    node("runs_a_program_from_shm", """
const fs = require('fs'); fs.copyFileSync('/run/plimsoll-guest', '/dev/shm/x'); fs.chmodSync('/dev/shm/x', 0o755);
console.log(require('child_process').spawnSync('/dev/shm/x', ['probe']).error.code)""", "EACCES\n"),
    sh("runs_a_program_from_work", "cp /bin/true x; chmod 755 x; ./x 2>/dev/null; echo $?", "126\n"),
    python("makes_a_device", "tell(lambda: os.mknod('/work/d', 0o666 | stat.S_IFBLK, os.makedev(8, 0)))", "EPERM\n"),
    python("opens_a_device_of_the_host", "\n".join(f"opened('/dev/{d}')" for d in ("mem", "kmsg", "sda", "vda", "fuse", "kvm")),
           # gVisor has a fuse device of its own, which mounting alone could use
           {"runc": errors(["ENOENT"] * 6), "runsc": errors(["ENOENT"] * 4 + ["ok", "ENOENT"])}),
    python("opens_a_file_by_handle", """
b = ctypes.create_string_buffer(b'\\x08\\0\\0\\0\\1\\0\\0\\0' + b'\\0' * 8)
call(304, -100, b, 0)""", {"runc": "EPERM\n", "runsc": "ENOTSUP\n"}),
    sh("finds_a_setuid_program_that_helps",
       "find / -type f -perm /6000 -not -path '/proc/*' 2>/dev/null; su -c id 2>/dev/null </dev/null; echo $?; id -u; id -G",
       "127\n61000\n61000\n"),
    python("links_a_file_of_the_image", "tell(lambda: os.link('/etc/passwd', '/work/p'))", {"runc": "EXDEV\n", "runsc": "EXDEV\n"}),
    python("XF7_looks_for_a_helper_with_privileges", """
for pid in sorted(filter(str.isdigit, os.listdir('/proc')), key=int):
    t = dict(l.split(':\\t', 1) for l in open('/proc/%s/status' % pid) if ':\\t' in l)
    print(sorted(set(t['Uid'].split() + t['Gid'].split())), int(t['CapPrm'], 16))
os.symlink('/etc/passwd', 'passwd'); os.symlink('/etc', 'etc')""", "['61000'] 0\n" * 3, artifacts=["passwd", "etc/passwd"]),
    python("XF8_writes_where_it_may", """
for d in ('/work', os.environ['HOME'], '/tmp', '/dev/shm'):
    open(d + '/f', 'w').write('yes')
    s = os.statvfs(d); print(d, open(d + '/f').read(), s.f_blocks * s.f_frsize >> 20)""",
           "/work yes 128\n/tmp yes 16\n/tmp yes 16\n/dev/shm yes 16\n"),
    node("XF8_writes_where_it_may_in_a_snippet", """
const fs = require('fs'), os = require('os');
for (const d of [os.homedir(), os.tmpdir()]) { fs.writeFileSync(d + '/f', 'yes'); console.log(d, fs.readFileSync(d + '/f', 'utf8')); }""",
         "/tmp yes\n/tmp yes\n"),
    python("uses_huge_names", """
tell(lambda: open('n' * 255, 'w').close()); tell(lambda: open('n' * 256, 'w').close())
tell(lambda: open('d/' * 2100 + 'x', 'w').close())""", errors(["ok", "ENAMETOOLONG", "ENAMETOOLONG"])),
]

NETWORK = [
    node("lists_interfaces", "console.log(require('fs').readFileSync('/proc/net/dev', 'utf8').match(/^ *\\w+(?=:)/gm).map(s => s.trim()).join())",
         "lo\n"),
    python("asks_the_metadata_address", """
def go():
    s = socket.socket(); s.settimeout(5); s.connect(('169.254.169.254', 80))
tell(go)""", {"runc": "EPERM\n", "runsc": "ENETUNREACH\n"}),
    python("sends_a_packet_to_the_host", """
def go():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); s.sendto(b'x', ('172.17.0.1', 53))
tell(go)""", {"runc": "EPERM\n", "runsc": "ENETUNREACH\n"}),
    python("XH1_asks_a_name_server", """
t = time.monotonic()
try: socket.getaddrinfo('example.com', 80); print('ok')
except socket.gaierror as e: print('refused', time.monotonic() - t < 3)""", "refused True\n"),
    python("connects_to_the_hosts_loopback", """
def go():
    s = socket.socket(); s.settimeout(5); s.connect(('127.0.0.1', HOST_PORT))
tell(go)""", {"runc": "EPERM\n", "runsc": "ECONNREFUSED\n"}),
    python("connects_to_an_abstract_socket_of_the_host", """
def go():
    s = socket.socket(socket.AF_UNIX); s.connect('\\0HOST_ABSTRACT')
tell(go)""", "ECONNREFUSED\n"),
    python("opens_a_raw_socket", "tell(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))", "EPERM\n"),
    python("opens_a_packet_socket", "tell(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))", "EPERM\n"),
    python("opens_a_netlink_socket", "tell(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))",
           {"runc": "EPERM\n", "runsc": "ok\n"}),
    python("opens_a_vsock", "tell(lambda: socket.socket(40, socket.SOCK_STREAM, 0))", {"runc": "EPERM\n", "runsc": "EAFNOSUPPORT\n"}),
]

CALLS = [
    python("mounts", "call(165, b'none', b'/work', b'tmpfs', 0, 0)", "EPERM\n"),
    python("unmounts", "call(166, b'/tmp', 2)", "EPERM\n"),
    python("pivots_the_root", "call(155, b'/work', b'/work')", "EPERM\n"),
    python("changes_the_root", "call(161, b'/work')", "EPERM\n"),
    python("makes_a_user_namespace", "call(272, 0x10000000)", {"runc": "EPERM\n", "runsc": "ok\n"}),
    python("makes_a_mount_namespace", "call(272, 0x00020000)", "EPERM\n"),
    python("makes_a_network_namespace", "call(272, 0x40000000)", "EPERM\n"),
    python("enters_a_namespace", "fd = os.open('/proc/self/ns/net', 0); call(308, fd, 0)", {"runc": "EPERM\n", "runsc": "EPERM\n"}),
    python("loads_a_bpf_program", "call(321, 5, 0, 0)", "EPERM\n"),
    python("opens_a_perf_event", "call(298, 0, 0, -1, -1, 0)", {"runc": "EPERM\n", "runsc": "ENODEV\n"}),
    python("uses_the_key_ring", "call(248, b'user', b'k', b'v', 1, -3); call(250, 0, -3, 0)",
           {"runc": errors(["EPERM"] * 2), "runsc": errors(["EACCES", "ok"])}),
    python("handles_page_faults", "call(323, 0)", {"runc": "EPERM\n", "runsc": "ENOSYS\n"}),
    python("sets_up_io_uring", "call(425, 8, ctypes.create_string_buffer(120))", {"runc": "EPERM\n", "runsc": "ENOSYS\n"}),
    python("loads_a_kernel_module", "call(175, 0, 0, b''); call(313, 0, b'', 0)",
           {"runc": errors(["EPERM"] * 2), "runsc": errors(["EPERM"] * 2)}),
    python("loads_a_kernel", "call(246, 0, 0, 0, 0)", {"runc": "EPERM\n", "runsc": "EPERM\n"}),
    python("reboots", "call(169, 0xfee1dead - 2**32, 672274793, 0x1234567, 0)", {"runc": "EPERM\n", "runsc": "EPERM\n"}),
    python("sets_the_clock", "call(227, 0, ctypes.create_string_buffer(16)); call(164, ctypes.create_string_buffer(16), 0)",
           errors(["EPERM"] * 2)),
    python("renames_the_host", "call(170, b'x', 1)", "EPERM\n"),
    python("becomes_root", "tell(lambda: os.setuid(0)); tell(lambda: os.setgid(0)); tell(lambda: os.setgroups([0]))",
           errors(["EPERM"] * 3)),
    python("swaps", "call(167, b'/work/x', 0)", {"runc": "EPERM\n", "runsc": "EPERM\n"}),
    # gVisor has a log of its own, with jokes in it and nothing of the host.
    python("reads_the_kernels_log", "b = ctypes.create_string_buffer(1 << 20); call(103, 3, b, 1 << 20); print(b'Starting gVisor' in b.raw)",
           {"runc": "EPERM\nFalse\n", "runsc": "ok\nTrue\n"}),
    python("talks_to_a_port", "call(172, 3)", "EPERM\n"),
    python("has_no_capability_and_no_new_privileges", """
t = open('/proc/self/status').read().split('\\n')
print([l.split()[1] for l in t if l.startswith(('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'))], [l for l in t if l.startswith('NoNewPrivs')])""",
           "['0000000000000000', '0000000000000000', '0000000000000000', '0000000000000000', '0000000000000000'] ['NoNewPrivs:\\t1']\n"),
]

SEE_AGENT = """
for path, flags in (('mem', 0), ('mem', 2), ('fd/0', 0), ('fd/1', 0), ('fd/1', 1), ('environ', 0), ('maps', 0)):
    opened('/proc/1/' + path, flags)
"""

AGENT = [
    python("reads_and_writes_the_agents_memory_and_descriptors", SEE_AGENT, errors(["EACCES"] * 7)),
    python("traces_the_agent", "call(101, 16, 1, 0, 0); call(101, 0x4206, 1, 0, 0)", errors(["EPERM"] * 2)),
    python("copies_the_agents_memory", """
b = ctypes.create_string_buffer(8)
class V(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('len', ctypes.c_size_t)]
v = V(ctypes.addressof(b), 8); r = V(0x400000, 8)
for number in (310, 311): call(number, 1, ctypes.byref(v), 1, ctypes.byref(r), 1, 0)""", errors(["EPERM"] * 2)),
    python("sends_the_agent_every_signal_it_can_catch", """
for s in range(1, 65):
    if s not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        try: os.kill(1, s)
        except OSError: pass
print('still here')""", "still here\n"),
    python("changes_the_agents_limits_and_priority", """
import resource
tell(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
try: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)); print('ok')
except OSError as e: print(name(e.errno))
print('still here')""", "ok\nok\nstill here\n"),
    python("looks_for_the_key", """
import glob
found = 0
for p in glob.glob('/proc/1/*'):
    try: found += len(open(p, 'rb').read(1 << 16)) if p.rsplit('/', 1)[1] in ('environ', 'auxv', 'stack', 'syscall') else 0
    except OSError: pass
print(open('/proc/1/cmdline', 'rb').read(), found)""", "b'/run/plimsoll-guest\\x00' 0\n"),
    python("forges_frames_on_every_descriptor", """
frame = (25 + 8).to_bytes(4, 'big') + b'd' + (1).to_bytes(4, 'big') + bytes(8) + bytes(4) + bytes(16)
for fd in range(1024):
    if fd not in (1, 2):
        try: os.write(fd, frame)
        except OSError: pass
os.write(1, frame); os.write(2, frame)""", "\x00\x00\x00\x21d\x00\x00\x00\x01" + "\x00" * 28),
    python("holds_no_descriptor_of_the_agent", "print(sorted(os.listdir('/proc/self/fd')))", "['0', '1', '2', '3']\n"),
    node("prints_a_start_marker_a_frame_and_a_report", r"""
process.stdout.write('plimsoll-started:0123456789abcdef\n\n<<<PLIMSOLL_REPORT_V3>>> 2 ' + '0'.repeat(64) + '\n{}');""",
         "plimsoll-started:0123456789abcdef\n\n<<<PLIMSOLL_REPORT_V3>>> 2 " + "0" * 64 + "\n{}"),
]

ENDS = [
    sh("kills_every_process_it_can", "sleep 60 & kill -9 -1; wait $! 2>/dev/null; echo $?", "137\n"),
    node("kills_itself", "process.kill(process.pid, 'SIGKILL')", "", exit=137),
    node("exits_with_a_large_code", "process.exit(258)", "", exit=2),
    python("closes_every_descriptor", "os.closerange(0, 1024); os._exit(3)", "", exit=3),
    python("leaves_a_child_that_holds_the_streams", """
if os.fork() == 0:
    os.setsid(); time.sleep(60); os._exit(0)
print('parent done')""", "parent done\n", within=5),
    python("ignores_every_signal_at_the_deadline", """
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
print('here', flush=True)
while True: time.sleep(1)""", "here\n", exit=124, timed_out=True, timeout_ms=2000, outcome="PROJECT_OUTCOME_TIMED_OUT", within=7),
    sh("leaves_a_hundred_zombies_and_orphans", "for i in $(seq 100); do (sleep 0 & ) ; done; echo done", "done\n"),
]

FLOODS = [
    python("prints_a_million_tiny_writes", "for i in range(1_000_000): os.write(1, b'x')", "x" * 1_000_000,
           timeout_ms=115000),
    python("floods_both_streams", """
b = b'o' * 65536
for i in range(64): os.write(1, b); os.write(2, b)""", "o" * (1 << 20), cut=(True, True), timeout_ms=30000),
    python("fills_tmp", """
def fill(d):
    n = 0
    try:
        with open(d + '/f', 'wb', buffering=0) as f:
            while n < 1 << 30: n += f.write(b'z' * (1 << 20))
    except OSError as e: print(name(e.errno), n >> 20)
fill('/tmp'); fill('/dev/shm'); fill('/work')""", "ENOSPC 16\nENOSPC 16\nENOSPC 127\n", timeout_ms=60000),
    # Its files are charged to its memory, which ends before the inodes do: under runc that ends the step, under gVisor the sandbox.
    python("fills_the_inodes", """
for n in range(3_000_000): open('/work/%d' % n, 'w').close()
print('all')""", "", exit=137, outcome={"runc": "PROJECT_OUTCOME_COMPLETED", "runsc": "PROJECT_OUTCOME_RUNNER_FAILED"}, timeout_ms=100000),
    # Memory is bounded where it is used: programs that reserve much more than they use, as Node and the JVM do, work.
    python("XE6_reserves_far_more_addresses_than_it_has_memory", """
import mmap
held = mmap.mmap(-1, 8 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
held[4 << 30] = 1
print(len(held) >> 30, open('/proc/self/limits').read().split('Max address space')[1].split()[0])""", "8 unlimited\n"),
    python("opens_too_many_files", """
fds = []
try:
    while True: fds.append(os.open('/dev/null', 0))
except OSError as e: print(name(e.errno), len(fds) < 4096)""", "EMFILE True\n"),
]

def grown(back, left_out):
    """The growing file, as long as it was at one moment of its growth; or, where it outgrew the cap before it was opened, nothing and said so."""
    if left_out:
        return back == []
    [(path, content)] = back or [("", b"")]
    return path == "big" and 1000 <= len(content) <= 8 << 20 and set(content) == set(b"x")


ARTIFACTS = [
    python("offers_what_is_no_file", """
os.mkfifo('fifo'); os.mkdir('dir'); os.symlink('/etc/passwd', 'out'); os.symlink('inside', 'in'); open('inside', 'w').write('yes')
os.symlink('/proc/1/environ', 'proc'); os.symlink('/dev/zero', 'zero'); os.symlink('loop', 'loop')
s = socket.socket(socket.AF_UNIX); s.bind('sock')
print('made')""", "made\n", artifacts=["fifo", "dir", "out", "in", "proc", "zero", "loop", "sock", "missing", "inside"],
           kept=[("in", b"yes"), ("inside", b"yes")]),
    python("swaps_a_parent_for_a_link_during_capture", """
os.mkdir('d'); open('d/passwd', 'w').write('inside'); os.mkdir('hold')
if os.fork() == 0:
    os.setsid()
    end = time.time() + 8
    while time.time() < end:
        try: os.rename('d', 'hold/d'); os.symlink('/etc', 'd'); os.unlink('d'); os.rename('hold/d', 'd')
        except OSError: pass
    os._exit(0)
print('swapping')""", "swapping\n", artifacts=["d/passwd"], kept=lambda back, left_out: not left_out and back in ([], [("d/passwd", b"inside")])),
    python("grows_an_artifact_for_ever", """
f = open('big', 'wb', buffering=0); f.write(b'x' * 1000)
if os.fork() == 0:
    os.setsid(); end = time.time() + 5
    while time.time() < end: f.write(b'x' * 1000)
    os._exit(0)
print('growing')""", "growing\n", artifacts=["big"], within=12, kept=grown),
]

ALL = FILES + NETWORK + CALLS + AGENT + ENDS + FLOODS + ARTIFACTS
