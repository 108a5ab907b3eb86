"""analogy: a is to b as c is to which word of the whole vocabulary (3CosAdd)?

Mikolov, Yih & Zweig 2013; Levy & Goldberg 2014. Omrani Sabbaghi & Caliskan 2022 take it as a measure of what a transform
destroys; their own rule is ``rule = "substring"``.

Analogy files cross few pairs into many questions (23 capitals and countries make 506), so the questions are no
independent observations. As in the vertex bootstrap of networks (Snijders & Borgatti 1999, Connections 22:61), the pairs
are drawn with replacement, and a question counts as often as its first pair times as often as its second was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from biascore.api.metrics import (
    ConfidenceInterval,
    Context,
    Coverage,
    Estimate,
    LostWord,
    MetricOptions,
    Model,
    Resamples,
    Scalar,
    caveats_of,
    item_table,
)
from biascore.api.queries import Level, Vocabulary
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line
from biascore.designs.same_words import Floats
from biascore.designs.words import OUT_OF_VOCABULARY
from biascore.stats import Interval
from biascore.stats.proportions import wilson_interval
from biascore_metrics.grammatical_gender.formats import ANALOGIES, AnalogiesTest, Question

Pairs = npt.NDArray[np.intp]
Vectors = npt.NDArray[np.float32]
ACCURACY: Final = "accuracy"
TRACED: Final = "accuracy of analogies"
UNIT: Final = "share"
OVER_ALL: Final = "accuracy over all questions, those that cannot be answered counted as wrong"
TOP: Final = 10
"""So many nearest words does the authors' rule look at."""
FEW: Final = 20
"""Fewer questions than this in a section say little."""
DRAWN: Final = "percentile, pairs of words resampled"
ROWS: Final = 8192
"""Words of a block."""
AT_ONCE: Final = 1024
"""Vectors that are compared with a block in one product: 32 MiB of cosines."""
_CHUNK: Final = 1 << 22


class AnalogyOptions(MetricOptions):
    """Conventions of analogies.

    ``rule``: "exclude" takes the nearest word that is none of the question's; "substring", the authors', of the ten nearest
    words the first that does not hold a, b or c within it, in lower case, so that "regina" is no answer to a question about
    "re". ``vectors``: b - a + c of vectors of length one, or of those in the file ("raw", as the authors').
    ``lowercase``: the words of the questions are lowercased before they are looked up. ``most``: only so many of the
    most frequent words are known. ``trace``: the accuracy after every step of a transform, in place of every question.
    """

    rule: Literal["exclude", "substring"] = "exclude"
    vectors: Literal["unit", "raw"] = "unit"
    lowercase: bool = False
    most: int | None = Field(default=None, ge=1)
    level: ClassVar[Level] = "sentence"
    trace: bool = False
    resamples: Resamples = 5000


class Analogy(BeforeAfterMetric[AnalogyOptions, AnalogiesTest]):
    """3CosAdd over the whole vocabulary; the headline is the accuracy over the questions whose words are all known."""

    name = "analogy"
    summary = (
        "Analogies by 3CosAdd over the whole vocabulary: accuracy by section, before and after a transform"
    )
    use = "associates"
    reference = "Mikolov, Yih & Zweig 2013, NAACL; Omrani Sabbaghi & Caliskan 2022"
    item_neutral = None
    of_model = ()
    kinds = frozenset({ANALOGIES})

    def compare(
        self, models: Sequence[Model], model: Model, test: AnalogiesTest, context: Context
    ) -> Compared:
        """The accuracy with its interval, by section and, where there is a transform, before it, and the change.

        Raises CapabilityError for a model without a vocabulary.
        """
        options = self.options
        asked, lost = _asked(model, test, options)
        n, total = {"questions": len(asked)}, len(test.questions)
        unmeasured = Compared(
            problem="" if asked else f"the model knows no question whole of {total}",
            estimates=(Estimate(name=ACCURACY, value=None, unit=UNIT, neutral=None, n=n),),
            coverage=Coverage(given={"questions": total}, used=n, lost=lost),
            item_value="1 for a right answer, 0 for a wrong one",
            conventions=self._conventions(0),
        )
        if not asked:
            return unmeasured
        every = [_answers(state, asked, options) for state in models]
        answers, scanned = [found for found, _ in every], every[-1][1]
        right = np.array([[float(a == q.d) for a, q in zip(some, asked, strict=True)] for some in answers])
        found = _Accuracies(asked, right, options, context.rng)
        transformed = model.untransformed is not None
        unknown = f"{len(lost)} of {total} questions have a word that the model does not know"
        small = [f"{name} ({len(own)})" for name, own in found.sections.items() if len(own) < FEW]
        few = f"sections with fewer than {FEW} questions that can be answered: {', '.join(small)}"
        before = {"before": right[0].tolist(), "answer before": answers[0]} if len(models) > 1 else {}
        return replace(
            unmeasured,
            estimates=tuple(found.estimates(total, transformed=transformed)),
            caveats=(
                *caveats_of([f"{unknown}, so the accuracy speaks of the others alone"] * bool(lost)),
                *caveats_of([few] * bool(small), verdict=False),
            ),
            items=item_table(
                item=[question.text for question in asked],
                group=[question.section or "questions" for question in asked],
                value=right[-1].tolist(),
                more={"answer": answers[-1], **before},
            ),
            lines=lambda: [found.line()],
            conventions=self._conventions(scanned),
        )

    def _conventions(self, scanned: int) -> dict[str, Scalar]:
        options = self.options
        case = "questions in lower case, answers compared as written"
        substring = f"of the {TOP} nearest words the first that does not hold a, b or c within it, in lower case; else none"
        return {
            "question": "a is to b as c is to d: the word nearest to b - a + c by cosine",
            "candidates": "all words of the vocabulary" + (f": {scanned:,}" if scanned else ""),
            "rule": "a, b and c themselves are no answers" if options.rule == "exclude" else substring,
            "vectors of a, b and c": "of length one" if options.vectors == "unit" else "as in the file",
            "case": case if options.lowercase else "as written",
            "questions with an unknown word": "left out of the accuracy, and counted",
            "interval": "pairs of words resampled: questions that share a pair are not independent",
        }


def _asked(
    model: Model, test: AnalogiesTest, options: AnalogyOptions
) -> tuple[list[Question], tuple[LostWord, ...]]:
    """The questions that can be answered, and why the others cannot."""
    given = test.questions
    if options.lowercase:
        given = tuple(one._replace(**{name: getattr(one, name).lower() for name in "abcd"}) for one in given)
    known = {word for one in given for word in one[:4]}.intersection(model.vocabulary().words(options.most))
    asked, lost = [], []
    for question in given:
        unknown = [word for word in dict.fromkeys(question[:4]) if word not in known]
        if unknown:
            reason = f"{OUT_OF_VOCABULARY}: {', '.join(unknown)}"
            lost.append(LostWord(word=question.text, role="questions", reason=reason))
        else:
            asked.append(question)
    return asked, tuple(lost)


def _answers(model: Model, questions: Sequence[Question], options: AnalogyOptions) -> tuple[list[str], int]:
    """The answer to each question, "" for none, and over how many words it was looked for."""
    words = list(dict.fromkeys(word for one in questions for word in one[:3]))
    rows = model.embed(words)
    if options.vectors == "unit":
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    places = {word: place for place, word in enumerate(words)}
    a, b, c = (rows[[places[one[i]] for one in questions]] for i in range(3))
    exclude = options.rule == "exclude"
    nearest = Nearest(b - a + c, 1 if exclude else TOP, [one[:3] if exclude else () for one in questions])
    nearest.scan(model.vocabulary(), options.most)
    found = [
        next((w for w in near if exclude or not any(own.lower() in w.lower() for own in question[:3])), "")
        for near, question in zip(nearest.words(), questions, strict=True)
    ]
    return found, nearest.scanned


class Nearest:
    """The ``count`` words nearest to each vector (n, d) by cosine; of equal cosines the first word of the file.

    ``barred``: words that are no answer for a vector, one collection for each.
    """

    def __init__(self, wanted: Vectors, count: int, barred: Sequence[Sequence[str]]) -> None:
        norms = np.linalg.norm(wanted, axis=1, keepdims=True)
        self._wanted = np.divide(wanted, norms, out=np.zeros_like(wanted), where=norms > 0)
        self._count = count
        self._barred: dict[str, list[int]] = {}
        for place, words in enumerate(barred):
            for word in dict.fromkeys(words):
                self._barred.setdefault(word, []).append(place)
        self._cosines = np.full((len(wanted), count), -np.inf, dtype=np.float32)
        self._words = [[""] * count for _ in wanted]
        self.scanned = 0

    def scan(self, vocabulary: Vocabulary, most: int | None = None) -> None:
        """Compare with the first ``most`` words, or all; words whose vector is zero have no cosine, and are none."""
        for words, vectors in vocabulary.blocks(ROWS, most):
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
            self.scanned += len(words)
            never = np.flatnonzero(norms[:, 0] == 0)
            here = [(row, place) for row, word in enumerate(words) for place in self._barred.get(word, ())]
            barred_rows = np.array([row for row, _ in here], dtype=np.intp)
            barred_places = np.array([place for _, place in here], dtype=np.intp)
            for first in range(0, len(self._wanted), AT_ONCE):
                last = min(first + AT_ONCE, len(self._wanted))
                cosines = self._wanted[first:last] @ unit.T
                cosines[:, never] = -np.inf
                own = (barred_places >= first) & (barred_places < last)
                cosines[barred_places[own] - first, barred_rows[own]] = -np.inf
                self._keep(first, cosines, words)

    def _keep(self, first: int, cosines: Vectors, words: Sequence[str]) -> None:
        better = cosines.max(axis=1) > self._cosines[first : first + len(cosines), -1]
        for row in np.flatnonzero(better):
            place = first + int(row)
            own, best = cosines[row], self._cosines[place]
            found = np.flatnonzero(own > best[-1])
            if len(found) > self._count:
                least = np.partition(own[found], -self._count)[-self._count]
                found = found[own[found] >= least]  # in the order of the file, ties included
            both = np.concatenate([best, own[found]])
            names = [*self._words[place], *(words[int(i)] for i in found)]
            order = np.argsort(-both, kind="stable")[: self._count]
            self._cosines[place], self._words[place] = both[order], [names[i] for i in order]

    def words(self) -> Iterator[tuple[str, ...]]:
        """The nearest words of each vector, the nearest first."""
        return (tuple(filter(None, words)) for words in self._words)


@dataclass(frozen=True, slots=True)
class _Accuracies:
    """Which questions (n,) are answered right after each state of the model (k, n), and the accuracies."""

    questions: Sequence[Question]
    right: Floats
    options: AnalogyOptions
    rng: np.random.Generator

    @property
    def pairs(self) -> Pairs:
        """The numbers (n, 2) of the pairs of words that each question is made of."""
        numbers: dict[tuple[str, str], int] = {}
        both = (((one.a, one.b), (one.c, one.d)) for one in self.questions)
        found = [[numbers.setdefault(pair, len(numbers)) for pair in pairs] for pairs in both]
        return np.array(found, dtype=np.intp)

    @property
    def sections(self) -> dict[str, Pairs]:
        """The places of the questions of each section, where the file has any."""
        found: dict[str, list[int]] = {}
        for place, question in enumerate(self.questions):
            if question.section:
                found.setdefault(question.section, []).append(place)
        return {section: np.array(places) for section, places in found.items()}

    def estimates(self, total: int, *, transformed: bool) -> list[Estimate]:
        """Of all questions and of each section, after a transform and before it."""
        options, pairs = self.options, self.pairs
        ends = self.right[[0, -1]] if transformed else self.right[-1:]
        drawn = drawn_accuracies(pairs, ends, options.resamples, self.rng)
        found = [self._estimate(ACCURACY, ends[-1], drawn[-1], pairs)]
        share, n = float(ends[-1].sum()) / total, {"questions": total}
        found.append(Estimate(name=OVER_ALL, value=share, unit=UNIT, neutral=None, n=n))
        if transformed:
            found.append(self._estimate(f"{ACCURACY} before", ends[0], drawn[0], pairs))
            moved = drawn[1] - drawn[0]
            usable = moved[np.isfinite(moved)]
            varies = usable.size and np.ptp(usable) > 0
            change = Estimate(
                name=f"change of {ACCURACY}",
                value=float(ends[1].mean() - ends[0].mean()),
                unit=UNIT,
                n={"questions": len(self.questions)},
                interval=ConfidenceInterval.of(_quantiles(moved, options.confidence)) if varies else None,
            )
            found.append(change)
        for section, own in self.sections.items():
            for when, place in (("", -1), *([(" before", 0)] if transformed else [])):
                some, part = ends[place, own], pairs[own]
                again = drawn_accuracies(part, some[None], options.resamples, self.rng)[0]
                found.append(self._estimate(f"{ACCURACY}{when}, {section}", some, again, part))
        return found

    def line(self) -> Line:
        """The accuracy after every step."""
        drawn = drawn_accuracies(self.pairs, self.right, self.options.resamples, self.rng)
        every = (self._estimate(TRACED, *one, self.pairs) for one in zip(self.right, drawn, strict=True))
        return Line.of(TRACED, UNIT, every, None)

    def _estimate(self, name: str, right: Floats, drawn: Floats, pairs: Pairs) -> Estimate:
        return Estimate(
            name=name,
            value=float(right.mean()),
            unit=UNIT,
            neutral=None,
            n={"questions": len(right), "pairs of words": len(np.unique(pairs))},
            interval=ConfidenceInterval.of(accuracy_interval(drawn, right, pairs, self.options.confidence)),
        )


def drawn_accuracies(pairs: Pairs, right: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Accuracies (k, resamples) of questions (n,) under k conditions, ``right`` (k, n), in the same resamples.

    ``pairs`` (n, 2) are the numbers, from 0, of the pairs that each question is made of. NaN: a resample without questions.
    """
    count = int(pairs.max()) + 1
    found = np.empty((len(right), resamples))
    step = max(1, _CHUNK // max(len(pairs), count))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=rows).astype(np.float64)
        weights = drawn[:, pairs[:, 0]] * drawn[:, pairs[:, 1]]
        total = weights.sum(axis=1)
        total[total == 0] = np.nan
        found[:, start : start + rows] = right @ weights.T / total
    return found


def accuracy_interval(drawn: Floats, right: Floats, pairs: Pairs, level: float) -> Interval:
    """The interval of an accuracy from its resamples (resamples,).

    Where all questions have one outcome, resampling shows no variation: then Wilson's, as if the pairs were the questions.
    """
    if np.ptp(right) == 0:
        trials = min(len(np.unique(pairs, axis=0)), len(np.unique(pairs)))  # a question twice is one
        found = wilson_interval(trials if right[0] else 0, trials, level=level)
        return Interval(found.low, found.high, level, "Wilson, of as many trials as pairs of words", 0)
    return _quantiles(drawn, level)


def _quantiles(drawn: Floats, level: float) -> Interval:
    usable = drawn[np.isfinite(drawn)]
    low, high = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, DRAWN, drawn.size, drawn.size - usable.size)
