"""The pages of the documentation, and what stands in them."""
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_EXECUTED = re.compile(r"<!-- not executed: .+ -->")


@dataclass
class Command:
    line: int  # of the page, from 1
    text: str
    output: list = field(default_factory=list)


@dataclass
class Block:
    line: int
    language: str
    text: list
    before: str  # the line above the fence

    @property
    def executed(self):
        return self.language == "console" and not NOT_EXECUTED.fullmatch(self.before)

    def commands(self):
        """The commands of a console block, each with the output shown below it."""
        found = []
        for number, line in enumerate(self.text, self.line + 1):
            if line.startswith("$ "):
                found.append(Command(number, line[2:]))
            elif not found:
                raise AssertionError(f"line {number}: output before the first command")
            elif line.startswith("> ") and not found[-1].output:
                found[-1].text += "\n" + line[2:]
            else:
                found[-1].output.append(line)
        return found


def blocks(text):
    """The fenced blocks of a page in order."""
    found, current, before = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if current is not None:
            if line == "```":
                found.append(current)
                current = None
            else:
                current.text.append(line)
        elif line.startswith("```"):
            current = Block(number, line[3:].strip(), [], before)
        before = line
    if current is not None:
        raise AssertionError(f"line {current.line}: a fence that is not closed")
    return found


def prose(text):
    """A page without its fenced blocks; the lines keep their numbers."""
    kept, inside = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        kept.append("" if inside or fence else line)
        inside = inside != fence
    return "\n".join(kept)


def every_page():
    """Every Markdown file of the repository, committed or about to be."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in sorted(set(listed.stdout.split("\n"))) if name and (ROOT / name).exists()]
    skipped = {"build", "node_modules", ".git"}  # a source archive
    return sorted(page for page in ROOT.rglob("*.md") if not skipped & set(page.relative_to(ROOT).parts))
