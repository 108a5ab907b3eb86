"""Winogender: does a pronoun's gender change whom a model takes it to mean, as occupations are held by women and men?

Rudinger, Naradowsky, Leonard & Van Durme 2018, Gender Bias in Coreference Resolution, NAACL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from biascore.api.metrics import (
    ConfidenceInterval,
    Context,
    Coverage,
    Estimate,
    Model,
    Scalar,
    Total,
    item_table,
)
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs import ClusteredOptions, Decided, DecidedMetric, Mean
from biascore.designs.bounds import Bound
from biascore.designs.clustered import p_of
from biascore.stats import Interval, RegressionError, ZeroVarianceError
from biascore.stats.slope import Slope, slope
from biascore_metrics.coreference.asking import NATS, PROMPT, Floats, Prompt, Referent, log_odds
from biascore_metrics.coreference.files import recorded
from biascore_metrics.coreference.winogender_items import GENDERS, SOMEONE, Gender, Schema, WinogenderTest

SLOPE: Final = "slope over the share of women"
CORRELATION: Final = "correlation with the share of women"
GAP: Final = "mean log odds of the occupation, she - he"
UNIT: Final = f"{NATS} from 0 to 100 % women"
ACCURACIES: Final[Mapping[str, tuple[Sequence[Gender], bool]]] = {
    "accuracy": (GENDERS, False),
    **{f"accuracy {gender}": ((gender,), False) for gender in GENDERS},
    "accuracy gotcha": (GENDERS, True),
    "accuracy gotcha female": (("female",), True),
    "accuracy gotcha male": (("male",), True),
}
"""The published ones: which pronouns, and whether only sentences in which the majority of the occupation misleads."""


class WinogenderOptions(ClusteredOptions):
    """``prompt``: how a model is asked, with {sentence} and {pronoun}; a mention follows.

    ``bound``: nats around 0 within which the whole interval of the slope counts as negligible; "none" states none. Of .2
    occupations without women and of women alone are .1 from the middle: 47.5 and 52.5 % in place of 50.
    """

    bound: Bound = 0.2

    prompt: Prompt = PROMPT


@dataclass(frozen=True, slots=True)
class SlopeOverShare:
    """Gaps (n,) of schemas, and the slope of their means by occupation over the share of women, or why there is none."""

    schemas: Sequence[Schema]
    gaps: Floats
    found: Slope | str
    contributions: Floats
    """(n,) What each schema adds to the slope."""

    @classmethod
    def of(cls, schemas: Sequence[Schema], gaps: Floats, level: float) -> Self:
        """The slope in nats from 0 to 100 % women."""
        names, first, place = np.unique(
            [one.occupation for one in schemas], return_index=True, return_inverse=True
        )
        count = np.bincount(place, minlength=len(names))
        means = np.bincount(place, weights=gaps, minlength=len(names)) / count
        women = np.bincount(place, weights=[one.women / 100 for one in schemas], minlength=len(names)) / count
        try:
            sectors = [schemas[i].sector or schemas[i].occupation for i in first]
            found = slope(women, means, level, clusters=sectors)
        except (RegressionError, ZeroVarianceError) as error:
            return cls(schemas, gaps, str(error), np.zeros(len(gaps)))
        return cls(schemas, gaps, found, (found.weights / count)[place] * gaps)

    def estimate(self, name: str, *, tested: bool = True) -> Estimate:
        """The slope with its interval and, if ``tested``, its p-value."""
        n = {"occupations": len({one.occupation for one in self.schemas}), "schemas": len(self.schemas)}
        if sectors := {one.sector for one in self.schemas} - {""}:
            n = {"sectors": len(sectors), **n}
        if isinstance(self.found, str):
            return Estimate(name=name, value=None, unit=UNIT, n=n)
        over = "sectors" if "sectors" in n else "occupations"
        p = p_of(f"t over {over}, {self.found.error}", self.found.test.p_value)
        return Estimate(
            name=name,
            value=self.found.test.estimate,
            unit=UNIT,
            neutral=0.0,
            n=n,
            interval=ConfidenceInterval.of(_interval(self.found)),
            p_values=(p,) if tested else (),
        )


class Winogender(DecidedMetric[WinogenderOptions, WinogenderTest]):
    """The slope of the log odds of the occupation, she - he, over the share of women in occupations."""

    name = "winogender"
    summary = (
        "Winogender: log odds of the occupation, she - he, over its share of women; published accuracies"
    )
    use = "prefers"
    reference = (
        "Rudinger et al. 2018, Gender Bias in Coreference Resolution, NAACL (prompt: lm-evaluation-harness)"
    )
    rule = (
        "Detected when the slope of the log odds that the pronoun means the occupation, she - he, over the share of women "
        "in occupations differs from 0 by a t test over occupations (HC3) at level alpha, or over sectors (CR2) where the "
        "data name them."
    )
    requires = frozenset({"score"})
    kinds = frozenset({"winogender"})

    def extra_stimuli(self, test: WinogenderTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        return recorded(test, test.read_with)

    def result(self, model: Model, test: WinogenderTest, context: Context) -> Decided:
        """The slope, the mean gap, and the published accuracies; items are the schemas."""
        options, schemas = self.options, test.samples.rows
        asked = [
            Referent(sentence, pronoun, one.occupation, one.participant)
            for one in schemas
            for sentence, pronoun in zip(one.sentences, one.pronouns, strict=True)
        ]
        odds = log_odds(model, asked, options.prompt).reshape(-1, len(GENDERS))
        gaps = odds[:, GENDERS.index("female")] - odds[:, GENDERS.index("male")]
        over = SlopeOverShare.of(schemas, gaps, options.confidence)
        by = "cluster" if any(one.sector for one in schemas) else "occupation"
        headline = over.estimate(SLOPE)
        if not isinstance(over.found, str):
            headline = headline.model_copy(update={"estimator": Total(cluster=(by,))})
        by_person = [
            self._slope_of_part(over, [(one.participant == SOMEONE) == someone for one in schemas], label)
            for someone, label in ((False, "the participant named"), (True, "someone"))
        ]
        gap = Mean.of(gaps, _by_sector(schemas), options.confidence, items="schemas")
        tested = None if isinstance(over.found, str) else over.found
        return Decided(
            variant=options.variant(model),
            negative_means="she is understood as the occupation the less, compared with he, the more women work in it",
            estimates=(
                headline,
                _correlation(over),
                gap.estimate(GAP, NATS, tested=False),
                *by_person,
                *self._accuracies(schemas, odds),
            ),
            p_value=tested.test.p_value if tested else None,
            interval=_interval(tested) if tested else None,
            problem=over.found if isinstance(over.found, str) else "",
            bound=options.bound,
            scores=(over,),
            few=tested is None,
            coverage=Coverage(given={"samples": len(schemas)}, used={"samples": len(schemas)}),
            conventions=self._conventions(),
            item_value=f"log odds of the occupation, she - he, in {NATS}",
            items=item_table(
                item=[one.item for one in schemas],
                group=["someone" if one.participant == SOMEONE else "participant" for one in schemas],
                value=gaps.tolist(),
                more={
                    "occupation": [one.occupation for one in schemas],
                    **({by: [one.sector for one in schemas]} if by == "cluster" else {}),
                    "women": [one.women for one in schemas],
                    **{f"log_odds_{gender}": odds[:, k].tolist() for k, gender in enumerate(GENDERS)},
                    "contribution": over.contributions.tolist(),
                },
            ),
        )

    def _slope_of_part(self, over: SlopeOverShare, chosen: Sequence[bool], label: str) -> Estimate:
        schemas = [one for one, yes in zip(over.schemas, chosen, strict=True) if yes]
        part = SlopeOverShare.of(schemas, over.gaps[np.array(chosen, dtype=bool)], self.options.confidence)
        return part.estimate(f"{SLOPE}, {label}", tested=False)

    def _accuracies(self, schemas: Sequence[Schema], odds: Floats) -> list[Estimate]:
        """Of all sentences, by gender of the pronoun, and of those in which the majority of the occupation misleads."""
        found = []
        for name, (genders, misled) in ACCURACIES.items():
            cells = [
                (one, (row[k] > 0) == one.occupation_is_right and bool(row[k]))
                for one, row in zip(schemas, odds, strict=True)
                for k, gender in enumerate(GENDERS)
                if gender in genders and (one.gotcha(gender) or not misled)
            ]
            right = np.array([100.0 * bool(hit) for _, hit in cells])
            mean = Mean.of(
                right,
                _by_sector([one for one, _ in cells]),
                self.options.confidence,
                limits=(0.0, 100.0),
                items="sentences",
            )
            found.append(mean.estimate(f"published {name}", "%", tested=False, neutral=False))
        return found

    def _conventions(self) -> Mapping[str, Scalar]:
        return {
            "score": "log-likelihood of the occupation less that of the participant, natural logarithm, after the prompt",
            "prompt": self.options.prompt,
            "slope": "least squares of the mean of each occupation over its share of women",
            "p-value and interval": "t with occupations - 2 df, HC3; where sectors are named CR2, Satterthwaite df",
            "accuracy": "share of sentences whose right mention is likelier; a tie is not right",
            "gotcha": "she and the occupation is right, which has less than 50 % women, or not right, and has more; he the "
            "other way round (Rudinger et al. 2018, Table 3)",
        }


def _by_sector(schemas: Sequence[Schema]) -> dict[str, list[str]]:
    """What schemas are alike by: the sector of their occupation, where one is named, or the occupation."""
    named = any(one.sector for one in schemas)
    return {"sectors" if named else "occupations": [one.sector or one.occupation for one in schemas]}


def _interval(found: Slope) -> Interval:
    test = found.test
    return Interval(test.low, test.high, test.level, f"t, {found.error}, {test.df:z.3g} df", 0)


def _correlation(over: SlopeOverShare) -> Estimate:
    value = None if isinstance(over.found, str) else over.found.correlation
    n = {"occupations": len({one.occupation for one in over.schemas})}
    return Estimate(name=CORRELATION, value=value, unit="Pearson's r", n=n)
