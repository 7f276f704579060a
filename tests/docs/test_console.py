"""Every console block of every page, executed in order (C80, C85)."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import pages
from masks import masked, matcher
from shell import Shell

BIN_DIR = None  # set by run.py


def run_page(page):
    """The differences between what a page shows and what its commands print; stops at the first."""
    commands = [command for block in pages.blocks(page.read_text()) if block.executed for command in block.commands()]
    venv = Path(os.environ["VENV_PYTHON"]).parent.parent
    with tempfile.TemporaryDirectory() as folder, Shell(Path(folder), BIN_DIR, venv) as shell:
        for command in commands:
            output = masked(shell.run(command.text))
            if not matcher(command.output).fullmatch(output):
                return (f"{page.relative_to(pages.ROOT)}:{command.line}: {command.text}\n--- the page shows\n"
                        + masked("\n".join(command.output)) + "\n--- it printed\n" + output)
    return None


class Console(unittest.TestCase):
    def test_C80_every_block_prints_what_its_page_shows(self):
        self.assertTrue(os.access(os.environ["VENV_PYTHON"], os.X_OK), "run scripts/setup.sh test")
        executed = []
        for page in sorted((pages.ROOT / "docs").rglob("*.md")):
            if any(block.executed for block in pages.blocks(page.read_text())):
                executed.append(page.stem)
                with self.subTest(page=page.name):
                    self.assertIsNone(difference := run_page(page), difference)
        self.assertIn("getting-started", executed)
        self.assertIn("six-strangers", executed)

    def test_C85_getting_started_shows_a_first_run_and_a_refused_floor(self):
        text = (pages.ROOT / "docs/tutorial/getting-started.md").read_text()
        shown = "\n".join(line for block in pages.blocks(text) if block.executed for line in block.text)
        self.assertIn('"stdout": "NDIK"', shown)
        self.assertIn("is below requested minimum kernel", shown)
        self.assertIn("exit 125", shown)

    def test_what_make_demo_prints_stands_on_the_pages_that_show_it(self):
        command = "echo 'console.log(6 * 7)' | plimsoll run -"
        recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (pages.ROOT / "Makefile").read_text(), re.MULTILINE)[1]
        self.assertIn("build/release/bin/minimal\n", recipe)
        self.assertIn(command.replace("plimsoll", "build/release/bin/plimsoll"), recipe)
        printed = "".join(subprocess.run(["bash", "-c", line], env={"PATH": f"{BIN_DIR}:{os.environ['PATH']}"}, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=True).stdout
                          for line in ("minimal", f'echo; echo "$ {command}"', command))
        for page in ("README.md", "docs/tutorial/getting-started.md"):
            with self.subTest(page=page):
                self.assertIn(masked(printed), masked((pages.ROOT / page).read_text()))


class Rules(unittest.TestCase):
    """The comparison itself: a page that is wrong must not pass."""

    def test_masks_hide_what_varies_and_nothing_else(self):
        self.assertEqual(masked("record " + "a" * 64), masked("record " + "b" * 64))
        self.assertNotEqual(masked("exit 0, 2 ms"), masked("exit 1, 2 ms"))
        self.assertNotEqual(masked('"stdout": "NDIK"'), masked('"stdout": "NDMK"'))

    def test_three_dots_are_any_number_of_lines(self):
        self.assertTrue(matcher(["a", "...", "d"]).fullmatch("a\nb\nc\nd\n"))
        self.assertFalse(matcher(["a", "...", "d"]).fullmatch("a\nb\nc\n"))
        self.assertFalse(matcher([]).fullmatch("something\n"))

    def test_a_command_keeps_its_continuation_and_its_output(self):
        command, = pages.Block(1, "console", ["$ cat <<E", "> x", "> E", "x"], "").commands()
        self.assertEqual((command.text, command.output), ("cat <<E\nx\nE", ["x"]))
