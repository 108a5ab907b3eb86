"""The items of StereoSet: a stereotype, an anti-stereotype and an unrelated sentence in one context; ``dev.json``."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

from biascore.api.formats import ClusterOptions, DataFile, DataFormat, Test, parse_json, read_text
from biascore.api.kinds import Rows
from biascore.api.support import listed, quoted
from biascore.errors import DataError

BLANK: Final = "BLANK"
LABELS: Final = ("stereotype", "anti-stereotype", "unrelated")
"""Of the three sentences of a context, in the order in which ``Triple`` has them."""
Part = Literal["intrasentence", "intersentence"]


@dataclass(frozen=True, slots=True)
class Triple:
    """A context and its sentences in the order of ``LABELS``.

    ``target`` is the term that the context is about (``Ethiopian``), ``domain`` its kind (``race``). ``words`` fill the
    blank of the context, in the same order; there are none between sentences. ``family``: terms that are alike, if any.
    """

    item: str
    target: str
    domain: str
    context: str
    sentences: tuple[str, str, str]
    words: tuple[str, ...] = ()
    family: str = ""

    def __str__(self) -> str:
        return f"{self.context} ({' | '.join(self.sentences)})"

    def filled(self, place: int) -> str:
        """The context with a word in its blank."""
        return self.context.replace(BLANK, self.words[place])

    @property
    def start(self) -> int:
        """Where the word begins in the filled context."""
        return self.context.index(BLANK)


class Triples(Rows[Triple]):
    """Triples in the order of their file."""

    key = "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoSetTest(Test):
    """Kind ``stereoset``: the triples of one ``part``."""

    planted: ClassVar[str] = "biascore_metrics.stereoset.planted:StereoSet"

    samples: Triples
    part: Part


LISTED: Final = 3
FAMILY: Final = "cluster"
"""Optional: of terms that are alike."""
FIELDS: Final = ("id", "target", "bias_type", "context")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


class StereoSetFormatOptions(ClusterOptions):
    """``part``: which examples of the file; those within a sentence, or those of a second sentence after a context.

    ``cluster``: the field that names terms that are alike.
    """

    part: Part = "intrasentence"


class StereoSetFormat(DataFormat[StereoSetFormatOptions]):
    """The JSON of StereoSet: ``data.intrasentence`` or ``data.intersentence``."""

    id: ClassVar[str] = "stereoset"
    summary: ClassVar[str] = "the examples of StereoSet within a sentence, or between sentences (JSON)"
    example: ClassVar[str] = "stereoset:dev.json"

    def read(self, file: DataFile) -> Test:
        """Read the examples of one part; raises DataError as `DataFormat.read` says."""
        part = self.options.part
        examples = self._examples(file)
        triples: list[Triple] = []
        wrong: list[tuple[str, str]] = []
        ids = Counter(str(one.get("id")) if isinstance(one, Mapping) else "" for one in examples)
        for place, example in enumerate(examples, start=1):
            found = _triple(example, part, self.options.cluster)
            if isinstance(found, Triple) and ids[found.item] > 1:
                found = f"has the id {quoted(found.item)}, as another one has"
            if isinstance(found, Triple):
                triples.append(found)
            else:
                wrong.append((f"example {place}", found))
        named = shown([f"{where} {why}" for where, why in wrong])
        if not triples:
            raise DataError(
                f"{file.display}, data.{part} has no usable example: {named}. Give the file that was published"
            )
        note = f"{len(triples)} examples of {len({one.target for one in triples})} target terms, {part}."
        if wrong:
            note += f" Left out: {len(wrong)} ({named})."
        return StereoSetTest(
            **file.stated,
            kind="stereoset",
            title=f"StereoSet, {part}",
            concept="social bias",
            positive_means="the model prefers the stereotype to the anti-stereotype",
            notes=(note,),
            samples=Triples(
                "samples", tuple(triples), source=file.display, notes=(note,), unread=tuple(wrong)
            ),
            part=part,
        )

    def _examples(self, file: DataFile) -> list[Any]:
        text = read_text(file.path, file.display, encoding=self.options.encoding, flag="-o data.encoding")
        try:
            document = parse_json(text)
        except ValueError as error:
            raise DataError(
                f"{file.display} is no valid JSON: {error}. Give dev.json of StereoSet"
            ) from error
        data = document.get("data") if isinstance(document, Mapping) else None
        examples = data.get(self.options.part) if isinstance(data, Mapping) else None
        if not isinstance(examples, list) or not examples:
            there = listed(sorted(data)) if isinstance(data, Mapping) else "no data"
            other = next(one for one in get_args(Part) if one != self.options.part)
            raise DataError(
                f"{file.display} has no examples in data.{self.options.part}; it has {there}. Give dev.json of StereoSet, "
                f"or name the other part (on the command line: -o data.part={other})"
            )
        return examples


def shown(problems: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(problems) - LISTED} more" if len(problems) > LISTED else ""
    return f"{'; '.join(problems[:LISTED])}{more}"


def _triple(example: Any, part: Part, cluster: str) -> Triple | str:
    """An example of the file, or what is wrong with it."""
    if not isinstance(example, Mapping):
        return "is no object"
    item, target, domain, context, family = (
        str(example.get(name) or "").strip() for name in (*FIELDS, cluster or FAMILY)
    )
    if not (item and target and domain and context):
        return f"has not the texts {', '.join(FIELDS)}"
    if cluster and not family:
        return f"({item}) has no {cluster}, which the option cluster names"
    given = example.get("sentences")
    sentences: dict[str, str] = {}
    for one in given if isinstance(given, list) else []:
        label, sentence = (
            (one.get("gold_label"), one.get("sentence")) if isinstance(one, Mapping) else (None, None)
        )
        if label not in LABELS or not isinstance(sentence, str) or not sentence.strip():
            return f"({item}) has a sentence whose gold_label is {quoted(str(label))}, or which is blank"
        if label in sentences:
            return f"({item}) has two sentences of the gold_label {label!r}"
        sentences[label] = sentence
    if len(sentences) < len(LABELS):
        return f"({item}) has not a sentence each of {', '.join(LABELS)}"
    three = (sentences[LABELS[0]], sentences[LABELS[1]], sentences[LABELS[2]])
    if part == "intersentence":
        return Triple(item, target, domain, context, three, family=family)
    if context.count(BLANK) != 1:
        return f"({item}) has {context.count(BLANK)} {BLANK} in its context, and needs one"
    place = next(i for i, word in enumerate(context.split(" ")) if BLANK in word)
    words = [_word(sentence, place) for sentence in three]
    if not all(words):
        return f"({item}) has a sentence without a word where its context has {BLANK}"
    return Triple(item, target, domain, context, three, tuple(words), family)


def _word(sentence: str, place: int) -> str:
    """The word at that place among spaces, without punctuation, as the published code takes it; empty without one."""
    words = sentence.split(" ")
    return words[place].translate(_NO_PUNCTUATION) if place < len(words) else ""
