"""Word lists and pairs of a user's own, as the text of the files that hold them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

PAIRS = "sent_more,sent_less,stereo_antistereo,bias_type\nPoor people are lazy.,Rich people are lazy.,stereo,class\n"
"""A file of CrowS-Pairs with one pair."""


def weat_file(
    test: str = "pets",
    *,
    language: str = "en",
    x: Sequence[str] = ("cat", "dog"),
    y: Sequence[str] = ("car", "bus"),
    a: Sequence[str] = ("sun", "joy"),
    b: Sequence[str] = ("war", "mud"),
    title: str = "mine",
    source: str = "own",
    concept: str = "pets",
    notes: Sequence[str] = (),
) -> str:
    """A stimuli file with the lists x, y, a, b, and one test of kind weat over them."""
    # A TOML string is a JSON string, but for characters outside the first plane, which JSON can leave as they are.
    text = {key: json.dumps(value, ensure_ascii=False) for key, value in {
        "language": language, "title": title, "source": source, "concept": concept, "notes": list(notes),
    }.items()}  # fmt: skip
    lists = "".join(
        f"[lists.{name}]\nwords = {json.dumps(list(words), ensure_ascii=False)}\n"
        for name, words in {"x": x, "y": y, "a": a, "b": b}.items()
    )
    return (
        f"schema = 1\n[meta]\nlanguage = {text['language']}\ntitle = {text['title']}\nsource = {text['source']}\n"
        f'licence = "CC0"\n{lists}[tests.{test}]\nkind = "weat"\ntitle = {text["title"]}\n'
        f"concept = {text['concept']}\n"
        + (f"notes = {text['notes']}\n" if notes else "")
        + 'X = "x"\nY = "y"\nA = "a"\nB = "b"\npositive_means = "x with a"\n'
    )


def write_weat(
    folder: Path, text: str | None = None, *, language: str = "en", name: str = "own.toml"
) -> Path:
    """The file in ``folder/language``, which is made."""
    path = folder / language / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(weat_file(language=language) if text is None else text, encoding="utf-8")
    return path


def write_neutral(folder: Path, words: Sequence[str], *, language: str = "xx") -> Path:
    """The pool ``neutral/words`` of a language, in the folder, which is given back."""
    text = (
        f'schema = 1\n[meta]\nlanguage = "{language}"\ntitle = "Neutral"\nsource = "made"\nlicence = "CC0-1.0"\n'
        f"[lists.words]\nwords = {json.dumps(list(words), ensure_ascii=False)}\n"
    )
    write_weat(folder, text, language=language, name="neutral.toml")
    return folder
