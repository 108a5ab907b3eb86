"""analogy: a is to b as c is to which word of the whole vocabulary (3CosAdd)?

Mikolov, Yih & Zweig 2013; Levy & Goldberg 2014. Omrani Sabbaghi & Caliskan 2022 take it as a measure of what a transform
destroys; their own rule is ``rule = "substring"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
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
from biascore.api.queries import Level
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line
from biascore.designs.same_words import Floats
from biascore.designs.words import OUT_OF_VOCABULARY
from biascore_metrics.grammatical_gender.nearest import Nearest
from biascore_metrics.grammatical_gender.pairs_drawn import (
    accuracy_interval,
    change_interval,
    drawn_accuracies,
)
from biascore_metrics.grammatical_gender.questions import KIND, AnalogiesTest, Question

ACCURACY: Final = "accuracy"
OVER_ALL: Final = "accuracy over all questions, those that cannot be answered counted as wrong"
TOP: Final = 10
"""So many nearest words does the authors' rule look at."""
FEW: Final = 20
"""Fewer questions than this in a section say little."""


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

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of its metric: options that are not the defaults."""
        return ", ".join(f"{name}={value}" for name, value in self.model_dump(exclude_defaults=True).items())


@dataclass(frozen=True, slots=True)
class _Asked:
    """The questions that can be answered, why the others cannot, and the pairs (n, 2) of words that they are made of."""

    questions: tuple[Question, ...]
    lost: tuple[LostWord, ...]
    pairs: npt.NDArray[np.intp]


class Analogy(BeforeAfterMetric[AnalogyOptions, AnalogiesTest]):
    """3CosAdd over the whole vocabulary; the headline is the accuracy over the questions whose words are all known."""

    name = "analogy"
    summary = (
        "Analogies by 3CosAdd over the whole vocabulary: accuracy by section, before and after a transform"
    )
    reference = "Mikolov, Yih & Zweig 2013, NAACL; Omrani Sabbaghi & Caliskan 2022"
    item_neutral = None
    of_model = ()
    kinds = frozenset({KIND})

    def compare(
        self, models: Sequence[Model], model: Model, test: AnalogiesTest, context: Context
    ) -> Compared:
        """The accuracy with its interval, by section and, where there is a transform, before it, and the change.

        Raises CapabilityError for a model without a vocabulary.
        """
        options = self.options
        asked = _asked(model, test, options)
        n, total = {"questions": len(asked.questions)}, len(test.questions)
        given = {"questions": total}
        coverage = Coverage(given=given, used=n, lost=asked.lost)
        lost = [f"{len(asked.lost)} of {total} questions have a word that the model does not know"] * bool(
            asked.lost
        )
        cautions = [f"{lost[0]}, so the accuracy speaks of the others alone"] if lost else []
        answers: list[list[str]] = []
        scanned = 0
        if asked.questions:
            for state in models:
                found, scanned = _answers(state, asked.questions, options)
                answers.append(found)
        else:
            cautions = [f"it could not be measured: the model knows no question whole of {total}"]
        right = np.array(
            [
                [float(answer == question.d) for answer, question in zip(some, asked.questions, strict=True)]
                for some in answers
            ]
        )
        estimates = _estimates(model, asked, right, total, options, context.rng)
        return Compared(
            estimates=estimates,
            coverage=coverage,
            caveats=(*caveats_of(cautions), *caveats_of(_small_sections(asked), verdict=False)),
            items=_items(asked.questions, answers, right) if answers else item_table(),
            item_value="1 for a right answer, 0 for a wrong one",
            lines=(lambda: [_line(asked, right, options, context.rng)]) if answers else None,
            conventions=_conventions(options, scanned),
        )


def _asked(model: Model, test: AnalogiesTest, options: AnalogyOptions) -> _Asked:
    given = test.questions
    if options.lowercase:
        given = tuple(one.lowered() for one in given)
    wanted = {word for question in given for word in question[:4]}
    known = wanted.intersection(model.vocabulary().words(options.most))
    questions: list[Question] = []
    lost: list[LostWord] = []
    for question in given:
        unknown = [word for word in dict.fromkeys(question[:4]) if word not in known]
        if unknown:
            reason = f"{OUT_OF_VOCABULARY}: {', '.join(unknown)}"
            lost.append(LostWord(word=question.text, role="questions", reason=reason))
        else:
            questions.append(question)
    numbers: dict[tuple[str, str], int] = {}
    pairs = [
        [numbers.setdefault(pair, len(numbers)) for pair in ((one.a, one.b), (one.c, one.d))]
        for one in questions
    ]
    return _Asked(tuple(questions), tuple(lost), np.array(pairs, dtype=np.intp).reshape(-1, 2))


def _answers(model: Model, questions: Sequence[Question], options: AnalogyOptions) -> tuple[list[str], int]:
    """The answer to each question, "" for none, and over how many words it was looked for."""
    words = list(dict.fromkeys(word for one in questions for word in one[:3]))
    rows = model.embed(words)
    if options.vectors == "unit":
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    places = {word: place for place, word in enumerate(words)}
    a, b, c = (rows[[places[one[i]] for one in questions]] for i in range(3))
    barred = [one[:3] if options.rule == "exclude" else () for one in questions]
    nearest = Nearest(b - a + c, 1 if options.rule == "exclude" else TOP, barred)
    nearest.scan(model.vocabulary(), options.most)
    found = [
        next((word for word in near if options.rule == "exclude" or not _holds(word, question)), "")
        for near, question in zip(nearest.words(), questions, strict=True)
    ]
    return found, nearest.scanned


def _holds(word: str, question: Question) -> bool:
    return any(own.lower() in word.lower() for own in question[:3])


def _estimates(
    model: Model,
    asked: _Asked,
    right: Floats,
    total: int,
    options: AnalogyOptions,
    rng: np.random.Generator,
) -> tuple[Estimate, ...]:
    n = {"questions": len(asked.questions)}
    if not len(right):
        return (Estimate(name=ACCURACY, value=None, unit="share", neutral=None, n=n),)
    transformed = model.untransformed is not None
    ends = right[[0, -1]] if transformed else right[-1:]
    drawn = drawn_accuracies(asked.pairs, ends, options.resamples, rng)
    found = [_accuracy(ACCURACY, ends[-1], drawn[-1], asked.pairs, options)]
    found.append(
        Estimate(
            name=OVER_ALL,
            value=float(ends[-1].sum()) / total,
            unit="share",
            neutral=None,
            n={"questions": total},
        )
    )
    if transformed:
        found.append(_accuracy(f"{ACCURACY} before", ends[0], drawn[0], asked.pairs, options))
        interval = change_interval(drawn[1] - drawn[0], options.confidence)
        found.append(
            Estimate(
                name=f"change of {ACCURACY}",
                value=float(ends[1].mean() - ends[0].mean()),
                unit="share",
                n=n,
                interval=ConfidenceInterval.of(interval) if interval else None,
            )
        )
    for section, own in _sections(asked).items():
        part = asked.pairs[own]
        for when, place in (("", -1), *(((" before", 0),) if transformed else ())):
            some = ends[place, own]
            resampled = drawn_accuracies(part, some[None], options.resamples, rng)[0]
            found.append(_accuracy(f"{ACCURACY}{when}, {section}", some, resampled, part, options))
    return tuple(found)


def _accuracy(
    name: str, right: Floats, drawn: Floats, pairs: npt.NDArray[np.intp], options: AnalogyOptions
) -> Estimate:
    return Estimate(
        name=name,
        value=float(right.mean()),
        unit="share",
        neutral=None,
        n={"questions": len(right), "pairs of words": len(np.unique(pairs))},
        interval=ConfidenceInterval.of(accuracy_interval(drawn, right, pairs, options.confidence)),
    )


def _sections(asked: _Asked) -> dict[str, npt.NDArray[np.intp]]:
    """The places of the questions of each section, where the file has any."""
    found: dict[str, list[int]] = {}
    for place, question in enumerate(asked.questions):
        if question.section:
            found.setdefault(question.section, []).append(place)
    return {section: np.array(places) for section, places in found.items()}


def _small_sections(asked: _Asked) -> tuple[str, ...]:
    small = {name: len(places) for name, places in _sections(asked).items() if len(places) < FEW}
    if not small:
        return ()
    shown = ", ".join(f"{name} ({count})" for name, count in small.items())
    return (f"sections with fewer than {FEW} questions that can be answered: {shown}",)


def _line(asked: _Asked, right: Floats, options: AnalogyOptions, rng: np.random.Generator) -> Line:
    drawn = drawn_accuracies(asked.pairs, right, options.resamples, rng)
    intervals = [
        accuracy_interval(some, own, asked.pairs, options.confidence)
        for some, own in zip(drawn, right, strict=True)
    ]
    values = tuple(float(own.mean()) for own in right)
    ends = tuple((one.low, one.high) for one in intervals)
    return Line("accuracy of analogies", "share", values, ends, None)


def _conventions(options: AnalogyOptions, scanned: int) -> dict[str, Scalar]:
    substring = f"of the {TOP} nearest words the first that does not hold a, b or c within it, in lower case; else none"
    return {
        "question": "a is to b as c is to d: the word nearest to b - a + c by cosine",
        "candidates": f"all words of the vocabulary: {scanned:,}"
        if scanned
        else "all words of the vocabulary",
        "rule": "a, b and c themselves are no answers" if options.rule == "exclude" else substring,
        "vectors of a, b and c": "of length one" if options.vectors == "unit" else "as in the file",
        "case": "questions in lower case, answers compared as written" if options.lowercase else "as written",
        "questions with an unknown word": "left out of the accuracy, and counted",
        "interval": "pairs of words resampled: questions that share a pair are not independent",
    }


def _items(questions: Sequence[Question], answers: Sequence[Sequence[str]], right: Floats) -> pa.Table:
    more: dict[str, Sequence[Scalar]] = {"answer": list(answers[-1])}
    if len(answers) > 1:
        more |= {"before": right[0].tolist(), "answer before": list(answers[0])}
    return item_table(
        item=[question.text for question in questions],
        group=[question.section or "questions" for question in questions],
        value=right[-1].tolist(),
        more=more,
    )
