"""What stands in an image: packages, less what nobody needs at run time, and what no package brings."""
import fnmatch
import os
import tarfile
import tempfile
from pathlib import Path

import debian
from tree import Entry, Tree, parents

HERE = Path(__file__).resolve().parent
GUEST = 61000  # the default of SANDBOX_GUEST_UID
NOT_WANTED = ("usr/share/doc/*", "usr/share/man/*", "usr/share/info/*", "usr/share/locale/*", "usr/share/lintian/*",
              "usr/share/bash-completion/*", "usr/share/doc-base/*", "usr/share/menu/*", "usr/share/pixmaps/*",
              "usr/share/applications/*", "usr/share/bug/*", "usr/share/gdb/*", "usr/share/gcc*",
              "usr/share/base-files/*", "usr/share/common-licenses/*gz", "var/cache/*", "var/log/*",
              "etc/init.d/*", "etc/cron*", "etc/logrotate.d/*", "etc/update-motd.d/*", "usr/lib/systemd/*", "etc/apt/*",
              "usr/lib/tmpfiles.d/*", "usr/lib/sysusers.d/*", "etc/sysctl*", "usr/lib/pcrlock.d/*", "usr/lib/{multiarch}/perl*")
WANTED = ("usr/share/doc/*/copyright",)


class Platform:
    def __init__(self):
        self.architecture = debian.run(["dpkg", "--print-architecture"]).decode().strip()
        known = {"amd64": ("x64", "x86_64-linux-gnu", "lib64/ld-linux-x86-64.so.2"),
                 "arm64": ("arm64", "aarch64-linux-gnu", "lib/ld-linux-aarch64.so.1")}
        if self.architecture not in known:
            raise RuntimeError(f"images are built for amd64 and arm64, and this machine is {self.architecture}")
        self.npm, self.multiarch, self.loader = known[self.architecture]
        self.name = f"linux/{self.architecture}"

    def fill(self, text):
        return text.replace("{multiarch}", self.multiarch)


def skeleton(tree, platform, shell):
    """What no package brings: the merged /usr, mount points, and the users that programs look up."""
    for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/local/bin", "dev", "proc", "sys", "run", "etc", "var/tmp", "root"):
        tree.directory(name)
    for name in ("bin", "sbin", "lib") + (("lib64",) if platform.loader.startswith("lib64") else ()):
        tree.link(name, f"usr/{name}")
    if platform.loader.startswith("lib64"):
        tree.directory("usr/lib64")
    tree.directory("tmp", 0o1777)
    tree.directory("var/tmp", 0o1777)
    tree.directory("root", 0o700)
    tree.file("etc/passwd", f"root:x:0:0:root:/root:{shell}\nguest:x:{GUEST}:{GUEST}:guest:/tmp:{shell}\n"
                            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n")
    tree.file("etc/group", f"root:x:0:\nguest:x:{GUEST}:\nnogroup:x:65534:\n")
    tree.file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")


def add_folder(tree, source, target):
    """Adds a folder of the disk, modes reduced to whether a file is executable."""
    for path in sorted(source.rglob("*")):
        name = f"{target}/{path.relative_to(source)}"
        if path.is_symlink():
            tree.link(name, os.readlink(path))
        elif path.is_file():
            tree.file(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)


def add_node(tree, package):
    tree.file("usr/local/bin/node", (package / "bin/node").read_bytes(), 0o755)
    tree.file("usr/share/doc/node/copyright", (package / "LICENSE").read_bytes())


def compile_python(tree, platform):
    """Adds the compiled form of every Python module, made by the image's own interpreter. Without it each start would compile
    what it imports again, because the root file system is read-only. Nothing is checked against the source at run time."""
    libraries = f"usr/lib/{platform.multiarch}"
    wanted = ("usr/bin/python3.11", "usr/lib/python3*", f"{libraries}/*")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, entry in sorted(tree.entries.items()):
            if entry.kind == tarfile.DIRTYPE or not any(fnmatch.fnmatchcase(path, glob) for glob in wanted):
                continue
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if entry.kind == tarfile.SYMTYPE:
                (root / path).symlink_to(entry.target)
            else:
                (root / path).write_bytes(entry.data)
                (root / path).chmod(entry.mode)
        program = ("import compileall, py_compile, sys\n"
                   "for folder in sys.argv[2:]:\n"
                   "    compileall.compile_dir(sys.argv[1] + folder, stripdir=sys.argv[1], prependdir='/', quiet=2, force=True,\n"
                   "                           maxlevels=50, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n")
        command = [root / libraries / Path(platform.loader).name, "--library-path", root / libraries,
                   root / "usr/bin/python3.11", "-S", "-B", "-c", program, root, "/usr/lib/python3.11", "/usr/lib/python3"]
        debian.run(command, env={"PYTHONHOME": str(root / "usr"), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "PATH": "/nonexistent"})
        for path in sorted(root.rglob("*.pyc")):
            tree.file(str(path.relative_to(root)), path.read_bytes())


def make_tree(recipe, platform, packages, npm):
    """The whole tree of one image. `packages`: Debian's; `npm`: the folder with the installed lock files."""
    tree = Tree()
    for package in packages:
        debian.unpack(package, tree)
    tree.drop([platform.fill(glob) for glob in (*NOT_WANTED, *recipe["drop"])], WANTED)
    skeleton(tree, platform, recipe["shell"])
    for path, target in recipe["links"].items():
        path = platform.fill(path)
        tree.entries.pop(path, None)
        tree.link(path, platform.fill(target))
    if recipe["node"]:
        add_node(tree, npm / f"node/node_modules/node-linux-{platform.npm}")
    if recipe["node_modules"]:
        add_folder(tree, npm / "tools/node_modules", "node_modules")
        tree.entries.pop("node_modules/.package-lock.json")
        tree.file("usr/local/bin/npx", (HERE / "npx").read_bytes(), 0o755)
    if recipe["compile_python"]:
        compile_python(tree, platform)
    if recipe["config"]["WorkingDir"] != "/":
        # runc gives a tmpfs the mode of the directory it covers, whatever the mount asks for.
        tree.directory(recipe["config"]["WorkingDir"].lstrip("/"), 0o1777)
    for path in list(tree.entries):
        for parent in parents(path):
            tree.put(parent, Entry(tarfile.DIRTYPE, 0o755))
    return tree
