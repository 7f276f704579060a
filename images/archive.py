"""An image as bytes: configuration, manifest, and one archive that both stores of docker load.

The archive is an OCI layout with docker's `manifest.json` beside it. The classic store takes the digest of the configuration as
the image's id; the containerd store, and a registry that the blobs are pushed to unchanged, take the digest of the manifest.
Layers are not compressed, because compressed bytes depend on who compressed them.
"""
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tree import TIME

CREATED = "2026-01-01T00:00:00Z"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def digest_of(path):
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def descriptor(kind, digest, size):
    return {"mediaType": kind, "digest": digest, "size": size}


@dataclass
class Image:
    tag: str
    platform: str  # os/architecture
    config: bytes
    layers: list  # (digest, Path) from the lowest

    @property
    def id(self):
        return "sha256:" + hashlib.sha256(self.config).hexdigest()

    @property
    def manifest(self):
        layers = [descriptor(LAYER, digest, path.stat().st_size) for digest, path in self.layers]
        return canonical({"schemaVersion": 2, "mediaType": MANIFEST, "config": descriptor(CONFIG, self.id, len(self.config)),
                          "layers": layers})

    @property
    def digest(self):
        return "sha256:" + hashlib.sha256(self.manifest).hexdigest()

    @property
    def identity(self):
        return f"oci-manifest:{self.platform}@{self.digest}"

    def blobs(self):
        """(digest, bytes or Path) of everything the manifest names, and of itself."""
        yield from self.layers
        yield self.id, self.config
        yield self.digest, self.manifest


def make(tag, platform, settings, labels, layers):
    """`settings`: the `config` object of the image, without labels."""
    system, architecture = platform.split("/")
    config = {"architecture": architecture, "os": system, "created": CREATED, "config": {**settings, "Labels": labels},
              "rootfs": {"type": "layers", "diff_ids": [digest for digest, _ in layers]},
              "history": [{"created": CREATED, "created_by": "images/build.py"} for _ in layers]}
    return Image(tag, platform, canonical(config), layers)


def blob(digest):
    return "blobs/" + digest.replace(":", "/")


def write(image, out):
    """Writes the archive to the binary file `out`."""
    repository, _, label = image.tag.rpartition(":")
    system, architecture = image.platform.split("/")
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
        {**descriptor(MANIFEST, image.digest, len(image.manifest)), "platform": {"os": system, "architecture": architecture},
         "annotations": {"io.containerd.image.name": f"docker.io/{repository}:{label}", "org.opencontainers.image.ref.name": label}}]}
    listing = [{"Config": blob(image.id), "RepoTags": [image.tag], "Layers": [blob(digest) for digest, _ in image.layers]}]
    members = {blob(digest): content for digest, content in image.blobs()}
    members |= {"index.json": canonical(index), "manifest.json": canonical(listing),
                "oci-layout": canonical({"imageLayoutVersion": "1.0.0"})}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(members.items()):
            info = tarfile.TarInfo(name)
            info.mtime = TIME
            with open(content, "rb") if isinstance(content, Path) else io.BytesIO(content) as source:
                info.size = source.seek(0, io.SEEK_END)
                source.seek(0)
                archive.addfile(info, source)
