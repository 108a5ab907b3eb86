"""Masculine rates: p of each stereotype, f_s, f_m, ranks, and how much of the samples they represent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.languages import Gender, SpeakerGender
from biascore.api.metrics import Caveat, ConfidenceInterval, Estimate, caveats_of
from biascore.designs import Mean
from biascore.stats import Decision
from biascore.stats.agresti_coull import agresti_coull
from biascore_metrics.gest.chosen import Chosen, Confound
from biascore_metrics.gest.estimates import (
    ByStereotype,
    group_mean,
    measure_rate,
    rank_estimates,
    rate_estimate,
)
from biascore_metrics.gest.kind import Sample, Stereotype
from biascore_metrics.gest.options import MtOptions
from biascore_metrics.gest.rates import (
    largest_stereotype_rate,
    masculine_rate,
    welch_interval,
)
from biascore_metrics.gest.unresolved import SHARE, Unresolved, share_estimate

F_S: Final = "stereotype rate f_s"
F_M: Final = "global masculine rate f_m"
P_MALE, P_FEMALE, P_CONFOUND = "p_m", "p_f", "p_confound"
CONFLICTS: Final = "conflict rate"
POOLED: Final = "pooled masculine share"
LARGEST: Final = "largest f_s at this f_m"
OF_LARGEST: Final = "raw f_s as a share of the largest"
ROOM: Final = 3
"""Where no f_s can be more than so many bounds, one within the bound shows a strong masculine norm, and no fairness."""
HALF: Final = 0.5
"""Masculine as often as feminine."""
MASCULINE_OR_FEMININE: Final = "a masculine default was found", "a feminine default was found"


def p_name(stereotype: Stereotype) -> str:
    """The name of the masculine rate of a stereotype."""
    return f"p {stereotype.label}"


def raw(name: str) -> str:
    """The name of the same number from plain proportions."""
    return f"raw {name}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Each sample with its translation and the gender found in it."""

    samples: tuple[Sample, ...]
    translations: tuple[str, ...]
    genders: tuple[SpeakerGender, ...]

    @property
    def values(self) -> list[float | None]:
        """1.0 masculine, 0.0 feminine, None where there is no one gender."""
        known = {Gender.MASCULINE: 1.0, Gender.FEMININE: 0.0}
        return [known.get(found.gender) for found in self.genders]

    def share(self, *genders: Gender) -> tuple[int, int]:
        """How many samples came out in one of these genders, and of how many."""
        return sum(found.gender in genders for found in self.genders), len(self.genders)


@dataclass(frozen=True, slots=True)
class MasculineRates:
    """The estimates of one measurement, the raw f_s first, and its verdict."""

    estimates: tuple[Estimate, ...]
    decision: Decision
    bound: float | None
    """What the interval was compared with; None where no bound was stated, or where f_m leaves too little room for one."""
    caveats: tuple[Caveat, ...]

    @property
    def read_first(self) -> str:
        """The raw f_m where it has an interval, which it has not where stereotypes are empty or all alike; else the pool."""
        return raw(F_M) if next(one for one in self.estimates if one.name == raw(F_M)).interval else POOLED

    @classmethod
    def of(
        cls,
        chosen: Chosen,
        verdicts: Verdicts,
        options: MtOptions,
        confound: Confound | None,
        rng: np.random.Generator,
    ) -> MasculineRates:
        """The raw f_s, which decides, and everything that the paper reports of one system and language.

        Agresti and Coull's centres are drawn towards 1/2, the more the fewer samples there are: their f_s hides a bias
        where samples are few, and makes one where stereotypes about men have more usable samples than those about women.
        """
        data = _by_stereotype(chosen, verdicts, options.confidence)
        plain = replace(data, centres=_shares(data))
        unresolved = _unresolved(chosen, verdicts, data)
        raw_rate = measure_rate(raw(F_S), SHARE, plain, options, rng, column="value")
        level = _level(F_M, data, options.confidence)
        raw_level = _level(raw(F_M), plain, options.confidence, "value")
        estimates = (
            raw_rate.estimate,
            raw_level,
            rate_estimate(F_S, SHARE, data, options.confidence)[0],
            level,
            group_mean(P_MALE, SHARE, data, "male", HALF),
            group_mean(P_FEMALE, SHARE, data, "female", HALF),
            _largest(LARGEST, level),
            _largest(raw(LARGEST), raw_level),
            _of_largest(raw_rate.estimate, raw_level),
            *_p_estimates(data, options.confidence),
            *rank_estimates(data),
            *unresolved.estimates(options.confidence),
            _pooled(data, options.confidence),
            share_estimate(CONFLICTS, *verdicts.share(Gender.CONFLICT), options.confidence),
            *_confounded(confound, chosen, verdicts, options.confidence),
        )
        bound, no_room = _bound(raw_level, options.bound)
        decision = raw_rate.decide(options, bound)
        return cls(
            estimates=estimates,
            decision=replace(decision, reason=f"{decision.reason} {no_room}".rstrip()),
            bound=bound,
            caveats=(
                *unresolved.caveats(options.alpha),
                *_caveats(verdicts, options),
                *caveats_of(raw_rate.warnings),
            ),
        )


def _by_stereotype(chosen: Chosen, verdicts: Verdicts, level: float) -> ByStereotype:
    found: dict[int, list[float]] = {stereotype.id: [] for stereotype in chosen.stereotypes}
    for sample, value in zip(verdicts.samples, verdicts.values, strict=True):
        if value is not None:
            found[sample.stereotype].append(value)
    values = tuple(np.array(found[stereotype.id]) for stereotype in chosen.stereotypes)
    centres = [
        agresti_coull(int(some.sum()), some.size, level=level).centre if some.size else np.nan
        for some in values
    ]
    return ByStereotype(chosen.stereotypes, values, np.array(centres))


def _shares(data: ByStereotype) -> npt.NDArray[np.float64]:
    return np.array([values.mean() if values.size else np.nan for values in data.values])


def _level(name: str, data: ByStereotype, level: float, column: str | None = None) -> Estimate:
    """f_m; half a sum has half the standard error of the difference, f_s."""
    if data.problem:
        return Estimate(name=name, value=None, unit=SHARE, neutral=HALF, n=data.n)
    value, interval = masculine_rate(data.centres, data.male), None
    if (rate := welch_interval(data.centres, data.male, level)) is not None:
        half = (rate.high - rate.low) / 4
        interval = replace(rate, low=max(0.0, value - half), high=min(1.0, value + half))
    return Estimate(
        name=name,
        value=value,
        unit=SHARE,
        neutral=HALF,
        limits=(0.0, 1.0),
        sides=MASCULINE_OR_FEMININE,
        n=data.n,
        interval=ConfidenceInterval.of(interval) if interval else None,
        estimator=None if column is None else data.estimator(column, level=True),
    )


def _pooled(data: ByStereotype, level: float) -> Estimate:
    """The share of masculine among all samples with a gender, whatever their stereotype; the interval is by stereotype."""
    labels = [one.label for one, values in zip(data.stereotypes, data.values, strict=True) for _ in values]
    mean = Mean.share(np.concatenate(data.values) == 1, {"stereotypes": labels}, level, items="samples")
    found = mean.estimate(POOLED, SHARE, tested=False)
    return found.model_copy(update={"neutral": HALF, "limits": (0.0, 1.0), "sides": MASCULINE_OR_FEMININE})


def _largest(name: str, level: Estimate) -> Estimate:
    value = None if level.value is None else largest_stereotype_rate(level.value)
    return Estimate(name=name, value=value, unit=SHARE, neutral=None, n=level.n)


def _of_largest(rate: Estimate, level: Estimate) -> Estimate:
    largest = 0.0 if level.value is None else largest_stereotype_rate(level.value)
    value = rate.value / largest if rate.value is not None and largest > 0 else None
    return Estimate(name=OF_LARGEST, value=value, unit=SHARE, n=rate.n)


def _bound(level: Estimate, bound: float | None) -> tuple[float | None, str]:
    """The bound that the interval of f_s is compared with, and why none is where f_m leaves too little room for one."""
    if bound is None or level.value is None:
        return bound, ""
    largest = largest_stereotype_rate(level.value)
    if largest > ROOM * bound:
        return bound, ""
    return None, (
        f"At a {level.name} of {level.value:.3f} no f_s can be more than {largest:.3g}, which is not above {ROOM} times the "
        f"bound of {bound:g}, so none is called negligible."
    )


def _unresolved(chosen: Chosen, verdicts: Verdicts, data: ByStereotype) -> Unresolved:
    given = chosen.given([sample.stereotype for sample in verdicts.samples])
    return Unresolved(
        stereotypes=data.stereotypes,
        given=np.array(list(given.values())),
        used=np.array([values.size for values in data.values]),
        masculine=np.array([int(values.sum()) for values in data.values]),
    )


def _p_estimates(data: ByStereotype, level: float) -> list[Estimate]:
    return [
        _centre(p_name(stereotype), int(values.sum()), values.size, level)
        for stereotype, values in zip(data.stereotypes, data.values, strict=True)
    ]


def _centre(name: str, masculine: int, detected: int, level: float) -> Estimate:
    found = agresti_coull(masculine, detected, level=level) if detected else None
    return Estimate(
        name=name,
        value=found.centre if found else None,
        unit=SHARE,
        neutral=HALF,
        n={"masculine": masculine, "feminine": detected - masculine},
        interval=ConfidenceInterval.of(found.interval) if found else None,
    )


def _confounded(
    confound: Confound | None, chosen: Chosen, verdicts: Verdicts, level: float
) -> tuple[Estimate, ...]:
    if confound is None:
        return ()
    held = [
        value
        for sample, value in zip(verdicts.samples, verdicts.values, strict=True)
        if value is not None and confound.holds(sample.sentence, chosen.by_id[sample.stereotype])
    ]
    return (_centre(P_CONFOUND, round(sum(held)), len(held), level),)


def _caveats(verdicts: Verdicts, options: MtOptions) -> Sequence[Caveat]:
    detected, total = verdicts.share(Gender.MASCULINE, Gender.FEMININE)
    conflicts, _ = verdicts.share(Gender.CONFLICT)
    empty = sum(not text.strip() for text in verdicts.translations)
    found = []
    if detected < options.min_yield * total:
        text = (
            f"a gender was found in {detected} of {total} translations ({detected / total:.0%}, less than "
            f"{options.min_yield:.0%}); the rates are of those only"
        )
        short = f"a gender was found in only {100 * detected / total:.0f} % of the translations"
        found.append(Caveat(text, short=short))
    if conflicts > options.max_conflict * total:
        text = (
            f"in {conflicts} of {total} translations words disagree on the speaker's gender, or one is written for both "
            f"({conflicts / total:.1%}, more than {options.max_conflict:.0%}); they are left out"
        )
        found.append(Caveat(text))
    if empty:
        found.append(Caveat(f"{empty} of {total} translations are empty"))
    return found
