"""valnorm: does the valence of words in a model go together with how pleasant people find them?

Toney-Wails & Caliskan 2021 (EMNLP), as Omrani Sabbaghi & Caliskan 2022 use it: SC-WEAT of each word with pleasant and
unpleasant words, and Pearson's r of that with human norms. It measures what is left of the meaning of words, not a bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure, Plane
from biascore.api.metrics import Context, Estimate, Model, Total, item_table
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line, Places, resampled
from biascore.designs.same_words import ComparingOptions, Floats, embed_on, single_effects
from biascore.designs.words import composed_caveat, coverage_caveats
from biascore_metrics.grammatical_gender.formats import LEAST_NORMS, VALENCE_NORMS, ValenceNormsTest
from biascore_metrics.grammatical_gender.kind import Poles

CORRELATION: Final = "correlation with human norms"
UNIT: Final = "Pearson's r"
NORMS: Final = "norms"
POLES: Final = Poles(
    "valnorm",
    "poles",
    "weat1",
    "pleasant and unpleasant words",
    "whose A are pleasant and B unpleasant, such as poles=en/weat1; or write one as docs/stimuli.md shows, and add its "
    "folder",
)
FIGURES: Final[tuple[Figure, ...]] = (
    Plane(
        title="Valence of words: as people find them (across) and in the model (up)",
        x="norm, standardised",
        y="value",
        x_ends=("unpleasant", "pleasant"),
        y_ends=("unpleasant", "pleasant"),
    ),
)


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
    use = "associates"
    reference = "Toney-Wails & Caliskan 2021, EMNLP; Omrani Sabbaghi & Caliskan 2022"
    kinds = frozenset({VALENCE_NORMS})

    def check(self, test: ValenceNormsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError where no poles are named, or none that are poles."""
        POLES.of(self.options.poles, test, catalogue)

    def extra_stimuli(self, test: ValenceNormsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The test whose attributes are the poles."""
        return (POLES.of(self.options.poles, test, catalogue),)

    def compare(
        self, models: Sequence[Model], model: Model, test: ValenceNormsTest, context: Context
    ) -> Compared:
        """r with its interval over words; items are the words with their valence and their norm."""
        options = self.options
        poles = POLES.of(options.poles, test, context.catalogue)
        lists = {NORMS: test.roles[NORMS].words, **{side: poles.roles[side].words for side in "AB"}}
        words = embed_on(models, lists, options.level, options)
        # Of words that are in the file twice the first counts, and its score.
        given = dict(reversed(list(zip(test.roles[NORMS].words, test.scores, strict=True))))
        scores = np.array([given[word] for word in words.words[NORMS]])
        n = {"words": len(scores)}
        unmeasured = Compared(
            problem=words.problem({NORMS: LEAST_NORMS, "A": 2, "B": 2}),
            estimates=(Estimate(name=CORRELATION, value=None, unit=UNIT, neutral=None, n=n),),
            coverage=words.coverage,
            caveats=(*coverage_caveats(words.coverage, brief=False), *composed_caveat(words.coverage)),
            item_value="valence: d of the word",
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
        if unmeasured.problem:
            return unmeasured
        valences = [single_effects(words, place, NORMS, options.ddof) for place in range(len(models))]
        problem = _unvaried(scores, valences)
        if problem:
            return replace(unmeasured, problem=problem)

        def estimate(name: str, *places: int, neutral: float | None = None) -> Estimate:
            """Of one state, or of the first less the second: the same words are drawn for both."""

            def r(drawn: Places) -> Floats:
                first, *others = (pearson(valences[place][drawn[0]], scores[drawn[0]]) for place in places)
                return first - others[0] if others else first

            return resampled(name, UNIT, n, r, options, context.rng, neutral)

        estimates = [estimate(CORRELATION, -1)]
        if not options.trace:
            estimates = [estimates[0].model_copy(update={"estimator": Total(cluster=("item",))})]
        if model.untransformed:
            estimates.append(estimate(f"{CORRELATION} before", 0))
            estimates.append(estimate(f"change of {CORRELATION}", -1, 0, neutral=0.0))
        every = (estimate(CORRELATION, place) for place in range(len(models)))
        return replace(
            unmeasured,
            estimates=tuple(estimates),
            items=_items(words.words[NORMS], valences, scores),
            figures=FIGURES,
            lines=lambda: [Line.of(CORRELATION, UNIT, every, None)],
        )


def _unvaried(scores: Floats, valences: Sequence[Floats]) -> str:
    if np.ptp(scores) == 0:
        return f"the norms of the {len(scores)} words that the model knows are all {scores[0]:g}"
    if any(np.isnan(some).any() for some in valences):
        return "the cosines of a word with the pleasant and unpleasant words do not vary"
    return "all words have the same valence" if any(np.ptp(some) == 0 for some in valences) else ""


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


def _items(words: Sequence[str], valences: Sequence[Floats], scores: Floats) -> pa.Table:
    more = {
        "norm": scores.tolist(),
        "norm, standardised": ((scores - scores.mean()) / scores.std(ddof=1)).tolist(),
        "contribution": contributions(valences[-1], scores).tolist(),
    }
    if len(valences) > 1:
        more["before"] = valences[0].tolist()
    return item_table(item=list(words), group=[NORMS] * len(words), value=valences[-1].tolist(), more=more)
