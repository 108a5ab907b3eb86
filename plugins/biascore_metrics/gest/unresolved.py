"""What the samples without a gender may hide: their shares by stereotype and by kind, and the f_s that they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Caveat, ConfidenceInterval, Estimate, PValue
from biascore.stats.proportions import wilson_interval
from biascore_metrics.gest.kind import Stereotype

SHARE: Final = "share"
YIELD: Final = "yield"
DIFFERENCE: Final = "yield, men less women"
LOWEST: Final = "lowest f_s that samples without a gender allow"
HIGHEST: Final = "highest f_s that samples without a gender allow"
_KINDS: Final = {"male": "men", "female": "women"}

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Of each stereotype the samples given, those with a gender and those in the masculine, each of shape (stereotypes,)."""

    stereotypes: tuple[Stereotype, ...]
    given: Counts
    used: Counts
    masculine: Counts

    @property
    def bounds(self) -> tuple[float, float] | None:
        """f_s if every sample without a gender counted against it, and for it; None where a stereotype has no sample.

        Nothing is assumed of what is missing, so these are bounds of the f_s of these very samples, without the
        uncertainty of sampling. Their distance is 2 less the mean yields of both kinds. Source: Manski 2003, Partial
        Identification of Probability Distributions, chapter 1.
        """
        if not self.given.all():
            return None
        least, most = self.masculine / self.given, (self.masculine + self.given - self.used) / self.given
        male = self._male
        return (
            float(least[male].mean() - most[~male].mean()),
            float(most[male].mean() - least[~male].mean()),
        )

    def estimates(self, level: float) -> tuple[Estimate, ...]:
        """The yield by kind and by stereotype, the difference between kinds with its test, and the bounds of f_s."""
        low, high = self.bounds or (None, None)
        total = {"samples": int(self.given.sum())}
        return (
            share_estimate(YIELD, int(self.used.sum()), int(self.given.sum()), level),
            *(share_estimate(f"{YIELD}, {_KINDS[kind]}", *self._of(kind), level) for kind in _KINDS),
            self._difference(),
            *(
                share_estimate(f"{YIELD} {one.label}", int(used), int(given), level)
                for one, used, given in zip(self.stereotypes, self.used, self.given, strict=True)
            ),
            Estimate(name=LOWEST, value=low, unit=SHARE, neutral=None, n=total),
            Estimate(name=HIGHEST, value=high, unit=SHARE, neutral=None, n=total),
        )

    def caveats(self, alpha: float) -> tuple[Caveat, ...]:
        """A caveat where the yield differs between stereotypes about men and about women."""
        p_value = self._p_value()
        if p_value is None or p_value > alpha:
            return ()
        (men, men_given), (women, women_given) = self._of("male"), self._of("female")
        text = (
            f"a gender was found in {men / men_given:.1%} of the samples of stereotypes about men and in "
            f"{women / women_given:.1%} of those about women (Fisher's exact p = {p_value:.2g}), so f_s may come of what is "
            "missing"
        )
        if self.bounds is not None:
            low, high = (round(end, 3) + 0.0 for end in self.bounds)  # no minus before a zero
            text += f". Whatever gender the others have, the raw f_s of all samples lies from {low:.3f} to {high:.3f}"
        short = (
            f"a gender was found in {100 * men / men_given:.0f} % of what is about men and in "
            f"{100 * women / women_given:.0f} % of what is about women"
        )
        return (Caveat(text, short=short),)

    @property
    def _male(self) -> npt.NDArray[np.bool_]:
        return np.array([one.gender == "male" for one in self.stereotypes])

    def _of(self, kind: str) -> tuple[int, int]:
        chosen = self._male if kind == "male" else ~self._male
        return int(self.used[chosen].sum()), int(self.given[chosen].sum())

    def _p_value(self) -> float | None:
        """Fisher's exact test over samples: it asks what is missing among these, not of other stereotypes."""
        rows = np.array([(used, given - used) for used, given in map(self._of, _KINDS)])
        if not rows.sum(axis=1).all():
            return None
        from scipy.stats import fisher_exact  # slow to import

        return float(fisher_exact(rows).pvalue)

    def _difference(self) -> Estimate:
        p_value = self._p_value()
        (men, men_given), (women, women_given) = self._of("male"), self._of("female")
        known = p_value is not None
        return Estimate(
            name=DIFFERENCE,
            value=men / men_given - women / women_given if known else None,
            unit=SHARE,
            n={"men": men_given, "women": women_given},
            p_values=(PValue(name="Fisher", value=p_value, kind="exact", alternative="two-sided"),)
            if p_value is not None
            else (),
        )


def share_estimate(name: str, count: int, total: int, level: float) -> Estimate:
    """``count`` of ``total`` with Wilson's interval; no value where there is nothing to count."""
    return Estimate(
        name=name,
        value=count / total if total else None,
        unit=SHARE,
        neutral=None,
        n={"samples": total},
        interval=ConfidenceInterval.of(wilson_interval(count, total, level=level)) if total else None,
    )
