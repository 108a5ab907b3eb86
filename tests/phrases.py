"""Finds private phrases in documentation and product code; prints what to write in their place.

    python tests/phrases.py [--count] [FILE ...]

Files are Markdown (prose and tables; code is left out) or Python: every string literal, docstrings and messages alike, and
the names of modules, classes and functions. Without files: README.md, docs/ and all that is installed. The exit code is 1
where something is found.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("biascore", "adapters", "plugins", "wordlists")
PLAIN: Final = {
    r"beside": "in addition to, next to",
    r"stands? (?:with|for|beside|in)\b": "represents, means, is in",
    r"told|tells (?:which|whether|what)|cannot (?:tell|be told)": "reported, named, warned; inconclusive",
    r"tells? (?:\w+ ){1,3}apart": "distinguish",
    r"only alone|detected alone|a hint, no more": "hint",
    r"(?:lies?|lying) (?:near|nearer|within|towards)": "is close to, is in",
    r"rulers?": "test, control, method",
    r"put(?:s|ting)? (?:to|in|together)\b": "sent to; injected; assembled",
    r"lean(?:s|ing|t)? (?:to|towards)|goes with|go with": "is associated with",
    r"at hand": "available",
    r"gr[eo]ws?|shr[ai]nks?|turned round": "increased, decreased, changed sign",
    r"the way that|which way": "direction",
    r"h[eo]ld against": "compared with, evaluated on",
    r"surest|how sure(?! are)": "strongest evidence; certainty",
    r"mend(?:s|ed)?": "fix",
    r"dealt out": "permuted",
    r"costs? (?:its|only)": "fails only",
    r"may pass|in passing": "transient",
    r"too small to matter": "negligible",
    r"gone on with": "resumed",
    r"(?-i:^\W*(?:All that|That of))": "name the thing",
}
NAMES: Final = {
    r"twins?": "matched, same, duplicate",
    r"asker|register_wrapper": "QueryRunner, register_wrapper",
    r"landed": "completed",
    r"on_triples": "StereoSetBase",
    r"of_mass": "mass_caveats",
    r"leaning": "direction, association",
    r"tongues?": "language",
    r"mended": "redacted, fixed",
    r"grown": "increase",
    r"surely": "exceeds",
    r"telling|tell": "warn, show, select",
    r"stance|oddities|homes?|beneath": "a term of the field",
}
QUOTED: Final = {
    ("docs/metrics/mt-geneval.md", "told"): "an English sentence",
    ("biascore/models/export.py", "told"): "an English sentence",
    ("biascore/models/questions/said.py", "go with"): "what a model may answer",
    ("biascore/stats/lmm/reml.py", "shrink"): "the name of a variable",
}
PHRASE: Final = re.compile(
    "|".join(rf"(?P<p{i}>(?<!\w)(?:{one}))" for i, one in enumerate(PLAIN)), re.IGNORECASE
)
NAME: Final = re.compile("|".join(rf"(?P<p{i}>(?<![^_])(?:{one})(?![^_.]))" for i, one in enumerate(NAMES)))


def prose(path: Path, tree: ast.Module | None) -> Iterator[tuple[int, str]]:
    """The lines of a page without code, or the string literals of a module, with their line numbers."""
    if tree:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                for at, line in enumerate(node.value.splitlines()):
                    yield node.lineno + at, re.sub(r"``[^`]*``", "", line)
        return
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def names(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The file, and what it defines, with words apart by ``_``: ``QueryRunner`` is ``query_runner``."""
    yield 1, path.name
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower()


def found(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line number, phrase or name, and plain term of each that a file has."""
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.suffix == ".py" else None
    place = path.resolve().relative_to(ROOT.resolve()).as_posix()
    for number, line in prose(path, tree):
        for match in PHRASE.finditer(line):
            if (place, match[0]) in QUOTED:
                continue
            yield number, match[0], list(PLAIN.values())[int(str(match.lastgroup)[1:])]
    for number, name in names(path, tree) if tree else ():
        for match in NAME.finditer(name):
            yield number, name, list(NAMES.values())[int(str(match.lastgroup)[1:])]


def main(arguments: list[str]) -> int:
    """Print each phrase, or how often each stands; the exit code."""
    named = [Path(one) for one in arguments if not one.startswith("-")]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    files = named or [*pages, *(path for top in PRODUCT for path in sorted((ROOT / top).rglob("*.py")))]
    count: Counter[str] = Counter()
    for path in files:
        for number, phrase, plain in found(path):
            count[plain] += 1
            if "--count" not in arguments:
                print(f"{path.resolve().relative_to(ROOT)}:{number}: {phrase!r}; write: {plain}")
    if "--count" in arguments:
        for plain, times in count.most_common():
            print(f"{times:5}  {plain}")
    print(f"{count.total()} private phrases in {len(files)} files")
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
