"""A scorer trained on a labelled file: rows in parts, heads fitted, tested, and written to a folder whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from biascore.api.adapters import Progress
from biascore.api.commands import Silent, check_own_folder, new_folder
from biascore.api.support import either
from biascore.errors import CapabilityError, ModelLoadError, OptionsError
from biascore_emotions.features import WORDS, Floats, Matrix, Standardised, TfIdf, vectors_of
from biascore_emotions.fitting import Fitted, HeadSettings, Svr, fit_head, fit_tfidf, settings_of
from biascore_emotions.folder import (
    ARRAYS_FILE,
    FORMAT,
    SCORER_FILE,
    VOCABULARY_FILE,
    Correlation,
    Emotion,
    EmotionRecord,
    EncoderRecord,
    HeadRecord,
    Scorer,
    ScorerRecord,
    TfIdfRecord,
    read_scorer,
)
from biascore_emotions.parts import Data, Parts

if TYPE_CHECKING:
    from biascore.api.adapters import Model

SEEDS: Final = 5
"""Perceptrons that are trained where nothing else is said, for one alone may show what the next one does not."""

_TFIDF: Final = TfIdfRecord(longest=2, least=2, most=200_000)


@dataclass(frozen=True, slots=True)
class Training:
    """How heads are trained; raises OptionsError for what does not fit together.

    ``head``: "ridge", "svr" or "mlp"; "" is "svr" on tf-idf and "ridge" on an encoder. ``options`` are those of the head
    (``Ridge``, ``Svr``, ``Mlp``). ``seeds``: how many perceptrons, of the seeds ``seed``, ``seed + 1``, …; None: 5 of them.
    """

    tfidf: bool
    head: str = ""
    options: Mapping[str, Any] | None = None
    seeds: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        settings_of(self.kind, self.options or {}, tfidf=self.tfidf)
        if self.seeds is not None and self.seeds < 1:
            raise OptionsError(f"seeds={self.seeds} is none. Give 1 or more")
        if self.kind != "mlp" and (self.seeds or 1) > 1:
            raise OptionsError(
                f"nothing is random in a {self.kind}, so that {self.seeds} seeds would give it {self.seeds} times. Leave "
                f"{either('--seeds', 'seeds')} out, or choose {either('--head', 'head')} mlp"
            )

    @property
    def kind(self) -> str:
        """The kind of head."""
        return self.head or ("svr" if self.tfidf else "ridge")

    @property
    def settings(self) -> HeadSettings:
        """The settings of the head."""
        return settings_of(self.kind, self.options or {}, tfidf=self.tfidf)

    @property
    def chooses(self) -> bool:
        """Whether dev rows have something to choose."""
        return isinstance(self.settings, Svr) and self.settings.combinations > 1

    @property
    def told(self) -> str:
        """What is fitted, in words: ``svr, the best of 48``."""
        settings = self.settings
        return (
            f"{self.kind}, the best of {settings.combinations}"
            if isinstance(settings, Svr) and self.chooses
            else self.kind
        )

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """The seeds of the heads."""
        count = (self.seeds or SEEDS) if self.kind == "mlp" else 1
        return tuple(range(self.seed, self.seed + count))


@dataclass(frozen=True, slots=True)
class TrainedScorer:
    """The scorer that was made: its reference, and its record, as the JSON file in its folder says."""

    ref: str
    record: ScorerRecord


def train_scorer(
    data: Data,
    folder: str | Path,
    training: Training,
    encoder: Model | None = None,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> TrainedScorer:
    """Train a head for each emotion of the data, on tf-idf or on the vectors of ``encoder``, and write them to a folder.

    The encoder is recorded by its reference, options and digest, and is no part of the folder. ``progress`` receives which
    emotion is being trained. Raises CapabilityError for
    a model that cannot embed, RunError for a folder that exists (with ``overwrite``: that is no scorer) or cannot be
    written, DataError for rows from which nothing can be learnt.
    """
    target = check_target(Path(folder), overwrite=overwrite)
    if encoder is not None:
        check_encoder(encoder)
    progress = progress or Silent()
    made = {}
    with progress.task("training", len(data.parts)) as advance:
        for name, parts in data.parts.items():
            made[name] = _trained(name, parts, training, encoder, progress)
            advance(1)
    warnings = [*data.warnings, *(warning for one in made.values() for warning in one.warnings)]
    record = ScorerRecord(
        format=FORMAT,
        biascore=metadata.version("biascore"),
        scikit_learn=metadata.version("scikit-learn"),
        head=training.kind,  # type: ignore[arg-type]  # settings_of knows no other
        settings=asdict(training.settings),
        tfidf=_TFIDF if encoder is None else None,
        encoder=None if encoder is None else encoder_record(encoder),
        reading={**data.reading.record, "read as": data.read_as},
        seed=training.seed,
        emotions=tuple(one.record for one in made.values()),
        warnings=tuple(warnings),
        files=(ARRAYS_FILE,) if encoder is not None else (ARRAYS_FILE, VOCABULARY_FILE),
    )
    scorer = Scorer(record, {name: one.emotion for name, one in made.items()})
    try:
        with new_folder(target) as new:
            scorer.write(new)
            _check_reads(scorer, new, made)
    except OSError as error:
        raise ModelLoadError(
            f"{folder} cannot be written: {error}. Free space or choose another folder"
        ) from error
    return TrainedScorer(f"scorer:{folder}", record)


def check_target(folder: Path, *, overwrite: bool) -> Path:
    """Where a scorer can be written; raises RunError where it exists (with ``overwrite``: where it holds more than one)."""
    return check_own_folder(folder, SCORER_FILE, "a scorer", overwrite=overwrite)


def check_encoder(model: Model) -> None:
    """Raise CapabilityError for a model that has no vectors, or has them through a transform."""
    if "embed" not in model.capabilities:
        can = ", ".join(sorted(model.capabilities))
        raise CapabilityError(
            f"{model.name} cannot embed (it can {can}), and a head is trained on vectors. Name a model that can, such as "
            "hf:sentence-transformers/all-MiniLM-L6-v2, or none for tf-idf"
        )
    if model.after:
        raise CapabilityError(
            f"{model.name} is read through {model.after}, which the scorer could not open again. Give the model itself"
        )


def encoder_record(model: Model) -> EncoderRecord:
    """What is recorded of an encoder."""
    identity = model.identity
    return EncoderRecord(
        ref=str(model.source.ref),
        options=model.source.explicit_options,
        digest=identity.digest,
        revision=identity.revision,
        facts=dict(identity.facts),
        sentence=WORDS if identity.composes_words else identity.sentence_vector,
    )


@dataclass(frozen=True, slots=True)
class _Made:
    """An emotion as trained: what answers, its record, warnings, and what it is given for its test rows."""

    emotion: Emotion
    record: EmotionRecord
    warnings: tuple[str, ...]
    test: Sequence[str] | Floats


def _trained(name: str, parts: Parts, training: Training, encoder: Model | None, progress: Progress) -> _Made:
    given, told = _given(name, parts, encoder)
    without = sum(map(len, (parts.train, parts.dev, parts.test))) - len(given)
    train, dev, test = given.train, given.dev, given.test
    features: TfIdf | Standardised
    if given.vectors is None:
        texts = [row.text for row in given.rows]
        # Fitted on the train rows alone, as the grid is chosen on the dev rows.
        features = fit_tfidf(texts[train], longest=_TFIDF.longest, least=_TFIDF.least, most=_TFIDF.most)
        matrices: list[Matrix] = [features(texts[one]) for one in (train, dev, test)]
        asked: Sequence[str] | Floats = texts[test]
    else:
        features = Standardised.of(np.concatenate([given.vectors[train], given.vectors[dev]]))
        matrices = [features(given.vectors[one]) for one in (train, dev, test)]
        asked = given.vectors[test]
    scores = np.array([row.score for row in given.rows])
    fitted: dict[int, Fitted] = {}
    with progress.task(f"{name}: {training.told}", len(training.all_seeds)) as advance:
        for seed in training.all_seeds:
            fitted[seed] = fit_head(
                training.settings, matrices[0], scores[train], matrices[1], scores[dev], seed
            )
            advance(1)
    emotion = Emotion(features, {seed: one.head for seed, one in fitted.items()})
    predicted = emotion.predict(asked)
    outside = int(np.sum((predicted < 0) | (predicted > 1)))
    if outside:
        told.append(
            f"{name}: {outside} of {len(predicted)} scores of test texts lie outside 0 to 1. biascore measure eec takes "
            "them; its Beta regression (-o link=both) does not"
        )
    whole = correlation(scores[test], predicted)
    if whole.r is None:
        told.append(f"{name}: all test texts get the same score, so that the scorer distinguishes nothing")
    told += [f"{name}: {warning}" for one in fitted.values() for warning in one.warnings]
    heads = tuple(
        HeadRecord(
            seed=seed,
            parameters=dict(one.parameters),
            test=correlation(scores[test], emotion.predict(asked, seed)),
        )
        for seed, one in fitted.items()
    )
    record = EmotionRecord(
        name=name,
        train=parts.records["train"].model_copy(update={"rows": _length(train)}),
        dev=parts.records["dev"].model_copy(update={"rows": _length(dev)}) if parts.dev else None,
        test_rows=parts.records["test"].model_copy(update={"rows": _length(test)}),
        heads=heads,
        test=whole,
        terms=len(features.terms) if isinstance(features, TfIdf) else None,
        without_vector=without,
    )
    return _Made(emotion, record, tuple(told), asked)


def correlation(given: Floats, predicted: Floats) -> Correlation:
    """Pearson's r of two arrays of shape (n,), with its interval by Fisher's z."""
    from scipy.stats import pearsonr

    n = len(given)
    if np.ptp(predicted) <= 1e-12:
        return Correlation(r=None, low=None, high=None, n=n)
    found = pearsonr(given, predicted)
    r = float(found.statistic)
    if abs(r) > 1 - 1e-12:
        return Correlation(r=r, low=r, high=r, n=n)
    interval = found.confidence_interval(0.95)
    return Correlation(r=r, low=float(interval.low), high=float(interval.high), n=n)


@dataclass(frozen=True, slots=True)
class _Given:
    """The rows of all three parts that have features, which of them are whose, and their vectors, of an encoder."""

    rows: Sequence[Any]
    train: slice
    dev: slice
    test: slice
    vectors: Floats | None

    def __len__(self) -> int:
        return len(self.rows)


def _given(name: str, parts: Parts, encoder: Model | None) -> tuple[_Given, list[str]]:
    three = [list(parts.train), list(parts.dev), list(parts.test)]
    told: list[str] = []
    vectors = None
    if encoder is not None:
        rows = [row for part in three for row in part]
        found = vectors_of(encoder, [row.text for row in rows])
        known = np.isfinite(found).all(axis=1)
        vectors = found[known]
        if not known.all():
            told.append(
                f"{name}: {int((~known).sum())} of {len(rows)} texts hold no word that {encoder.name} knows, such as "
                f"{rows[int(np.flatnonzero(~known)[0])].text[:60]!r}; they were left out"
            )
        kept = iter(np.atleast_1d(known))
        three = [[row for row in part if next(kept)] for part in three]
    a, b, c = map(len, three)
    parts.check(a + b, c, name)
    return _Given(
        [row for part in three for row in part],
        slice(0, a),
        slice(a, a + b),
        slice(a + b, a + b + c),
        vectors,
    ), told


def _length(part: slice) -> int:
    return int(part.stop - part.start)


def _check_reads(scorer: Scorer, folder: Path, made: Mapping[str, _Made]) -> None:
    """Raise where the folder does not hold what answers the test texts as it was trained."""
    read = read_scorer(folder, folder.name)
    for name, one in made.items():
        if not np.array_equal(read.predict(name, one.test), scorer.predict(name, one.test)):
            raise ModelLoadError(
                f"the scorer of {name} was trained, but read back it gives other scores, so that it was not kept. Report "
                "this to the authors of biascore"
            )
