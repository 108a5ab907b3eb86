"""Nouns by grammatical gender from a treebank (CoNLL-U, universaldependencies.org/format.html): every rule is counted.

Lines are read here and not by the package ``conllu`` (6.0): that one keeps a dictionary for every word, takes two spaces for
a tab and fewer than ten columns for ten, and names no line of what it cannot read; and the format is a split at tabs.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from biascore.api.adapters import Options
from biascore.api.formats import DataFile, DataFormat, Test, read_text, source_digest, user_path
from biascore.api.support import quoted
from biascore.errors import DataError
from biascore_metrics.grammatical_gender.formats import nouns_test
from biascore_metrics.grammatical_gender.kind import CLASSES, PLURAL, ClassName, NounClass

COLUMNS: Final = 10
CAPITALISED: Final = ("de", "lb")
"""Languages that write every noun with a capital letter."""
_ID: Final = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_MOST: Final = 5


class ConlluOptions(Options):
    """How nouns are taken from a treebank.

    ``classes``: in this order; a class is a gender (``masculine``, ``feminine``, ``neuter``, ``common``) or ``plural``.
    ``word``: the form as it stands, or its lemma. ``case`` "auto" keeps capitals in German and Luxembourgish, which write
    nouns so, and lowers them elsewhere. ``plural``: plurals count for their gender, are a class of their own
    ("own-class"), or are left out. ``animate``: the values of Animacy that are left out; ``animates``: the path of a list of
    animate words, one a line, that are left out too. ``min_count``: how often a word must be in the treebank.
    ``balance``: cut every class to the size of the smallest, the most frequent words kept; ``most``: cut it to so many.
    ``held_out``: the share of each class that is held out at random by ``seed``, with all forms of a lemma on one side;
    0 fixes no split.
    """

    classes: Annotated[tuple[ClassName, ...], Field(strict=False)] = ("masculine", "feminine")
    word: Literal["form", "lemma"] = "form"
    case: Literal["auto", "lower", "keep"] = "auto"
    plural: Literal["by-gender", "own-class", "leave-out"] = "by-gender"
    animate: Annotated[tuple[str, ...], Field(strict=False)] = ("Anim", "Hum", "Nhum")
    animates: str = ""
    min_count: int = Field(default=1, ge=1)
    balance: bool = True
    most: int | None = Field(default=None, ge=2)
    held_out: float = Field(default=0.25, ge=0, lt=1)
    seed: int = Field(default=0, ge=0)

    @field_validator("classes")
    @classmethod
    def _compare(cls, classes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(classes)) < 2 or len(set(classes)) < len(classes):
            raise ValueError("name two classes or more, each once")
        return classes

    @model_validator(mode="after")
    def _plurals_are_a_class(self) -> Self:
        if PLURAL in self.classes and self.plural != "own-class":
            raise ValueError('classes names plural, which plural = "own-class" makes; give both')
        return self


class ConlluFormat(DataFormat[ConlluOptions]):
    """A treebank of Universal Dependencies: nouns by the feature Gender."""

    id: ClassVar[str] = "conllu"
    summary: ClassVar[str] = "nouns by gender from a treebank of Universal Dependencies (CoNLL-U)"
    example: ClassVar[str] = "conllu:es_gsd-ud-train.conllu"

    def read(self, file: DataFile) -> Test:
        """Read the nouns of the treebank; raises DataError as `DataFormat.read` says."""
        options = self.options
        text = read_text(file.path, file.display)  # CoNLL-U is UTF-8 always
        if not text.strip():
            raise DataError(f"{file.display} is empty. Give a treebank in CoNLL-U")
        animates, told = self._animates()
        found = _Nouns.of(text, file, options)
        words, notes = found.choose(animates, options, file.display)
        classes = tuple(found.split(place, *one, options) for place, one in enumerate(words.items()))
        if options.held_out:
            sizes = ", ".join(f"{len(one.test):,} of {len(one.words):,} {one.name}" for one in classes)
            if not all(one.train and one.test for one in classes):
                raise DataError(
                    f"{file.display} has too few nouns to hold out {options.held_out:z.0%} of each class ({sizes}). Give a "
                    "larger treebank, or fix no split with the option held_out=0"
                )
            told += (f"Held out at random (seed {options.seed}), all forms of a lemma on one side: {sizes}.",)
        return nouns_test(file, classes, (*notes, *told))

    def _animates(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """The words of the list of animates, and what is to be said of it."""
        if not self.options.animates:
            return frozenset(), ()
        path = user_path(self.options.animates)
        lines = read_text(path, self.options.animates).splitlines()
        words = frozenset(word for line in lines for word in (line.strip(), line.strip().lower()) if word)
        if not words:
            raise DataError(f"{self.options.animates} is empty. Give a list of animate words, one a line")
        digest = source_digest(path, self.options.animates)
        return words, (f"Animates left out by the list {self.options.animates} (SHA-256 {digest}).",)


def nouns_in(text: str, display: str) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Form, lemma and features of every noun; every line is checked, and comments, ranges and empty nodes are no words.

    Raises DataError, at the end of the text, that names the first lines that are not CoNLL-U.
    """
    wrong: list[str] = []
    for number, raw in enumerate(io.StringIO(text, newline=""), start=1):
        line = raw.rstrip("\r\n")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        problem = _problem(fields)
        if problem:
            wrong.append(f"line {number} {problem}")
        elif fields[3] == "NOUN" and fields[0].isdecimal():
            named = (part.partition("=") for part in fields[5].split("|") if part != "_")
            yield fields[1], fields[2], {name: value for name, _, value in named}
    if wrong:
        more = f"; and {len(wrong) - _MOST:,} more" if len(wrong) > _MOST else ""
        raise DataError(
            f"{display} is no CoNLL-U: {'; '.join(wrong[:_MOST])}{more}. Correct these lines, or fetch the file again"
        )


def _problem(fields: list[str]) -> str:
    """What is wrong with the columns of a line, or nothing."""
    if len(fields) != COLUMNS:
        return f"has {len(fields)} column{'s' * (len(fields) != 1)} separated by tabs, and not {COLUMNS}"
    if not _ID.fullmatch(fields[0]):
        return f"has the ID {quoted(fields[0])}, which is no number"
    blank = [name for name, place in (("FORM", 1), ("UPOS", 3), ("FEATS", 5)) if not fields[place].strip()]
    if blank:
        return f"has a blank {blank[0]}"
    if fields[5] != "_" and not all(all(part.partition("=")) for part in fields[5].split("|")):
        return f"has the features {quoted(fields[5])}, which are not written Name=Value|Name=Value"
    return ""


@dataclass(slots=True)
class _Nouns:
    """The nouns of a treebank with how often they are of each class, and the nouns left out, by reason."""

    classes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    lemmas: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    animate: set[str] = field(default_factory=set)
    unused: Counter[str] = field(default_factory=Counter)
    nouns: int = 0
    with_animacy: set[str] = field(default_factory=set)
    composed: int = 0

    @classmethod
    def of(cls, text: str, file: DataFile, options: ConlluOptions) -> Self:
        """Count every noun by class, as it is written or by its lemma."""
        found = cls()
        capitals = file.language.split("-")[0] in CAPITALISED
        keep = options.case == "keep" or (options.case == "auto" and capitals)
        for form, lemma, features in nouns_in(text, file.display):
            found.nouns += 1
            gender, animacy = features.get("Gender", ""), features.get("Animacy", "")
            spelt = form if options.word == "form" else lemma
            word = unicodedata.normalize("NFC", spelt if keep else spelt.lower())
            found.composed += not unicodedata.is_normalized("NFC", spelt)
            if set(animacy.split(",")) & set(options.animate):
                found.animate.add(word)
            if features.get("Number") in ("Plur", "Ptan") and options.plural != "by-gender":
                if options.plural == "leave-out":
                    found.unused["in the plural"] += 1
                    continue
                gender = PLURAL
            if not gender:
                found.unused["without Gender"] += 1
                continue
            # "Fem,Masc" is a noun of both; it counts for each, and so is one of two classes.
            for value in gender.split(","):
                name = CLASSES.get(value.lower(), value.lower())
                found.classes[word][name] += 1
                found.with_animacy |= {name} if animacy else set()
            found.lemmas[word][lemma] += 1
        return found

    def choose(
        self, animates: Collection[str], options: ConlluOptions, display: str
    ) -> tuple[dict[str, list[str]], tuple[str, ...]]:
        """The nouns of each class, the most frequent first and ties by spelling, and what is to be said of the choice.

        Raises DataError where a class has no noun.
        """
        if not self.classes:
            what = f"{self.nouns:,} nouns, and none has a Gender" if self.nouns else "no noun (UPOS NOUN)"
            raise DataError(
                f"{display} has {what}. Give a treebank whose nouns have the feature Gender; see: biascore list formats"
            )
        reasons: Counter[str] = Counter()
        chosen: dict[str, list[str]] = {name: [] for name in options.classes}
        frequency = {word: max(by_class.values()) for word, by_class in self.classes.items()}
        for word in sorted(frequency, key=lambda word: (-frequency[word], word)):
            reason = self._reason(word, animates, options)
            if reason:
                reasons[reason] += 1
            else:
                chosen[next(iter(self.classes[word]))].append(word)
        before = {name: len(words) for name, words in chosen.items()}
        lost = [name for name, count in before.items() if not count]
        if lost:
            there = _describe({name: count for name, count in before.items() if count}, "none of the others")
            raise DataError(
                f"{display} has no {lost[0]} noun that can be taken ({there}; left out: {_describe(reasons)}). Name the "
                'classes that it has with the option classes, such as -o \'data.classes=["masculine", "feminine"]\''
            )
        most = (min if options.balance else max)(before.values())
        most = min(most, options.most) if options.most is not None else most
        chosen = {name: words[:most] for name, words in chosen.items()}
        cut = {name: count - most for name, count in before.items() if count > most}
        notes = [
            f"{self.nouns:,} nouns in running text, taken by their {options.word}; {_describe(self.unused)} left out.",
            f"Words left out: {_describe(reasons)}.",
        ]
        if cut:
            least = ["the smallest class"] * options.balance + ([f"{options.most:,}"] if options.most else [])
            notes.append(
                f"Classes cut to {' or '.join(least)}, the most frequent kept; left out: {_describe(cut)}."
            )
        if self.composed:
            notes.append(
                f"{self.composed:,} nouns stood in decomposed Unicode and were composed (NFC), as vocabularies are."
            )
        silent = [name for name in options.classes if name not in self.with_animacy]
        if silent and not animates:
            notes.append(
                f"Animates are among the {' and '.join(silent)} nouns: the treebank says no Animacy of them, and no list of "
                "animates was named."
            )
        return chosen, tuple(notes)

    def _reason(self, word: str, animates: Collection[str], options: ConlluOptions) -> str:
        """Why a word is not taken, or nothing."""
        name, *others = self.classes[word]
        if others:
            return "of two classes"
        if name not in options.classes:
            return f"of another class ({name})"
        if word in self.animate:
            return "animate by the treebank"
        if word in animates:
            return "animate by the list"
        few = self.classes[word][name] < options.min_count
        return f"found less than {options.min_count} times" if few else ""

    def split(self, place: int, name: str, words: Sequence[str], options: ConlluOptions) -> NounClass:
        """A class with a share of its words held out at random; forms of one lemma stay on one side."""
        groups: dict[str, list[str]] = defaultdict(list)
        for word in words:
            groups[self.lemmas[word].most_common(1)[0][0]].append(word)
        wanted = round(options.held_out * len(words))
        held_out: set[str] = set()
        families = list(groups.values())
        for index in np.random.default_rng([options.seed, place]).permutation(len(families)):
            if len(held_out) + len(families[index]) <= wanted:
                held_out.update(families[index])
        train = tuple(word for word in words if held_out and word not in held_out)
        return NounClass(name, tuple(words), train, tuple(word for word in words if word in held_out))


def _describe(counts: Mapping[str, int], none: str = "none") -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items()) or none
