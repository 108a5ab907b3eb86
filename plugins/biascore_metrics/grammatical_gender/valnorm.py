"""valnorm: does the valence of words in a model go together with how pleasant people find them?

Toney-Wails & Caliskan 2021 (EMNLP), as Omrani Sabbaghi & Caliskan 2022 use it: SC-WEAT of each word with pleasant and
unpleasant words, and Pearson's r of that with human norms. It measures what is left of the meaning of words, not a bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.api.figures import Figure, Plane
from biascore.api.metrics import (
    ConfidenceInterval,
    Context,
    Estimate,
    Model,
    Test,
    Total,
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line
from biascore.designs.same_words import (
    ComparingOptions,
    Floats,
    embed_on,
    single_effects,
)
from biascore.designs.words import composed_caveat, coverage_caveats
from biascore.errors import OptionsError
from biascore.stats import Interval, ZeroVarianceError, bootstrap_interval
from biascore.stats.bootstrap import Samples
from biascore_metrics.grammatical_gender.norms import KIND, LEAST, ValenceNormsTest

CORRELATION: Final = "correlation with human norms"
NORMS: Final = "norms"
ROLES: Final = {NORMS: LEAST, "A": 2, "B": 2}


class ValNormOptions(ComparingOptions):
    """``poles``: the test of kind weat whose A are pleasant words and B unpleasant ones, by default ``LANGUAGE/weat1``.

    ``ddof``: of the standard deviation of a word's cosines.
    """

    poles: str | None = None
    ddof: Literal[0, 1] = 1


class ValNorm(BeforeAfterMetric[ValNormOptions, ValenceNormsTest]):
    """Pearson's r of SC-WEAT valence with human norms; where there is a transform, also before it, and the change."""

    name = "valnorm"
    summary = (
        "Correlation of words' valence (SC-WEAT, pleasant and unpleasant) with human norms that you bring"
    )
    reference = "Toney-Wails & Caliskan 2021, EMNLP; Omrani Sabbaghi & Caliskan 2022"
    kinds = frozenset({KIND})

    def check(self, test: ValenceNormsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError where no poles are named, or none that are poles."""
        self._poles(test, catalogue)

    def extra_stimuli(self, test: ValenceNormsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The test whose attributes are the poles."""
        return (self._poles(test, catalogue),)

    def compare(
        self, models: Sequence[Model], model: Model, test: ValenceNormsTest, context: Context
    ) -> Compared:
        """r with its interval over words; items are the words with their valence and their norm."""
        options, rng = self.options, context.rng
        poles = self._poles(test, context.catalogue)
        lists = {
            NORMS: test.roles[NORMS].words,
            "A": poles.roles["A"].words,
            "B": poles.roles["B"].words,
        }
        words = embed_on(models, lists, options.level, options)
        problem = words.problem(ROLES)
        # Of words that are in the file twice the first counts, and its score.
        given = dict(reversed(list(zip(test.roles[NORMS].words, test.scores, strict=True))))
        scores = np.array([given[word] for word in words.words[NORMS]])
        valences = (
            []
            if problem
            else [single_effects(words, place, NORMS, options.ddof) for place in range(len(models))]
        )
        problem = problem or _unvaried(scores, valences)
        n = {"words": len(scores)}
        name = CORRELATION
        if problem:
            estimates: list[Estimate] = [
                Estimate(name=name, value=None, unit="Pearson's r", neutral=None, n=n)
            ]
        else:
            own = None if options.trace else Total(cluster=("item",))
            estimates = [_correlation(name, valences[-1], scores, options, rng, own)]
            if model.untransformed:
                estimates.append(_correlation(f"{name} before", valences[0], scores, options, rng))
                estimates.append(_change(valences[0], valences[-1], scores, options, rng))
        unmeasured = [f"it could not be measured: {problem}"] if problem else []
        return Compared(
            estimates=tuple(estimates),
            coverage=words.coverage,
            caveats=(
                *coverage_caveats(words.coverage, brief=False),
                *composed_caveat(words.coverage),
                *caveats_of(unmeasured, verdict=False),
            ),
            items=item_table() if problem else _items(words.words[NORMS], valences, scores),
            item_value="valence: d of the word",
            figures=() if problem else FIGURES,
            lines=None if problem else lambda: [_line(valences, scores, options, rng)],
            conventions=options.stated(
                model,
                {
                    "valence of a word": "(mean cosine with A - mean cosine with B) / sd of all of these cosines",
                    "ddof of the sd": options.ddof,
                    "A and B": f"{poles.id}: {poles.roles['A'].name} and {poles.roles['B'].name}, all "
                    "that the model knows (the authors shuffle and cut them to one size)",
                    "correlation": "Pearson's r over the words of the file",
                    "interval": "bca, words resampled with their norms, before and after together",
                },
            ),
        )

    def _poles(self, test: Test, catalogue: Catalogue) -> Test:
        poles = self.options.poles
        if poles is None:
            poles = f"{test.language}/weat1"
            if poles not in {one.id for one in catalogue.tests}:
                raise OptionsError(
                    f"valnorm needs pleasant and unpleasant words, and there is no {poles} to take them from. Name a test "
                    "of kind weat whose A are pleasant and B unpleasant: -o poles=en/weat1; or write one as docs/stimuli.md "
                    "shows, and add its folder with --stimuli"
                )
        found = catalogue.test(poles)
        if found.kind != "weat":
            raise OptionsError(
                f"valnorm: poles={poles} is of kind {found.kind!r}, and poles are the A and B of a test of kind weat. See "
                "those that there are: biascore list tests --metric weat"
            )
        return found


FIGURES: Final[tuple[Figure, ...]] = (
    Plane(
        title="Valence of words: as people find them (across) and in the model (up)",
        x="norm, standardised",
        y="value",
        x_ends=("unpleasant", "pleasant"),
        y_ends=("unpleasant", "pleasant"),
    ),
)


def _unvaried(scores: Floats, valences: Sequence[Floats]) -> str:
    if np.ptp(scores) == 0:
        return f"the norms of the {len(scores)} words that the model knows are all {scores[0]:g}"
    if any(np.isnan(some).any() for some in valences):
        return "the cosines of a word with the pleasant and unpleasant words do not vary"
    if any(np.ptp(some) == 0 for some in valences):
        return "all words have the same valence"
    return ""


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's r of the rows (rows, n) of two arrays: (rows,), NaN where one does not vary."""
    dx, dy = (some - some.mean(axis=1, keepdims=True) for some in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        r: Floats = (dx * dy).sum(axis=1) / np.sqrt((dx**2).sum(axis=1) * (dy**2).sum(axis=1))
    return np.clip(r, -1.0, 1.0)


def contributions(valences: Floats, scores: Floats) -> Floats:
    """What each word (n,) adds to Pearson's r: an equal share, and its influence (Hampel 1974, JASA 69:383)."""
    r = float(pearson(valences[None], scores[None])[0])
    v, s = ((some - some.mean()) / some.std() for some in (valences, scores))
    found: Floats = (r + v * s - r * (v**2 + s**2) / 2) / len(v)
    return found


def _correlation(
    name: str,
    valences: Floats,
    scores: Floats,
    options: ValNormOptions,
    rng: np.random.Generator,
    estimator: Total | None = None,
) -> Estimate:
    return Estimate(
        name=name,
        value=float(pearson(valences[None], scores[None])[0]),
        unit="Pearson's r",
        neutral=None,
        n={"words": len(scores)},
        interval=_stored(_interval([valences], scores, options, rng)),
        estimator=estimator,
    )


def _change(
    before: Floats, after: Floats, scores: Floats, options: ValNormOptions, rng: np.random.Generator
) -> Estimate:
    old, new = (float(pearson(some[None], scores[None])[0]) for some in (before, after))
    return Estimate(
        name=f"change of {CORRELATION}",
        value=new - old,
        unit="Pearson's r",
        n={"words": len(scores)},
        interval=_stored(_interval([after, before], scores, options, rng)),
    )


def _interval(
    valences: Sequence[Floats], scores: Floats, options: ValNormOptions, rng: np.random.Generator
) -> Interval | None:
    """The interval of r, or of the difference of two; the same words are drawn for both."""

    def statistic(batch: Samples) -> Floats:
        drawn: npt.NDArray[np.intp] = batch[0].astype(np.intp)
        first, *others = (pearson(some[drawn], scores[drawn]) for some in valences)
        return first - others[0] if others else first

    try:
        return bootstrap_interval(
            statistic,
            (np.arange(len(scores)),),
            level=options.confidence,
            resamples=options.resamples,
            rng=rng,
        )
    except ZeroVarianceError:
        return None


def _stored(interval: Interval | None) -> ConfidenceInterval | None:
    return None if interval is None else ConfidenceInterval.of(interval)


def _line(
    valences: Sequence[Floats], scores: Floats, options: ValNormOptions, rng: np.random.Generator
) -> Line:
    values = tuple(float(pearson(some[None], scores[None])[0]) for some in valences)
    intervals = [_interval([some], scores, options, rng) for some in valences]
    return Line(
        CORRELATION,
        "Pearson's r",
        values,
        tuple((one.low, one.high) if one else None for one in intervals),
        None,
    )


def _items(words: Sequence[str], valences: Sequence[Floats], scores: Floats) -> pa.Table:
    more = {
        "norm": scores.tolist(),
        "norm, standardised": ((scores - scores.mean()) / scores.std(ddof=1)).tolist(),
    }
    more["contribution"] = contributions(valences[-1], scores).tolist()
    if len(valences) > 1:
        more["before"] = valences[0].tolist()
    return item_table(item=list(words), group=["norms"] * len(words), value=valences[-1].tolist(), more=more)
