"""A file tree in memory, and the tar that it always becomes, byte for byte.

Every entry belongs to root and carries one fixed time; entries are sorted by path; no file keeps a setuid or setgid bit. So equal
contents are equal archives, on any day and whoever builds.
"""
import fnmatch
import io
import posixpath
import tarfile
from dataclasses import dataclass

TIME = 1767225600  # 2026-01-01T00:00:00Z, of every entry and of the image
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # folders that are links into /usr


@dataclass(frozen=True)
class Entry:
    kind: bytes  # a type of tarfile: REGTYPE, DIRTYPE, SYMTYPE or LNKTYPE
    mode: int
    data: bytes = b""
    target: str = ""


def normal(path):
    """A path of an archive as a key: relative, without dots, and below /usr where Debian 12 has moved it."""
    path = posixpath.normpath("/" + path).lstrip("/")
    first, _, rest = path.partition("/")
    return f"usr/{path}" if first in MERGED and rest else path


class Tree:
    def __init__(self):
        self.entries = {}

    def put(self, path, entry):
        """Adds an entry; a directory never replaces what is there, and twice the same file must be the same file."""
        old = self.entries.get(path)
        if old is not None and entry.kind == tarfile.DIRTYPE:
            return
        if old is not None and old.kind != tarfile.DIRTYPE and old != entry:
            raise ValueError(f"two different files want to be /{path}")
        self.entries[path] = entry

    def file(self, path, data, mode=0o644):
        self.put(path, Entry(tarfile.REGTYPE, mode, data if isinstance(data, bytes) else data.encode()))

    def link(self, path, target):
        self.put(path, Entry(tarfile.SYMTYPE, 0o777, target=target))

    def directory(self, path, mode=0o755):
        self.entries[path] = Entry(tarfile.DIRTYPE, mode)

    def add_tar(self, stream):
        """Adds what a tar of a Debian package holds."""
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                path = normal(member.name)
                if path in ("", ".") or path in MERGED:
                    continue
                if member.isdir():
                    self.put(path, Entry(tarfile.DIRTYPE, 0o755))
                elif member.issym():
                    self.link(path, member.linkname)
                elif member.islnk():
                    self.put(path, Entry(tarfile.LNKTYPE, 0o644, target=normal(member.linkname)))
                elif member.isreg():
                    self.file(path, archive.extractfile(member).read(), member.mode & 0o755)
                else:
                    raise ValueError(f"/{path}: no image holds devices or FIFOs")

    def drop(self, patterns, keep=()):
        """Removes files and links that a pattern names; directories that stand empty afterwards go too."""
        def matches(path, globs):
            return any(fnmatch.fnmatchcase(path, glob) for glob in globs)

        self.entries = {path: entry for path, entry in self.entries.items()
                        if entry.kind == tarfile.DIRTYPE or not matches(path, patterns) or matches(path, keep)}
        used = {parent for path, entry in self.entries.items() if entry.kind != tarfile.DIRTYPE for parent in parents(path)}
        self.entries = {path: entry for path, entry in self.entries.items() if entry.kind != tarfile.DIRTYPE or path in used}

    def minus(self, base):
        """What a layer on top of `base` has to hold."""
        above = Tree()
        above.entries = {path: entry for path, entry in self.entries.items() if base.entries.get(path) != entry}
        missing = set(base.entries) - set(self.entries)
        if missing:
            raise ValueError(f"the image below has what this one has not: {sorted(missing)[:5]}")
        return above

    def write(self, out):
        """Writes the tar to the binary file `out`."""
        for path, entry in self.entries.items():
            for parent in parents(path):
                if self.entries.get(parent, Entry(tarfile.DIRTYPE, 0o755)).kind != tarfile.DIRTYPE:
                    raise ValueError(f"/{path} lies below /{parent}, which is no directory")
            if entry.kind == tarfile.LNKTYPE and entry.target not in self.entries:
                raise ValueError(f"/{path} is a hard link to /{entry.target}, which is not here")
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            # Hard links come after all files, so that what they name is there.
            for path, entry in sorted(self.entries.items(), key=lambda item: (item[1].kind == tarfile.LNKTYPE, item[0])):
                info = tarfile.TarInfo(path)
                info.type, info.mode, info.linkname = entry.kind, entry.mode, entry.target
                info.size, info.mtime = len(entry.data), TIME
                archive.addfile(info, io.BytesIO(entry.data))


def parents(path):
    while path := posixpath.dirname(path):
        yield path
