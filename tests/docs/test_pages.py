"""What pages say of the repository: links (C81), settings, tests, messages, quoted files."""
import re
import unittest
import urllib.parse

import pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
VARIABLE = re.compile(r"\b(?:PLIMSOLL|SANDBOX)_[A-Z0-9_]+\b")
TEST_NAME = re.compile(r"`([A-Z][A-Za-z0-9]*)\.(?!md`)([A-Za-z0-9_]+)`")
NOT_BUILT = re.compile(r"not built yet", re.IGNORECASE)
# Read by the tools, and described in docs/reference/cli.md; or names of the build.
OTHER_VARIABLES = {"PLIMSOLL_TESTS", "PLIMSOLL_SANITIZE", "PLIMSOLL_CHECK", "PLIMSOLL_QUICKJS_WASM",
                   "PLIMSOLL_ENGINE_DIR", "PLIMSOLL_TEST_DOCKER_HOST"}
CODE_SPAN = re.compile(r"`[^`]*`")


def anchors(text):
    """The anchors of a page's headings, as code hosts make them."""
    found = set()
    for line in pages.prose(text).splitlines():
        if heading := re.fullmatch(r"#{1,6} +(.+?)\s*#*", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            found.add(re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-"))
    return found


def documented():
    """The pages a user reads: those under docs/, and the two at the root."""
    return [page for page in pages.every_page() if page.is_relative_to(pages.ROOT / "docs")
            or page.parent == pages.ROOT]


def source_text():
    """Every program text that may hold a message, with adjacent C++ literals joined."""
    text = "".join(path.read_text() for folder in ("src", "tools") for path in sorted((pages.ROOT / folder).rglob("*.cc")))
    return re.sub(r'"\s*\n\s*"', "", text).replace('\\"', '"')


class Links(unittest.TestCase):
    def test_C81_every_relative_link_resolves(self):
        checked = 0
        for page in pages.every_page():
            text = CODE_SPAN.sub("", pages.prose(page.read_text()))
            for target in LINK.findall(text):
                if re.match(r"[a-z]+:", target):
                    continue
                checked += 1
                path, _, anchor = target.partition("#")
                where = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
                with self.subTest(page=str(page.relative_to(pages.ROOT)), link=target):
                    self.assertTrue(where.exists(), "no such file")
                    self.assertTrue(where.is_relative_to(pages.ROOT), "outside the repository")
                    if anchor:
                        self.assertIn(anchor, anchors(where.read_text()))
        self.assertGreater(checked, 20)

    def test_every_page_of_docs_is_in_the_index(self):
        index = pages.ROOT / "docs/README.md"
        linked = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(index.read_text())}
        for page in sorted((pages.ROOT / "docs").rglob("*.md")):
            if page != index:
                self.assertIn(page, linked, "not in docs/README.md")


class Names(unittest.TestCase):
    def test_every_setting_named_exists(self):
        table = (pages.ROOT / "docs/reference/settings.md").read_text()
        known = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", table, re.MULTILINE)) | OTHER_VARIABLES
        self.assertGreater(len(known), 30)
        for page in documented():
            for paragraph in page.read_text().split("\n\n"):
                if not NOT_BUILT.search(paragraph):
                    with self.subTest(page=str(page.relative_to(pages.ROOT))):
                        self.assertEqual(set(VARIABLE.findall(paragraph)) - known, set())

    def test_every_test_named_exists(self):
        gtest = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)", re.MULTILINE)
        known = set()
        for path in [*(pages.ROOT / "src").rglob("*.cc"), *(pages.ROOT / "guest").rglob("*.cc"), *(pages.ROOT / "clients").rglob("*.cc"),
                     *(pages.ROOT / "tools").rglob("*.cc"), *(pages.ROOT / "tests").rglob("*.cc")]:
            known |= {f"{suite}.{name}" for suite, name in gtest.findall(path.read_text())}
        for path in (pages.ROOT / "tests").rglob("*.py"):
            suite = None
            for line in path.read_text().splitlines():
                if match := re.match(r"class (\w+)\(", line):
                    suite = match[1]
                elif match := re.match(r"    def (test_\w+)", line):
                    known.add(f"{suite}.{match[1]}")
        for path in [*(pages.ROOT / "tests").rglob("CMakeLists.txt"), *(pages.ROOT / "bench").rglob("CMakeLists.txt")]:
            known |= set(re.findall(r"(?:NAME|plimsoll_\w+\()\s*([A-Z]\w+\.\w+)", path.read_text()))
        for page in documented():
            for suite, name in TEST_NAME.findall(pages.prose(page.read_text())):
                with self.subTest(page=str(page.relative_to(pages.ROOT)), test=f"{suite}.{name}"):
                    self.assertTrue(f"{suite}.{name}" in known, "no such test")


class Unit(unittest.TestCase):
    """docs/howto/plimsolld.service, which no test starts."""

    def setUp(self):
        text = (pages.ROOT / "docs/howto/plimsolld.service").read_text()
        self.lines = [line for line in text.splitlines() if line and not line.startswith(("#", "["))]
        self.variables = dict(line.removeprefix("Environment=").split("=", 1) for line in self.lines
                              if line.startswith("Environment="))

    def test_sets_only_settings_that_exist(self):
        table = (pages.ROOT / "docs/reference/settings.md").read_text()
        known = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", table, re.MULTILINE)) | {"TMPDIR"}
        self.assertGreater(len(self.variables), 4)
        self.assertEqual(set(self.variables) - known, set())

    def test_host_directories_lie_where_the_engine_sees_them(self):
        """What the daemon mounts into containers lies below TMPDIR, and DynamicUser= makes /tmp and /var/tmp private."""
        self.assertIn("DynamicUser=yes", self.lines)
        self.assertIn("RuntimeDirectory=plimsoll", self.lines)
        self.assertEqual(self.variables.get("TMPDIR"), "%t/plimsoll")


class Messages(unittest.TestCase):
    def test_every_message_of_the_page_of_errors_stands_in_the_source(self):
        """The first cell of each row is a message; <...> stands for what is filled in."""
        source, checked = source_text(), 0
        for line in (pages.ROOT / "docs/reference/errors.md").read_text().splitlines():
            if not (row := re.match(r"\| (`+)(.+?)\1 \|", line)):
                continue
            for piece in re.split(r"<[a-zA-Z ]+>", row[2]):
                piece = piece.strip()
                if len(piece) > 3:
                    checked += 1
                    with self.subTest(message=row[2], piece=piece):
                        self.assertTrue(piece in source, "no such text in the source")
        self.assertGreater(checked, 60)


    def test_every_refusal_of_the_source_stands_on_the_page(self):
        page = (pages.ROOT / "docs/reference/errors.md").read_text()
        refusal = re.compile(r'(?:Rule::k\w+,|Plumbing\(Code::k\w+,|AsHttp\(\d+, Code::k\w+,|Invalid\(.*?,|Unauthenticated\()'
                             r'\s*(?:std::string\()?"([^"]{9,})"')
        found = set()
        for path in sorted((pages.ROOT / "src").rglob("*.cc")):
            if not re.search(r"_(test|fuzz)\.cc$|/testkit/|for_test|/testing", str(path)):
                found |= set(refusal.findall(re.sub(r'"\s*\n\s*"', "", path.read_text())))
        self.assertGreater(len(found), 30)
        for text in sorted(found):
            if re.fullmatch(r"[a-z_.]+", text):
                continue  # the name of a field, in front of the message
            with self.subTest(text=text):
                self.assertTrue(text.strip().rstrip(",") in page, "not on the page")


class Quotations(unittest.TestCase):
    def test_python_shown_is_part_of_an_example(self):
        examples = [path.read_text() for path in (pages.ROOT / "examples").rglob("*.py")]
        for page in (pages.ROOT / "docs").rglob("*.md"):
            for block in pages.blocks(page.read_text()):
                if block.language == "python":
                    with self.subTest(page=page.name, line=block.line):
                        self.assertTrue(any("\n".join(block.text) in text for text in examples))
