"""The folder of a scorer: what it is as JSON, its numbers as plain arrays; nothing in it is ever executed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from biascore.api.formats import FrozenMap, array_of, parse_json, read_bytes, unpacked_arrays
from biascore.api.metrics import Scalar
from biascore.api.support import Frozen, brief, problems_of
from biascore.errors import DataError, ModelLoadError
from biascore_emotions.features import Floats, Matrix, Standardised, TfIdf
from biascore_emotions.heads import HEADS, Head

SCORER_FILE: Final = "scorer.json"
ARRAYS_FILE: Final = "arrays.npz"
VOCABULARY_FILE: Final = "vocabulary.json"
FORMAT: Final = 1
MOST_WORDS: Final = 20
"""The longest runs of words: their number increases with each word of a text."""


class Correlation(Frozen):
    """Pearson's r between the scores given and those predicted of ``n`` texts, with its interval (Fisher's z).

    ``r`` is None where it is not defined: all predictions are the same.
    """

    r: float | None
    low: float | None
    high: float | None
    n: int
    level: float = 0.95

    @property
    def described(self) -> str:
        """In words, for a report."""
        if self.r is None:
            return f"not defined (n = {self.n}): all predictions are the same"
        return (
            f"{self.r:.3f} [{self.low:.3f}, {self.high:.3f}] ({100 * self.level:g} %, Fisher z, n = {self.n})"
        )


class Rows(Frozen):
    """Where rows come from: the names of files with their SHA-256, or ``drawn`` from those of another part; and how many."""

    files: FrozenMap[str] = Field(default_factory=dict)
    drawn: str = ""
    rows: int


class HeadRecord(Frozen):
    """One trained head: the seed of what is random in it, its parameters, and its correlation on the test rows."""

    seed: int
    parameters: FrozenMap[Scalar]
    test: Correlation


class EmotionRecord(Frozen):
    """What was trained for an emotion: on which rows, each head, and the correlation of the mean of all heads."""

    name: str
    train: Rows
    dev: Rows | None
    test_rows: Rows
    heads: tuple[HeadRecord, ...] = Field(min_length=1)
    test: Correlation
    terms: int | None = None
    without_vector: int = 0


class EncoderRecord(Frozen):
    """The model whose vectors the heads are given: its reference and options as they were written, and its identity."""

    ref: str
    options: FrozenMap[Any]
    digest: str
    revision: str | None
    facts: FrozenMap[Scalar]
    sentence: str

    @property
    def shown(self) -> str:
        """Its reference, a path within it by its name alone: where it lay says nothing elsewhere."""
        adapter, _, locator = self.ref.partition(":")
        return f"{adapter}:{PurePath(locator).name}" if PurePath(locator).is_absolute() else self.ref


class TfIdfRecord(Frozen):
    """Runs of up to ``longest`` words that are in at least ``least`` of the texts, the ``most`` frequent."""

    longest: int = Field(ge=1, le=MOST_WORDS)
    least: int
    most: int


class ScorerRecord(Frozen):
    """The record of a scorer: ``scorer.json``. Either ``tfidf`` or ``encoder`` says what its heads are given."""

    format: Literal[1]
    biascore: str
    scikit_learn: str
    head: Literal["ridge", "svr", "mlp"]
    settings: FrozenMap[Any]
    tfidf: TfIdfRecord | None = None
    encoder: EncoderRecord | None = None
    reading: FrozenMap[Any]
    seed: int
    emotions: tuple[EmotionRecord, ...] = Field(min_length=1)
    warnings: tuple[str, ...] = ()
    files: tuple[str, ...]

    @property
    def facts(self) -> dict[str, str | int | float]:
        """What a report says of it."""
        facts: dict[str, str | int | float] = {
            "kind": "tf-idf" if self.encoder is None else f"encoder {self.encoder.shown}",
            "head": self.head,
            "trained_with": f"biascore {self.biascore}, scikit-learn {self.scikit_learn}",
        }
        for one in self.emotions:
            files = ", ".join([*one.train.files, *(one.dev.files if one.dev else ())])
            facts |= {
                f"{one.name}: Pearson r": one.test.described,
                f"{one.name}: trained on": f"{one.train.rows + (one.dev.rows if one.dev else 0)} texts of {files}",
            }
            if one.terms is not None:
                facts[f"{one.name}: vocabulary"] = one.terms
            if len(one.heads) > 1:
                facts[f"{one.name}: seeds"] = ", ".join(str(head.seed) for head in one.heads)
        return facts


@dataclass(frozen=True, slots=True)
class Emotion:
    """What answers for an emotion: its features of texts or vectors, and the heads by seed."""

    features: TfIdf | Standardised
    heads: Mapping[int, Head]

    def predict(self, given: Sequence[str] | Floats, seed: int | None = None) -> Floats:
        """Scores of shape (n,): of one head, or the mean of all."""
        features: Matrix = self.features(given)  # type: ignore[arg-type]  # texts for one, vectors for the other
        heads = self.heads.values() if seed is None else [self.heads[seed]]
        return np.asarray(np.mean([head.predict(features) for head in heads], axis=0))


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer as it was read or made: its record, and what answers by emotion. ``digest`` is over its files."""

    record: ScorerRecord
    emotions: Mapping[str, Emotion]
    digest: str = ""

    @property
    def quantities(self) -> tuple[str, ...]:
        """The emotions, and each of several seeds as ``anger@1``."""
        seeds = [
            f"{name}@{seed}"
            for name, one in self.emotions.items()
            if len(one.heads) > 1
            for seed in one.heads
        ]
        return (*self.emotions, *seeds)

    def knows(self, word: str) -> bool:
        """Whether tf-idf of each emotion has a term of this word."""
        features = [one.features for one in self.emotions.values()]
        return all(one.knows(word) for one in features if isinstance(one, TfIdf))

    def predict(self, quantity: str, given: Sequence[str] | Floats) -> Floats:
        """Scores of shape (n,) of one of the quantities, for texts or, with an encoder, their vectors (n, d)."""
        if quantity in self.emotions:
            return self.emotions[quantity].predict(given)
        name, _, seed = quantity.rpartition("@")
        return self.emotions[name].predict(given, int(seed))

    def write(self, folder: Path) -> None:
        """Write the files into an empty folder; raises OSError."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        terms: dict[str, Sequence[str]] = {}
        for number, (name, one) in enumerate(self.emotions.items()):
            if isinstance(one.features, TfIdf):
                terms[name] = one.features.terms
                arrays[f"{number}.idf"] = one.features.idf
            else:
                arrays[f"{number}.mean"], arrays[f"{number}.scale"] = one.features.mean, one.features.scale
            for seed, head in one.heads.items():
                arrays |= {f"{number}.{seed}.{key}": array for key, array in head.arrays().items()}
        with (folder / ARRAYS_FILE).open("wb") as stream:
            # Numbers only, so that nothing is pickled; numpy 1.26 would store an argument allow_pickle as an array.
            np.savez(stream, **arrays)  # type: ignore[arg-type]
        if terms:
            _write_json(folder / VOCABULARY_FILE, terms)
        _write_json(folder / SCORER_FILE, self.record.model_dump(mode="json"))


def read_scorer(folder: Path, shown: str) -> Scorer:
    """The scorer of a folder, called ``shown`` in messages.

    Raises ModelLoadError for what is none, is damaged, or was written by a later version.
    """
    if not folder.is_dir():
        what = "is not there" if not folder.exists() else "is a file"
        raise ModelLoadError(f"{shown} {what}. Name the folder that biascore train-scorer wrote")
    if not (folder / SCORER_FILE).is_file():
        raise ModelLoadError(
            f"{shown} has no {SCORER_FILE}, so it is no scorer. Name the folder that biascore train-scorer wrote"
        )
    try:
        record = _record(_bytes(folder, SCORER_FILE, shown))
        raw = {name: _bytes(folder, name, shown) for name in record.files}
        packed = raw.get(ARRAYS_FILE, b"")
        try:
            arrays = unpacked_arrays(packed, len(packed))  # a scorer is not compressed
        except ValueError as error:
            raise ModelLoadError(f"{ARRAYS_FILE} {error}") from error
        terms = parse_json(raw[VOCABULARY_FILE]) if VOCABULARY_FILE in raw else {}
        emotions = {
            one.name: _emotion(record, one, number, arrays, terms)
            for number, one in enumerate(record.emotions)
        }
    except (ModelLoadError, ValueError, KeyError, TypeError) as error:
        raise ModelLoadError(
            f"{shown} is damaged: {brief(str(error))}. Copy it again from where it was trained, or train it anew: biascore "
            "train-scorer"
        ) from error
    digest = hashlib.sha256(_bytes(folder, SCORER_FILE, shown))
    for name in record.files:
        digest.update(raw[name])
    return Scorer(record, emotions, f"sha256:{digest.hexdigest()}")


def _emotion(
    record: ScorerRecord,
    one: EmotionRecord,
    number: int,
    arrays: Mapping[str, npt.NDArray[Any]],
    terms: Mapping[str, Any],
) -> Emotion:
    features: TfIdf | Standardised
    if record.tfidf is not None:
        own = terms[one.name]
        if not all(isinstance(term, str) for term in own) or len({*own}) != len(own):
            raise ModelLoadError(f"the vocabulary of {one.name} is no list of different words")
        width = len(own)
        features = TfIdf(tuple(own), array_of(arrays, f"{number}.idf", (width,)), record.tfidf.longest)
    else:
        mean = array_of(arrays, f"{number}.mean", (None,))
        width = len(mean)
        features = Standardised(mean, array_of(arrays, f"{number}.scale", (width,)))
    heads = {}
    for head in one.heads:
        prefix = f"{number}.{head.seed}."
        held = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
        heads[head.seed] = HEADS[record.head].of(held, head.parameters, width)
    return Emotion(features, heads)


def _record(raw: bytes) -> ScorerRecord:
    document = parse_json(raw)
    written = document.get("format") if isinstance(document, dict) else None
    if type(written) is not int:  # true would pass for 1
        raise ModelLoadError(f"{SCORER_FILE} has no format")
    if written > FORMAT:
        raise ModelLoadError(
            f"{SCORER_FILE} has the format {written}, and this version of biascore reads {FORMAT}"
        )
    try:
        record = ScorerRecord.model_validate(document)
    except ValidationError as error:
        raise ModelLoadError(f"{SCORER_FILE}: {problems_of(error, ScorerRecord)[0].text}") from error
    names = [one.name for one in record.emotions]
    if len({*names}) < len(names) or (record.tfidf is None) is (record.encoder is None):
        raise ModelLoadError(f"{SCORER_FILE} contradicts itself")
    if not {*record.files} <= {ARRAYS_FILE, VOCABULARY_FILE}:
        raise ModelLoadError(f"{SCORER_FILE} names other files than a scorer has: {', '.join(record.files)}")
    return record


def _bytes(folder: Path, name: str, shown: str) -> bytes:
    try:
        return read_bytes(folder / name, f"{shown}/{name}")
    except DataError as error:
        raise ModelLoadError(str(error)) from error


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
