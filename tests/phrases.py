"""Warns of private phrases in the documentation and the command line's help; prints what to write in their place.

    python tests/phrases.py [--count] [FILE ...]

Files are Markdown (prose and tables; code is left out) or Python (every string literal). Without files: README.md, docs/ and
biascore/cli/. It never fails: a phrase may be right in its place, as "at hand" in a quotation.
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
PLAIN: Final = {
    r"beside": "in addition to, next to",
    r"stands? (?:with|for|beside|in)\b": "is shown with, means",
    r"told|tells (?:which|whether|what)|cannot (?:tell|be told)": "reported; inconclusive",
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
}
PHRASE: Final = re.compile("|".join(rf"(?P<p{i}>\b(?:{one}))" for i, one in enumerate(PLAIN)), re.IGNORECASE)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page without code, or the string literals of a module, with their line numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for at, line in enumerate(node.value.splitlines()):
                    yield node.lineno + at, line
        return
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def found(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line number, phrase and plain term of each private phrase of a file."""
    terms = list(PLAIN.values())
    for number, line in prose(path):
        for match in PHRASE.finditer(line):
            assert match.lastgroup is not None
            yield number, match[0], terms[int(match.lastgroup[1:])]


def main(arguments: list[str]) -> None:
    """Print each phrase, or how often each stands."""
    named = [Path(one) for one in arguments if not one.startswith("-")]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    files = named or [*pages, *sorted((ROOT / "biascore" / "cli").glob("*.py"))]
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


if __name__ == "__main__":
    main(sys.argv[1:])
