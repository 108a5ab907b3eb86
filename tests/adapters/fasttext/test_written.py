"""Files as other tools write them: each reads like the plain file, or is refused with the words that are there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biascore.api.queries import Text
from biascore.designs.words import composed
from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.detect import open_vectors
from biascore_adapters.fasttext.storage import ModelFile

from ...builders.models import model_of
from .conftest import Opened, embed

WORDS = ["the", "of", "John", "Amy", "doctor", "nurse", "York", "New", "tree", "house", "New_York", "say"]
VALUES = np.random.default_rng(3).normal(size=(len(WORDS), 5)).round(4)
HEADER = f"{len(WORDS)} 5\n"
Make = Callable[[str, str], str]


def lines(
    word: Callable[[str], str] = str, between: str = " ", number: Callable[[float], str] = str
) -> list[str]:
    return [
        f"{word(name)}{between}{' '.join(map(number, row.tolist()))}\n"
        for name, row in zip(WORDS, VALUES, strict=True)
    ]


def quoted(word: str) -> str:
    return f'"{word}"'


SPACED = "".join(lines(number=lambda value: f"{value: .4f}"))
PLAIN = "".join(lines())
READ = {
    "aligned numbers": HEADER + SPACED,
    "aligned numbers, no header": SPACED,
    "two spaces behind the word": HEADER + "".join(lines(between="  ")),
    "spaces before the word": HEADER + "".join("  " + line for line in lines()),
    "blank lines at the end": HEADER + PLAIN + "\n \n\n",
    "blank lines between": HEADER + "\n".join(lines()),
    "quotation marks": "".join(lines(quoted)),
    "R with names of columns": " ".join(quoted(f"V{n}") for n in range(1, 6)) + "\n" + "".join(lines(quoted)),
    "names of columns with tabs": "word\t" + "\t".join("abcde") + "\n" + PLAIN.replace(" ", "\t"),
    "header behind a comment sign": "# " + HEADER + PLAIN,
    "comments": "# trained on news\n#  window = 5\n" + HEADER + PLAIN,
    "comment, no header": "# trained on news, 2019\n" + PLAIN,
    "language": HEADER + "".join(lines(lambda word: f"/c/en/{word}")),
    "language, short": HEADER + "".join(lines(lambda word: f"en:{word}")),
    "one tag": HEADER + "".join(lines(lambda word: f"{word}_NOUN")),
    "language and special tokens": f"{len(WORDS) + 1} 5\n"
    + "".join([*lines(lambda w: f"en:{w}"), "</s> 0 0 0 0 0\n"]),
    "blank lines first": "\n \n" + HEADER + PLAIN,
    "a blank line, then names of columns": "\n" + "word a b c d e\n" + PLAIN,
    "byte order mark": "\ufeff" + HEADER + PLAIN,
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_it_reads_like_the_plain_file(text: str, tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "v.vec").write_text(text)
    backend = opened(tmp_path / "v.vec")
    np.testing.assert_array_equal(embed(backend, *WORDS), VALUES.astype(np.float32))
    assert set(WORDS) <= set(backend.vocabulary().words())
    blocks = [rows for _, rows in backend.vocabulary().blocks()]
    np.testing.assert_array_equal(np.concatenate(blocks)[: len(WORDS)], VALUES.astype(np.float32))
    assert [found.seen for found in backend.familiarity(WORDS)] == [True] * len(WORDS)


def test_a_phrase_that_the_file_has_as_one_word_is_this_word(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "v.vec").write_text(PLAIN)
    backend = opened(tmp_path / "v.vec")
    york, both, mean = embed(backend, "New_York", "New York", "New tree")
    np.testing.assert_array_equal(york, both)
    np.testing.assert_allclose(mean, VALUES[[7, 8]].mean(axis=0), rtol=1e-6)
    joined, phrase, lost = backend.familiarity(["New York", "New tree", "New moon"])
    assert (joined.seen, joined.spelling) == (True, "New_York")
    assert (phrase.seen, phrase.spelling) == (True, "")
    assert not lost.seen


@pytest.mark.parametrize("written", ["/c/en/{}", "{}_NOUN", "en:{}"])
def test_a_phrase_as_one_word_is_so_within_marks_and_in_lower_case(
    written: str, tmp_path: Path, opened: Opened
) -> None:
    rows = [" ".join(map(str, row)) for row in VALUES.tolist()]
    lines = (f"{written.format(word.lower())} {row}\n" for word, row in zip(WORDS, rows, strict=True))
    (tmp_path / "v.vec").write_text("".join(lines))
    backend = opened(tmp_path / "v.vec")
    np.testing.assert_array_equal(*embed(backend, "new_york", "New York"))
    joined, phrase = backend.familiarity(["New York", "New tree"])
    assert (joined.spelling, phrase.spelling) == ("new_york", "")


@pytest.mark.parametrize(("joined", "taken"), [(1, ["Blue Sky", "Calm Sea"]), (3, [])])
def test_only_phrases_that_are_means_are_said_to_be(
    joined: int, taken: list[str], tmp_path: Path, opened: Opened
) -> None:
    phrases, numbers = ["Old Tree", "Blue Sky", "Calm Sea"], np.random.default_rng(5)
    words = [
        *"abcdefghijklmnopqrst",
        *(part for one in phrases for part in one.split()),
        *(one.replace(" ", "_") for one in phrases[:joined]),
    ]
    rows = {word: numbers.standard_normal(5).round(3).tolist() for word in words}
    (tmp_path / "v.vec").write_text("".join(f"{w} {' '.join(map(str, row))}\n" for w, row in rows.items()))
    model = model_of(opened(tmp_path / "v.vec"))
    found = composed(model, {"X": ["a", *phrases], "Y": ["b", *phrases[:1]]})
    assert list(found) == taken


def test_a_word_that_is_a_number_sign_is_a_word(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "v.vec").write_text("# 1 2 3 4 5\n" + PLAIN)
    np.testing.assert_array_equal(embed(opened(tmp_path / "v.vec"), "#"), [[1, 2, 3, 4, 5]])


MIXED = {
    "languages": (
        [f"/c/{'en' if n % 2 else 'de'}/{word}" for n, word in enumerate(WORDS)],
        "model.prefix=/c/de/",
    ),
    "short languages": (
        [f"{'en' if n % 2 else 'de'}:{word}" for n, word in enumerate(WORDS)],
        "model.prefix=de:",
    ),
    "one other language": ([*(f"en:{word}" for word in WORDS[1:]), "fr:le"], "model.prefix=en:"),
    "tags": ([f"{word}_{'NOUN' if n % 2 else 'VERB'}" for n, word in enumerate(WORDS)], "model.suffix=_VERB"),
}


@pytest.mark.parametrize(("written", "option"), MIXED.values(), ids=MIXED)
def test_marks_of_several_kinds_are_the_users_to_choose(
    written: list[str], option: str, tmp_path: Path, opened: Opened
) -> None:
    rows = [" ".join(map(str, row)) for row in VALUES.tolist()]
    (tmp_path / "v.vec").write_text("".join(f"{w} {row}\n" for w, row in zip(written, rows, strict=True)))
    with pytest.raises(ModelLoadError, match=written[0]) as caught:
        opened(tmp_path / "v.vec")
    assert option in str(caught.value)
    name, _, value = option.removeprefix("model.").partition("=")
    backend = opened(tmp_path / "v.vec", **{name: value})
    marked = [word for word in written if word.startswith(value) or word.endswith(value)]
    bare = [word.removeprefix(value).removesuffix(value) for word in marked]
    wanted = VALUES[[written.index(word) for word in marked]].astype(np.float32)
    np.testing.assert_array_equal(embed(backend, *bare), wanted)
    assert list(backend.vocabulary().words()) == bare


def test_of_several_suffixes_the_first_that_a_word_has_counts(tmp_path: Path, opened: Opened) -> None:
    text = "walk_NOUN 1 2\nwalk_VERB 3 4\nbig_ADJ 5 6\nrun_VERB 7 8\n"
    (tmp_path / "v.vec").write_text(text)
    backend = opened(tmp_path / "v.vec", suffix="_NOUN,_ADJ,_VERB")
    np.testing.assert_array_equal(embed(backend, "walk", "big", "run"), [[1, 2], [5, 6], [7, 8]])
    assert np.isnan(backend.embed((Text("none"),), "sentence")).all()


def test_the_line_of_a_damaged_number_is_told_past_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("# x\n2 2\n\na 1 2\n\n\nb 3 q\n")
    with ModelFile(tmp_path / "v.vec") as file:
        vectors = open_vectors(file, "auto", True)
        with pytest.raises(ModelLoadError, match="line 7 does not hold 2 numbers"):
            vectors.vectors(["b"])


REFUSED = {
    "commas": (PLAIN.replace(" ", ","), ["line 1 ('the,", "separated by ','"]),
    "semicolons and decimal commas": (PLAIN.replace(" ", ";").replace(".", ","), ["separated by ';'"]),
    "no-break spaces": (PLAIN.replace(" ", "\u00a0"), ["line 1 ('the\\xa0"]),
    "numbers of lines": ("".join(f"{n} {line}" for n, line in enumerate(lines())), ["line 1 ('0 the "]),
    "a mark that is no comment's": ("% news\n" + PLAIN, ["line 1 ('% news')"]),
    "a comment between": (PLAIN.replace("York", "# towns, 2\nYork", 1), ["line 7 ('# towns, 2')"]),
    "header with a dimension too many": (
        f"{len(WORDS)} 6\n" + PLAIN,
        ["has 5 values where 6 are needed by the header"],
    ),
    "header turned round": (f"5 {len(WORDS)}\n" + PLAIN, [f"where {len(WORDS)} are needed by the header"]),
    "how often a word occurs": (
        "".join(lines(lambda word: f"{word} {900 - WORDS.index(word)}")),
        ["('900')", "how often"],
    ),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_shown(text: str, said: list[str], tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "v.vec").write_text(text, encoding="utf-8")
    with pytest.raises(ModelLoadError) as caught:
        opened(tmp_path / "v.vec")
    assert not [part for part in said if part not in str(caught.value)]


def test_whole_numbers_that_a_header_calls_a_dimension_are_one(tmp_path: Path, opened: Opened) -> None:
    counted = "".join(lines(lambda word: f"{word} {900 - WORDS.index(word)}"))
    (tmp_path / "v.vec").write_text(f"{len(WORDS)} 6\n" + counted)
    assert embed(opened(tmp_path / "v.vec"), "of")[0, 0] == 899
    whole = "".join(f"{word} {n + 1} {n} -2\n" for n, word in enumerate(WORDS))
    (tmp_path / "w.vec").write_text(whole)
    assert embed(opened(tmp_path / "w.vec"), "of").tolist() == [[2, 1, -2]]
