"""Vectors of words by class: what two words share left out, split, balanced, and too few of them refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biascore.api.support import listed
from biascore.api.transforms import Scalar, Vectors
from biascore.errors import StimuliError
from biascore.stats.removal import Labelled, unit_rows
from biascore_transforms.labelled import LabelledOptions, Source

Rows = NDArray[np.float64]
QUARTER = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows to learn from and rows held out; their labels are places in ``names``."""

    names: tuple[str, ...]
    train: Labelled
    held_out: Labelled
    facts: dict[str, Scalar]
    warnings: tuple[str, ...]

    @property
    def all(self) -> Rows:
        """The rows (n, d) of all these words."""
        return np.concatenate([self.train.rows, self.held_out.rows])


def seen(part: Labelled, rows: str) -> Labelled:
    """What a classifier sees: rows of length one ("unit"), or the vectors as they are."""
    return Labelled(unit_rows(part.rows), part.labels) if rows == "unit" else part


@dataclass(slots=True, eq=False)
class _Word:
    """A known word with its class, whether a fixed split holds it out, and its vector."""

    text: str
    code: int
    held_out: bool
    vector: Rows


def labelled_rows(
    options: LabelledOptions, source: Source, learnt_from: Mapping[str, Vectors], transform: str
) -> LabelledRows:
    """The words that the model knows, ready to learn from; raises StimuliError."""
    words = _known(source, learnt_from, transform)
    facts: dict[str, Scalar] = {}
    warnings: list[str] = []
    if source.repeated or source.of_two_classes:
        facts["words given twice, kept once"] = len(source.repeated)
        facts["words of two classes, left out"] = len(source.of_two_classes)
    words, same = _without_same_vectors(words, source, options, transform)
    facts["words with the vector of another word, left out"] = len(same)
    if same:
        warnings.append(
            f"{len(same)} words have the vector of another word of the lists in this model and were left out: {listed(same)}"
        )
    rng = np.random.default_rng(options.seed)
    parts = [
        _split([word for word in words if word.code == code], one.held_out is not None, options.held_out, rng)
        for code, one in enumerate(source.classes)
    ]
    for one, (inner_words, outer_words) in zip(source.classes, parts, strict=True):
        if len(inner_words) < 2 or not outer_words:
            raise StimuliError(
                f"{transform}: of {one.name!r}, {len(inner_words)} training words and {len(outer_words)} held-out words are "
                "left that the model knows and that can be used. Name a list with more words"
            )
    if options.balance:
        counts = [[len(part) for part in parts_of_one] for parts_of_one in parts]
        inner, outer = (min(column) for column in zip(*counts, strict=True))
        parts = [(_drawn(one, inner, rng), _drawn(other, outer, rng)) for one, other in parts]
        facts["words left out for classes of equal size"] = sum(map(sum, counts)) - len(parts) * (
            inner + outer
        )
    for one, (inner_words, outer_words) in zip(source.classes, parts, strict=True):
        facts[f"{one.name}: training words"] = len(inner_words)
        facts[f"{one.name}: held-out words"] = len(outer_words)
    train, held_out = (
        Labelled.of([np.stack([word.vector for word in one[place]]) for one in parts]) for place in (0, 1)
    )
    few = _check_count(len(train.rows), train.rows.shape[1], options, transform)
    names = tuple(one.name for one in source.classes)
    return LabelledRows(names, train, held_out, facts, (*warnings, *few))


def _known(source: Source, learnt_from: Mapping[str, Vectors], transform: str) -> list[_Word]:
    words: list[_Word] = []
    for code, one in enumerate(source.classes):
        for place, role in enumerate(one.roles):  # all, or those to learn from and those held out
            part = learnt_from[role]
            if not part.words:
                raise StimuliError(
                    f"{transform}: the model knows none of the {len(part.lost)} words of {role!r} ({listed(part.lost)}). "
                    "Check the language and the case of the words, or name another list: biascore list tests"
                )
            zero = np.flatnonzero(~part.rows.any(axis=1))
            if zero.size:
                raise StimuliError(
                    f"{transform}: the vector of {part.words[int(zero[0])]!r} ({role}) is zero. Take the word out of the "
                    "list"
                )
            words += [
                _Word(text, code, place == 1, row) for text, row in zip(part.words, part.rows, strict=True)
            ]
    return words


def _without_same_vectors(
    words: Sequence[_Word], source: Source, options: LabelledOptions, transform: str
) -> tuple[list[_Word], list[str]]:
    """The words that have a vector of their own, and the others; raises StimuliError where the two cannot be separated."""
    groups: dict[bytes, list[_Word]] = {}
    for word in words:
        groups.setdefault((word.vector + 0.0).tobytes(), []).append(word)  # -0.0 is 0.0
    kept: list[_Word] = []
    gone: list[str] = []
    clashes: list[list[_Word]] = []
    for same in groups.values():
        if len({word.code for word in same}) > 1:
            clashes.append(same)
            stay = []
        else:
            held_out = [word for word in same if word.held_out]
            if 0 < len(held_out) < len(same):
                clashes.append(same)
            stay = (held_out or same)[:1]  # what is held out is not learnt from
        kept.extend(stay)
        gone.extend(word.text for word in same if word not in stay)
    if clashes and options.same_vectors == "error":
        shown = " and ".join(
            f"{word.text!r} ({source.classes[word.code].name}{', held out' * word.held_out})"
            for word in clashes[0][:2]
        )
        more = f", and so it is {len(clashes) - 1} more times" if len(clashes) > 1 else ""
        raise StimuliError(
            f"{transform}: {shown} have the same vector in this model{more}. Take them out of the list, or leave them out "
            'here, counted: same_vectors = "drop"'
        )
    return kept, gone


def _split(
    words: list[_Word], is_split: bool, share: float | None, rng: np.random.Generator
) -> tuple[list[_Word], list[_Word]]:
    """Training words and held-out words of a class, each in list order."""
    if is_split:
        return [word for word in words if not word.held_out], [word for word in words if word.held_out]
    outer = set(rng.permutation(len(words))[: max(1, round((share or QUARTER) * len(words)))].tolist())
    return (
        [word for place, word in enumerate(words) if place not in outer],
        [word for place, word in enumerate(words) if place in outer],
    )


def _drawn(words: list[_Word], count: int, rng: np.random.Generator) -> list[_Word]:
    """So many of the words, in list order."""
    return [words[place] for place in sorted(rng.permutation(len(words))[:count].tolist())]


def _check_count(count: int, dimensions: int, options: LabelledOptions, transform: str) -> tuple[str, ...]:
    least = dimensions if options.min_words is None else options.min_words
    if count < least:
        asked = f"at least {least} are asked for" if options.min_words else "at least as many are asked for"
        raise StimuliError(
            f"{transform}: {count} training words for vectors of {dimensions} dimensions, and {asked}. So few can be "
            "separated whatever their classes, so random directions would be removed. Name a longer list, or allow it: "
            f"min_words = {count}"
        )
    if count >= dimensions:
        return ()
    return (
        f"learnt from {count} words in {dimensions} dimensions: any classes of so few can be separated in training, "
        "and what was removed includes random directions. Only the accuracy on held-out words says what was found",
    )
