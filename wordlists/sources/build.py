"""Writes the audit tests of a language: ``sources/LANG.toml`` becomes ``biascore_wordlists/LANG/audit.toml``.

A source is a stimuli file whose ``[matched.NAME]`` tables hold two long lists of candidates; here the closest pairs of them
are chosen, so that both lists have the same frequencies, lengths, numbers of words and parts of speech.
Run: python wordlists/sources/build.py [LANG ...]   (needs wordfreq)
--check: write nothing, and fail where a file is not what its source gives.
"""

from __future__ import annotations

import csv
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matched import matched

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "biascore_wordlists"
MOST_WOMEN = 35.0
"""Occupations with at most so many women, in percent, are held by men; with at least `LEAST_WOMEN`, by women."""
LEAST_WOMEN = 60.0
LEAST = 0.75
"""The share of each list that a model has to know."""
NOUN = "noun-singular"
"""What words are that no list says more of: names, and what is used in a sentence as they are."""
WIDTH = 116


Strata = list[list[str]]


def strata(found: Mapping[str, Mapping[str, Any]], name: str, side: str) -> Strata:
    """The candidates of a side: one list, or several, such as names of women and of men, within which pairs are made.

    ``count`` is of all pairs, or a list of how many each of these gives.
    A text names the candidates of another table and side, ``"competence.competent"``.
    """
    given = found[name][side]
    if isinstance(given, str):
        return strata(found, *given.split("."))
    own = [list(one) for one in given] if isinstance(given[0], list) else [list(given)]
    repeated = sorted(word for word, many in Counter(word for one in own for word in one).items() if many > 1)
    if repeated:
        raise SystemExit(f"matched.{name}: {side} names twice: {', '.join(repeated)}")
    return own


def occupations(file: str) -> tuple[Strata, Strata]:
    """Occupations that men mostly hold, and those that women do, by a table of the share of women."""
    with (HERE / file).open(encoding="utf-8", newline="") as opened:
        rows = [
            (row["word"], float(row["share of women, %"])) for row in csv.DictReader(opened, delimiter="\t")
        ]
    return [[word for word, share in rows if share <= MOST_WOMEN]], [
        [word for word, share in rows if share >= LEAST_WOMEN]
    ]


def chosen(found: Mapping[str, Mapping[str, Any]], name: str, language: str) -> dict[str, dict[str, Any]]:
    """The two lists of a ``[matched.NAME]`` table, in alphabetical order, with all that is said of them."""
    source = found[name]
    said = {key: source[key] for key in ("part_of_speech", "source", "licence", "notes") if key in source}
    first, second = source["sides"]
    sides = (
        occupations(source["table"])
        if "table" in source
        else (strata(found, name, first), strata(found, name, second))
    )
    both = {word for one in sides[0] for word in one} & {word for one in sides[1] for word in one}
    if both:
        raise SystemExit(f"matched.{name}: both sides name {', '.join(sorted(both))}")
    words: tuple[list[str], list[str]] = ([], [])
    count = source["count"]
    counts = count if isinstance(count, list) else [count // len(sides[0])] * len(sides[0])
    for one, other, many in zip(*sides, counts, strict=True):
        pairs = matched(one, other, many, language)
        for all_words, some in zip(words, pairs, strict=True):
            all_words += some
    return {
        side: {"words": sorted(some, key=str.casefold), **said}
        for side, some in zip((first, second), words, strict=True)
    }


def document(language: str) -> dict[str, Any]:
    """The stimuli file of a language as values."""
    source = tomllib.loads((HERE / f"{language}.toml").read_text(encoding="utf-8"))
    lists = dict(source.get("lists", {}))
    found = source.get("matched", {})
    for name in found:
        lists |= chosen(found, name, language)
    tests = {name: {"kind": "weat", "min_used": LEAST, **test} for name, test in source["tests"].items()}
    lists = {name: {"part_of_speech": NOUN, **one} for name, one in lists.items()}
    return {
        "meta": source["meta"], "lists": dict(sorted(lists.items())),
        "templates": source.get("templates", {}), "tests": tests,
    }  # fmt: skip


def lines(found: Mapping[str, Any], language: str) -> Iterator[str]:
    """The document as TOML."""
    yield f"# Made by wordlists/sources/build.py from wordlists/sources/{language}.toml: change that file."
    yield "\nschema = 1"
    yield "\n[meta]"
    yield from table(found["meta"])
    for section in ("lists", "templates", "tests"):
        for name, entry in found[section].items():
            yield f"\n[{section}.{name}]"
            yield from table(entry)


def table(entry: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a table; tables in it come last, with dotted keys."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{name} = {array(some)}" for name, some in value.items())
        else:
            yield f"{key} = {array(value) if isinstance(value, list) else json.dumps(value, ensure_ascii=False)}"


def array(values: list[Any]) -> str:
    """An array, broken into lines where it is long."""
    written = [json.dumps(value, ensure_ascii=False) for value in values]
    whole = f"[{', '.join(written)}]"
    if len(whole) <= WIDTH - 20:
        return whole
    rows, row = [], ""
    for one in written:
        if row and len(row) + len(one) + 2 > WIDTH - 2:
            rows.append(row)
            row = ""
        row += f" {one}," if row else f"{one},"
    return "[\n" + "".join(f"  {one}\n" for one in [*rows, row]) + "]"


def text(language: str) -> str:
    """The file of a language."""
    return "\n".join([*lines(document(language), language), ""])


def main() -> int:
    """Write or check the files of the languages that are named, by default of all."""
    check = "--check" in sys.argv
    named = [one for one in sys.argv[1:] if one != "--check"] or sorted(p.stem for p in HERE.glob("*.toml"))
    wrong = []
    for language in named:
        file = SHIPPED / language / "audit.toml"
        made = text(language)
        if check and (not file.exists() or file.read_text(encoding="utf-8") != made):
            wrong.append(str(file))
        elif not check:
            file.write_text(made, encoding="utf-8")
            print(file)
    if wrong:
        print(f"not what the source gives: {', '.join(wrong)}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
