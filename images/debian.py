"""Debian packages by apt and dpkg-deb, without root: resolved, fetched and taken apart, never installed.

apt works in folders of its own with an empty list of installed packages. It takes the machine's sources for Debian 12, and of
these only what Debian's own archive key has signed.
"""
import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SUITES = {"bookworm", "bookworm-updates", "bookworm-security"}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True, order=True)
class Package:
    name: str
    version: str
    architecture: str
    sha256: str
    file: Path

    def line(self):
        return f"debian {self.name} {self.version} {self.architecture} sha256:{self.sha256}"


def run(command, **options):
    done = subprocess.run(command, capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return done.stdout


def machine_sources(folder=Path("/etc/apt")):
    """(URI, suites) of each source of the machine that names a suite of Debian 12 and is not signed by somebody else."""
    found = []
    lists = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list"))]
    for path in filter(Path.exists, lists):
        for line in path.read_text().splitlines():
            if match := re.match(r"deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)", line):
                found.append((match[1] or "", [match[2]], [match[3]], match[4].split()))
    for path in sorted((folder / "sources.list.d").glob("*.sources")):
        text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
        for stanza in re.split(r"\n\s*\n", text):
            field = {key.lower(): value for key, value in re.findall(r"^([\w-]+):[ \t]*(.*)$", stanza, re.MULTILINE)}
            if "deb" in field.get("types", "").split() and field.get("enabled", "yes").lower() != "no":
                signed = f"signed-by={field['signed-by']}" if "signed-by" in field else ""
                found.append((signed, field["uris"].split(), field["suites"].split(), field.get("components", "").split()))
    for options, uris, suites, components in found:
        wanted = [suite for suite in suites if suite in SUITES]
        if wanted and "main" in components and ("signed-by" not in options or KEYRING in options):
            for uri in uris:
                yield uri, wanted


class Apt:
    def __init__(self, folder, architecture):
        self.folder, self.architecture = folder, architecture
        for name in ("state/lists/partial", "cache/archives/partial", "none/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").write_text("")
        sources = "".join(f"deb [signed-by={KEYRING}] {uri} {suite} main\n" for uri, suites in machine_sources() for suite in suites)
        if not sources:
            raise RuntimeError("no source of Debian 12 in /etc/apt: the images are made of its packages (suites bookworm, "
                               "bookworm-updates, bookworm-security; component main)")
        (folder / "sources.list").write_text(sources)

    def _apt(self, *arguments):
        options = {"Dir::State": self.folder / "state", "Dir::State::status": self.folder / "status",
                   "Dir::Cache": self.folder / "cache", "Dir::Etc::sourcelist": self.folder / "sources.list",
                   "Dir::Etc::sourceparts": "/dev/null", "Dir::Etc::preferences": "/dev/null",
                   "Dir::Etc::preferencesparts": "/dev/null", "APT::Architecture": self.architecture,
                   "APT::Architectures": self.architecture, "APT::Install-Recommends": "false",
                   "APT::Sandbox::User": "", "Acquire::Languages": "none", "Acquire::Retries": "3"}
        words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return run(["apt-get", *words, "-qq", *arguments], env={**os.environ, "LC_ALL": "C"})

    def update(self):
        self._apt("update", "--error-on=any")

    def fetch(self, names):
        """The packages named and what they depend on, from the newest list that `update` brought."""
        # apt names only what it would fetch, so it is asked with an empty cache.
        uris = self._apt("install", "--print-uris", "-y", "-o", f"Dir::Cache::archives={self.folder / 'none'}", *names).decode()
        self._apt("install", "--download-only", "-y", *names)
        packages = []
        for file in re.findall(r"^'\S+' (\S+\.deb) ", uris, re.MULTILINE):
            path = self.folder / "cache/archives" / file
            name, version, architecture = file.removesuffix(".deb").replace("%3a", ":").split("_")
            packages.append(Package(name, version, architecture, hashlib.sha256(path.read_bytes()).hexdigest(), path))
        return sorted(packages)

    def forget_others(self, packages):
        """Removes packages that were fetched for an older build."""
        wanted = {package.file for package in packages}
        for path in (self.folder / "cache/archives").glob("*.deb"):
            if path not in wanted:
                path.unlink()


def unpack(package, tree):
    """Adds the files of a package, and its control file where scanners of images look for it."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package.file], stdout=subprocess.PIPE) as process:
        tree.add_tar(process.stdout)
    if process.returncode != 0:
        raise RuntimeError(f"dpkg-deb cannot read {package.file}")
    tree.file(f"var/lib/dpkg/status.d/{package.name}", run(["dpkg-deb", "--field", package.file]))
