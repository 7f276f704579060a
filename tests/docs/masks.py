"""What may differ between the output a page shows and the output of a run."""
import re

MASKS = [
    (re.compile(r"\b[0-9a-f]{64}\b"), "<64 hex>"),
    (re.compile(r"\((\d\d) hex digits\)"), r"<\1 hex>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<32 hex>"),
    (re.compile(r"\b[0-9a-f]{12}(?=…)"), "<12 hex>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[0-9:.]+Z"), "<time>"),
    (re.compile(r'("(?:started|ended)UnixMs": ?)"\d+"'), r'\1"<ms>"'),
    (re.compile(r'\n? *"durationMs": ?"\d+",?'), ""),  # left out of JSON when it is 0
    (re.compile(r'("duration_ms": ?)\d+'), r"\1<n>"),
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}\b"), "<time of day>"),
    (re.compile(r"\b\d+ ms\b"), "<n> ms"),
    (re.compile(r"(?i)(content-length: )\d+"), r"\1<n>"),
    (re.compile(r'("max_connections":)\d+'), r"\1<n>"),
    (re.compile(r"(commit )\S+"), r"\1<commit>"),
    (re.compile(r"""(build_info\{version=")[^"]+"""), r"\1<version>"),
    (re.compile(r"(PLIMSOLL_(?:METRICS_)?ADDR = \S+ \(address), (?:default|environment)\)"), r"\1)"),
    (re.compile(r"\r"), ""),
]


def masked(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def matcher(shown):
    """A pattern for the output that a page shows, given as lines; a line `...` is any number of lines."""
    lines = masked("\n".join(shown)).split("\n") if shown else []
    return re.compile("".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in lines))
