#!/usr/bin/env python3
"""Builds the sandbox images from Debian packages and npm, without root and without an image registry, and loads them.

usage: build.py [--host unix:///PATH] [--refresh]   build what is not built yet, load what the engine does not have
       build.py --no-load [--refresh]               build only
       build.py --check [--host unix:///PATH]       exit 1 where the engine's images are not of this recipe; builds nothing
       build.py --prove                             build twice from nothing and compare; exit 1 where a byte differs

Prints one line an image: its tag, its id and its identity. Without --host the engine is that of DOCKER_HOST. A build is kept until
the recipe changes; --refresh asks Debian for newer versions of the packages. images/README.md says more.
"""
import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import archive
import debian
from contents import Platform, make_tree
from engine import Engine, EngineError
from tree import Tree

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plimsoll/images"
NAMES = ("snippet", "project")  # each stands on the one before
RECIPE = ("build.py", "contents.py", "tree.py", "debian.py", "archive.py", "snippet.json", "project.json", "npx",
          "node/package-lock.json", "tools/package-lock.json")


def recipe_digest():
    """Of everything in this folder that a build reads: known without network and without building."""
    lines = [f"{hashlib.sha256((HERE / name).read_bytes()).hexdigest()} {name}\n" for name in sorted(RECIPE)]
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


def npm_packages(name, target):
    """Installs the locked packages of `name` into `target`/node_modules; (name, version, integrity) of each."""
    target.mkdir(parents=True)
    for file in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name / file, target / file)
    debian.run(["npm", "ci", "--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"], cwd=target)
    installed = json.loads((target / "node_modules/.package-lock.json").read_text())["packages"]
    return sorted((path.removeprefix("node_modules/"), package["version"], package["integrity"])
                  for path, package in installed.items() if (target / path).is_dir())


class Inputs:
    """What a build is made of, fetched: Debian packages by image, npm packages by folder."""

    def __init__(self, platform, work, apt_folder):
        self.platform, self.work = platform, work
        self.recipes = {name: json.loads((HERE / f"{name}.json").read_text()) for name in NAMES}
        apt = debian.Apt(apt_folder, platform.architecture)
        apt.update()
        fetched = {name: apt.fetch(recipe["debian"]) for name, recipe in self.recipes.items()}
        apt.forget_others({package for packages in fetched.values() for package in packages})
        self.debian = {name: [package for package in packages if package.name not in self.recipes[name]["leave_out"]]
                       for name, packages in fetched.items()}
        self.npm = {folder: npm_packages(folder, work / folder) for folder in ("node", "tools")}

    def text(self, name):
        """Every input of one image, a line each: what the label `io.plimsoll.inputs` is the digest of."""
        recipe = self.recipes[name]
        folders = [folder for folder, wanted in (("node", recipe["node"]), ("tools", recipe["node_modules"])) if wanted]
        lines = [f"plimsoll image inputs 1\nimage {name}\nplatform {self.platform.name}\nrecipe {recipe_digest()}\n"]
        lines += [package.line() + "\n" for package in self.debian[name]]
        lines += [f"npm {' '.join(package)}\n" for folder in folders for package in self.npm[folder]]
        return "".join(lines)


def build(inputs, folder):
    """Builds every image into `folder`; the images by name."""
    images, layers, below = {}, [], Tree()
    for name in NAMES:
        recipe, text = inputs.recipes[name], inputs.text(name)
        tree = make_tree(recipe, inputs.platform, inputs.debian[name], inputs.work)
        layer = folder / f"{name}.layer"
        with layer.open("wb") as out:
            tree.minus(below).write(out)
        layers, below = [*layers, (archive.digest_of(layer), layer)], tree
        labels = {"io.plimsoll.inputs": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
                  "io.plimsoll.recipe": recipe_digest()}
        images[name] = archive.make(recipe["tag"], inputs.platform.name, recipe["config"], labels, layers)
        (folder / f"{name}.inputs").write_text(text)
        (folder / f"{name}.config").write_bytes(images[name].config)
    return images


def kept(folder, platform):
    """The images of a finished build; None where there is none."""
    images, layers = {}, []
    try:
        digests = json.loads((folder / "finished").read_text())
        for name in NAMES:
            layers = [*layers, (digests[name], folder / f"{name}.layer")]
            config = (folder / f"{name}.config").read_bytes()
            if json.loads(config)["rootfs"]["diff_ids"] != [digest for digest, _ in layers] or not layers[-1][1].is_file():
                return None
            recipe = json.loads((HERE / f"{name}.json").read_text())
            images[name] = archive.Image(recipe["tag"], platform.name, config, list(layers))
    except (OSError, ValueError, KeyError):
        return None
    return images


def built(platform, refresh):
    """The images of this recipe: those that are kept, or new ones."""
    folder = CACHE / recipe_digest().replace(":", "-")
    images = None if refresh else kept(folder, platform)
    if images is not None:
        return images
    print("images: building, a minute or two", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        inputs = Inputs(platform, Path(work), CACHE / "apt")
        texts = {name: inputs.text(name) for name in NAMES}
        images = kept(folder, platform)
        if images and all((folder / f"{name}.inputs").read_text() == texts[name] for name in NAMES):
            return images
        (Path(work) / "new").mkdir()
        images = build(inputs, Path(work) / "new")
        (Path(work) / "new/finished").write_text(json.dumps({name: images[name].layers[-1][0] for name in NAMES}))
        for old in CACHE.glob("sha256-*"):
            shutil.rmtree(old)
        (Path(work) / "new").rename(folder)
    return kept(folder, platform)


def is_loaded(engine, image):
    found = engine.image(image.tag)
    return found is not None and found["Id"] in (image.id, image.digest)


def load(engine, images):
    for image in images.values():
        if not is_loaded(engine, image):
            with tempfile.NamedTemporaryFile(dir=CACHE) as file:
                archive.write(image, file)
                file.flush()
                engine.load(file.name)
            if not is_loaded(engine, image):
                raise RuntimeError(f"the engine took {image.tag} under another id than {image.id}")


def check(engine):
    """What is wrong with the engine's images: none, of another recipe."""
    for name in NAMES:
        tag = json.loads((HERE / f"{name}.json").read_text())["tag"]
        found = engine.image(tag)
        if found is None:
            yield f"{tag} is not there"
        elif (found["Config"].get("Labels") or {}).get("io.plimsoll.recipe") != recipe_digest():
            yield f"{tag} is stale: it was built of another recipe"


def prove(platform):
    """Two builds from nothing, each with folders of its own; whether they are equal."""
    results = []
    for _ in range(2):
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            inputs = Inputs(platform, Path(work), Path(work) / "apt")
            (Path(work) / "new").mkdir()
            images = build(inputs, Path(work) / "new")
            results.append([(image.id, image.digest) for image in images.values()])
            print("images: " + " ".join(image.digest for image in images.values()), flush=True)
    return results[0] == results[1]


@contextlib.contextmanager
def only_one():
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--host", default=os.environ.get("DOCKER_HOST", ""))
    for flag in ("--refresh", "--no-load", "--check", "--prove"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    try:
        with only_one():
            if options.prove:
                return 0 if prove(Platform()) else 1
            if options.check:
                wrong = list(check(Engine(options.host)))
                print("\n".join(f"images: {text} (make images)" for text in wrong), end="\n" if wrong else "")
                return 1 if wrong else 0
            images = built(Platform(), options.refresh)
            if not options.no_load:
                load(Engine(options.host), images)
        for image in images.values():
            print(image.tag, image.id, image.identity)
        return 0
    except (RuntimeError, ValueError, OSError, EngineError, subprocess.SubprocessError) as error:
        print(f"images: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
