"""The two sandbox images: what they promise to hold, that they are of this tree, that equal inputs give equal bytes."""
import io
import json
import tarfile
import tempfile
import unittest
from pathlib import Path

import archive
import build
import debian
import world
from registry import Registry
from tree import Entry, Tree

RUNTIMES = ("runc", "runsc")
# What the daemon gives every guest; the agent's own mounts apart.
CONFINED = {"ReadonlyRootfs": True, "CapDrop": ["ALL"], "SecurityOpt": ["no-new-privileges"],
            "Tmpfs": {"/tmp": "rw,noexec,nosuid,size=16m", "/work": "rw,noexec,nosuid,size=128m,mode=1777"}}


class Loaded(unittest.TestCase):
    """What an engine holds under the two names."""

    @classmethod
    def setUpClass(cls):
        cls.engine = world.engine()
        with build.only_one():
            cls.images = build.built(build.Platform(), refresh=False)

    def run_in(self, image, runtime, script, shell=("sh", "-c")):
        code, output, error = self.engine.run(image, [*shell, script], timeout=180, Runtime=runtime, config={"User": world.GUEST}, **CONFINED)
        self.assertEqual((code, error.decode()), (0, ""))
        return output.decode()

    def test_no_image_is_stale(self):
        self.assertEqual(list(build.check(self.engine)), [])

    def test_the_engine_states_the_ids_that_the_builder_prints(self):
        for image in self.images.values():
            self.assertIn(self.engine.image(image.tag)["Id"], (image.id, image.digest))

    def test_the_label_is_the_digest_of_the_listed_inputs(self):
        for name, image in self.images.items():
            labels = json.loads(image.config)["config"]["Labels"]
            path = build.CACHE / build.recipe_digest().replace(":", "-") / f"{name}.inputs"
            self.assertEqual(labels["io.plimsoll.inputs"], archive.digest_of(path))
            self.assertRegex(path.read_text(), r"(?m)^debian libc6 \S+ \S+ sha256:[0-9a-f]{64}$")
            self.assertRegex(path.read_text(), r"(?m)^npm node-linux-\w+ 22\.\d+\.\d+ sha512-")

    def test_neither_declares_a_volume_nor_a_variable_of_the_loader(self):
        for tag in (world.SNIPPET, world.PROJECT):
            config = self.engine.image(tag)["Config"]
            self.assertFalse(config.get("Volumes"))
            self.assertFalse(config.get("Entrypoint"))
            self.assertEqual(config["User"], world.GUEST)
            for entry in config["Env"]:
                self.assertRegex(entry, r"^(?!LD_|GLIBC_TUNABLES|LOCPATH|NLSPATH|GCONV_PATH)[A-Z_]+=.")

    def test_snippet_runs_node_22_and_has_no_shell(self):
        for runtime in RUNTIMES:
            with self.subTest(runtime=runtime):
                said = self.run_in(world.SNIPPET, runtime, "console.log(process.version, fs.existsSync('/bin/sh'), os.userInfo().username)",
                                   ("node", "-e"))
                self.assertRegex(said, r"^v22\.\d+\.\d+ false guest\n$")

    def test_P55_XF11_project_holds_the_promised_tools(self):
        script = ("node --version; tsc --version; tsx --version | head -n 1; eslint --version; npx tsc --version; gcc -dumpversion; "
                  "python3 -c 'import numpy, os; print(numpy.__version__, os.environ[\"OPENBLAS_NUM_THREADS\"])'; "
                  "python3 -m pip 2>&1 | tail -n 1; pwd; echo $HOME; "
                  "echo 'int main(void) { return 0; }' > a.c && gcc -Wall a.c -o a && cc -c a.c && echo compiled; "
                  "./a 2>/dev/null || echo 'not run: noexec'; "
                  "echo 'const x: number = 6 * 7; console.log(x)' > a.ts && tsx a.ts && tsc a.ts && node a.js")
        for runtime in RUNTIMES:
            with self.subTest(runtime=runtime):
                said = self.run_in(world.PROJECT, runtime, script).splitlines()
                self.assertRegex(said[0], r"^v22\.")
                self.assertEqual(said[1:6], ["Version 5.6.3", "tsx v4.19.2", "v9.13.0", "Version 5.6.3", "12"])
                self.assertRegex(said[6], r"^1\.24\.\d+ 1$")
                self.assertEqual(said[7:], ["/usr/bin/python3: No module named pip", "/work", "/tmp", "compiled", "not run: noexec",
                                            "42", "42"])

    def test_npx_runs_what_is_there_and_fetches_nothing(self):
        said = self.run_in(world.PROJECT, "runc", "npx --yes left-pad 2>&1; echo $?")
        self.assertEqual(said, "npx: left-pad is in neither node_modules nor /node_modules, and a run never installs anything\n127\n")

    def test_no_file_is_setuid_and_none_belongs_to_the_guest(self):
        said = self.run_in(world.PROJECT, "runc", "find / -xdev \\( -perm /6000 -o -user 61000 -o -perm -2 -type f \\) 2>/dev/null; true")
        self.assertEqual(said, "")

    def test_python_imports_its_compiled_form(self):
        said = self.run_in(world.PROJECT, "runc", "python3 -v -c 'import numpy, json' 2>&1 | sed -n 's/^# code object from //p'")
        self.assertGreater(len(said.splitlines()), 50)
        self.assertEqual([line for line in said.splitlines() if not line.rstrip("'").endswith(".pyc")], [])


class Pinned(unittest.TestCase):
    """References by digest, through a registry on loopback."""

    def test_XF11_a_pull_by_the_printed_digest_gives_the_built_image(self):
        engine = world.engine()
        with build.only_one():
            images = build.built(build.Platform(), refresh=False)
        with tempfile.TemporaryDirectory() as folder, Registry(Path(folder) / "registry") as registry:
            for image in images.values():
                reference = registry.push(image)
                name, _, digest = reference.partition("@")
                self.assertEqual(f"oci-manifest:{image.platform}@{digest}", image.identity)
                engine.call("POST", "/images/create", query={"fromImage": name, "tag": digest}, timeout=120)
                self.addCleanup(engine.call, "DELETE", f"/images/{reference}")
                self.assertIn(engine.image(reference)["Id"], (image.id, image.digest))


def small_tree():
    tree = Tree()
    tree.file("usr/bin/b", b"b", 0o755)
    tree.file("etc/a", b"a")
    tree.link("bin", "usr/bin")
    for path in ("usr", "usr/bin", "etc"):
        tree.put(path, Entry(tarfile.DIRTYPE, 0o755))
    return tree


def tar_of(tree):
    out = io.BytesIO()
    tree.write(out)
    return out.getvalue()


class Archive(unittest.TestCase):
    """The step from a tree to an archive, which needs no engine."""

    def image(self, folder, name):
        layer = folder / name
        layer.write_bytes(tar_of(small_tree()))
        return archive.make("t:latest", "linux/amd64", {"Cmd": ["b"]}, {"l": "1"}, [(archive.digest_of(layer), layer)])

    def test_equal_trees_are_equal_bytes_whatever_the_order_they_were_filled_in(self):
        other = small_tree()
        other.entries = dict(reversed(other.entries.items()))
        self.assertEqual(tar_of(small_tree()), tar_of(other))
        other.file("etc/a2", b"")
        self.assertNotEqual(tar_of(small_tree()), tar_of(other))

    def test_equal_inputs_are_one_id_one_digest_one_archive(self):
        with tempfile.TemporaryDirectory() as name:
            folder, archives = Path(name), []
            images = [self.image(folder, "first"), self.image(folder, "second")]
            for image in images:
                out = io.BytesIO()
                archive.write(image, out)
                archives.append(out.getvalue())
            self.assertEqual(archives[0], archives[1])
            self.assertEqual(images[0].id, images[1].id)
            self.assertRegex(images[0].identity, r"^oci-manifest:linux/amd64@sha256:[0-9a-f]{64}$")

    def test_a_change_of_any_part_changes_the_identity(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            image = self.image(folder, "layer")
            for settings, labels in (({"Cmd": ["c"]}, {"l": "1"}), ({"Cmd": ["b"]}, {"l": "2"})):
                self.assertNotEqual(archive.make("t:latest", "linux/amd64", settings, labels, image.layers).digest, image.digest)

    def test_a_setuid_bit_and_an_owner_do_not_get_in(self):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as out:
            info = tarfile.TarInfo("./bin/su")
            info.mode, info.uid, info.mtime = 0o6755, 7, 7
            out.addfile(info, io.BytesIO())
        tree = Tree()
        tree.add_tar(io.BytesIO(packed.getvalue()))
        self.assertEqual(tree.entries, {"usr/bin/su": Entry(tarfile.REGTYPE, 0o755)})

    def test_two_different_files_of_one_path_are_an_error(self):
        tree = small_tree()
        tree.file("etc/a", b"a")
        with self.assertRaisesRegex(ValueError, "two different files want to be /etc/a"):
            tree.file("etc/a", b"c")

    def test_a_layer_holds_only_what_the_one_below_has_not(self):
        above = small_tree()
        above.file("etc/c", b"c")
        self.assertEqual(list(above.minus(small_tree()).entries), ["etc/c"])
        with self.assertRaisesRegex(ValueError, "has what this one has not"):
            small_tree().minus(above)


class Sources(unittest.TestCase):
    def sources(self, **files):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "sources.list.d").mkdir()
            for file, text in files.items():
                (Path(name) / file.replace("__", "/").replace("_dot_", ".")).write_text(text)
            return list(debian.machine_sources(Path(name)))

    def test_only_debians_own_suites_and_key_count(self):
        found = self.sources(
            sources_dot_list="deb http://mirror/debian bookworm main contrib\n# deb http://no/ bookworm main\n"
                             "deb [arch=amd64 signed-by=/usr/share/keyrings/other.gpg] http://other/ bookworm main\n"
                             "deb http://mirror/debian trixie main\n",
            sources_dot_list_dot_d__debian_dot_sources=f"Types: deb\nURIs: http://mirror2/debian\nSuites: bookworm bookworm-updates\n"
                                                       f"Components: main\nSigned-By: {debian.KEYRING}\n\n"
                                                       "Types: deb\nURIs: http://other2/\nSuites: bookworm\nComponents: main\n"
                                                       "Signed-By: /etc/apt/keyrings/other.asc\n\n"
                                                       "Types: deb\nURIs: http://off/\nSuites: bookworm\nComponents: main\nEnabled: no\n")
        self.assertEqual(found, [("http://mirror/debian", ["bookworm"]), ("http://mirror2/debian", ["bookworm", "bookworm-updates"])])
