"""How often the interval of a paired change holds the true change, and how often its test rejects where there is none.

    python -m benchmarks.bench_compare [samples]

Items of two models: a score of each, common to both in part. Beside it the unpaired interval and test of the same samples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from biascore.stats import bootstrap_effect, lmm, ols
from biascore.stats.cluster_change import ClusteredRows, cluster_change
from biascore.stats.contrasts import Change, contrast_change, unpaired_change
from biascore.stats.paired import bootstrap_mean
from biascore.stats.proportions import wilson_interval
from biascore_metrics.grammatical_gender.gaps import NounGaps
from biascore_metrics.grammatical_gender.valnorm import contributions

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.intp]
Ends = tuple[float, float]
RESAMPLES: Final = 400
DRAWS: Final = 399


@dataclass(frozen=True)
class Design:
    """Items by group, what is made of them, and the effect before and after; ``own``: the interval of one model."""

    name: str
    groups: Groups
    weights: tuple[float, ...]
    ddof: int | None
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]]
    change: float
    own: Callable[[Floats, np.random.Generator], Ends] | None = None


def latent(rng: np.random.Generator, n: int, correlation: float) -> Floats:
    """(2, n): what makes an item what it is, alike in both models by the correlation."""
    mixed = np.linalg.cholesky([[1, correlation], [correlation, 1]])
    return mixed @ rng.standard_normal((2, n))


def words(n: int, before: float, after: float, correlation: float) -> Design:
    """n + n words, d in the population (over the deviation of all words)."""
    groups = np.repeat(np.array([0, 1]), n)
    sign = np.where(groups == 0, 0.5, -0.5)
    gaps = [d / np.sqrt(1 - d * d / 4) for d in (before, after)]

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, 2 * n, correlation)
        return z[0] + sign * gaps[0], 3 * (z[1] + sign * gaps[1]) + 0.7  # another scale, and a common shift

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = bootstrap_effect(values[:n], values[n:], ddof=0, resamples=RESAMPLES, rng=rng)
        return found.low, found.high

    name = f"d {before:g} to {after:g}, {n} + {n} words, r {correlation}"
    return Design(name, groups, (1.0, -1.0), 0, draw, after - before, own)


def answers(n: int, before: float, after: float, correlation: float) -> Design:
    """n pairs, of which a share is preferred."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, n, correlation)
        return (z[0] < ndtri(before)).astype(float), (z[1] < ndtri(after)).astype(float)

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = wilson_interval(int(values.sum()), n)
        return found.low, found.high

    name = f"share {before:g} to {after:g}, {n} pairs, r {correlation}"
    return Design(name, np.zeros(n, dtype=np.intp), (1.0,), None, draw, after - before, own)


def sentences(n: int, before: float, after: float, correlation: float, *, yes_no: bool) -> Design:
    """16 stereotypes of n sentences, which differ among themselves; the effect is that of 9 less that of 7."""
    groups = np.repeat(np.arange(16), n)
    weights = (*([1 / 9] * 9), *([-1 / 7] * 7))
    own_level = np.linspace(-0.6, 0.6, 16)[np.array([0, 9, 3, 12, 6, 15, 1, 10, 4, 13, 7, 2, 11, 5, 14, 8])]
    men = np.arange(16) < 9
    # Each stereotype moves by itself as well; of the 9 and of the 7 together by nothing.
    moves = np.where(np.arange(16) % 2 == 0, 0.3, -0.3)
    for side in (men, ~men):
        moves[side] -= moves[side].mean()
    means = [own_level + np.where(men, d / 2, -d / 2) for d in (before, after)]
    means[1] = means[1] + moves
    values = ndtr(means) if yes_no else means
    truth = float(np.dot(weights, values[1]) - np.dot(weights, values[0]))

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, 16 * n, correlation)
        old, new = z[0] + means[0][groups], z[1] + means[1][groups]
        return ((old > 0).astype(float), (new > 0).astype(float)) if yes_no else (old, new)

    kind = "f_s" if yes_no else "g_s"
    name = f"{kind} {before:g} to {after:g}, 16 x {n} sentences, r {correlation}"
    return Design(name, groups, weights, None, draw, truth)


def means_of(n: int, before: float, after: float, correlation: float) -> Design:
    """The mean of n skewed values."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, n, correlation)
        return np.exp(z[0]) + before, np.exp(z[1]) + after

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = bootstrap_mean(values, resamples=RESAMPLES, rng=rng)
        return found.low, found.high

    name = f"mean {before:g} to {after:g}, {n} skewed items, r {correlation}"
    return Design(name, np.zeros(n, dtype=np.intp), (1.0,), None, draw, after - before, own)


@dataclass(frozen=True)
class Fitted:
    """Rows of clusters, the model of both sides of which is fitted twice, and the effect before and after."""

    name: str
    rows: lmm.Design
    clusters: Groups
    groups: dict[str, Groups]
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]]
    change: float

    def sample(self, rng: np.random.Generator) -> tuple[Change, Change]:
        """The change of the coefficient by what each cluster adds to it, and by the intervals of both fits."""
        contrast = self.rows.difference("side", "a", "b")
        parts, tests = [], []
        for values in self.draw(rng):
            weights = np.exp(rng.normal(-3.0, 0.5, values.size))
            fit = lmm.fit(values, self.rows, groups=self.groups, weights=weights)
            added = fit.contributions(contrast, values, self.clusters)
            parts.append(np.bincount(self.clusters, weights=added) * (self.clusters.max() + 1))
            tests.append(fit.test(contrast))
        one = np.zeros(len(parts[0]), dtype=np.intp)
        paired = contrast_change(*parts, one, (1.0,), resamples=RESAMPLES, draws=DRAWS, rng=rng)
        (old, new), ends = [t.estimate for t in tests], [(t.low, t.high) for t in tests]
        return paired, unpaired_change(old, ends[0], new, ends[1], 0.95)


def fitted(
    words: int, templates: int, before: float, after: float, correlation: float, own: float, *, pairs: bool
) -> Fitted:
    """Each word in each template on both sides, or each pair in one group of lengths; ``own``: sd of the words' own gaps."""
    word, template, side = (
        of.ravel() for of in np.meshgrid(range(words), range(templates), [0, 1], indexing="ij")
    )
    if pairs:
        template = word % 3

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        level, gap = latent(rng, words, correlation), own * latent(rng, words, correlation)
        noise, frame = latent(rng, word.size, correlation), latent(rng, template.max() + 1, correlation)
        both = [
            level[m][word] + frame[m][template] + (effect + gap[m][word]) * (side == 1) + noise[m]
            for m, effect in enumerate((before, after))
        ]
        return both[0], 1.5 * both[1]

    design = lmm.treatment({"side": np.array(["b", "a"])[side]}, levels={"side": ("b", "a")})
    groups = {"length": template, "pair": word} if pairs else {"template": template, "target": word}
    kind = f"{words} pairs" if pairs else f"{words} words, {templates} templates"
    name = f"mixed model {before:g} to {after:g}, {kind}, r {correlation}, sd of own gaps {own:g}"
    return Fitted(name, design, word, groups, draw, 1.5 * after - before)


@dataclass(frozen=True)
class Joint:
    """Names of two corpora, in frames of their own, and the difference between two groups before and after."""

    name: str
    rows: ClusteredRows
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]]
    change: float

    def sample(self, rng: np.random.Generator) -> tuple[Change, Change]:
        """The change by names, and by the intervals of both regressions."""
        of = {"group": ("a", "b")}
        old, new = self.draw(rng)
        paired = cluster_change(old, new, self.rows, of)
        ends = []
        for values in (old, new):
            fit = ols.fit(values, self.rows.design, absorb={"frame": self.rows.frames})
            test = fit.clustered(self.rows.clusters).marginal_effect(of)
            ends.append((test.estimate, (test.low, test.high)))
        return paired, unpaired_change(*ends[0], *ends[1], 0.95)


def joint(names: int, before: float, after: float, correlation: float) -> Joint:
    """names + names in the first corpus, half as many in the second, each in 5 frames of its corpus."""
    sizes = (names, names // 2)
    labels = [(c, g, i) for c, size in enumerate(sizes) for g in "ab" for i in range(size)]
    rows = [(c, g, f"{c}{g}{i}", f"{c}{f}") for c, g, i in labels for f in range(5)]
    corpus, group, person, frame = (np.array([str(row[k]) for row in rows]) for k in range(4))
    who = np.repeat(np.arange(len(labels)), 5)
    shift = np.where(corpus == "0", 0.0, 2.0)

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        own, noise = latent(rng, len(labels), correlation), latent(rng, len(rows), correlation)
        both = [
            shift + own[m][who] + (group == "a") * effect + noise[m]
            for m, effect in enumerate((before, after))
        ]
        return both[0], both[1] + shift

    clustered = ClusteredRows(person, frame, {"group": group}, {"group": ("b", "a")}, corpus)
    name = f"joint eec {before:g} to {after:g}, {sizes[0]} + {sizes[0]} and {sizes[1]} + {sizes[1]} names, r {correlation}"
    return Joint(name, clustered, draw, after - before)


@dataclass(frozen=True)
class Added:
    """What items add to an effect before and after, and the interval of one model's."""

    name: str
    draw: Callable[[np.random.Generator], tuple[tuple[Floats, Ends], tuple[Floats, Ends]]]
    change: float

    def sample(self, rng: np.random.Generator) -> tuple[Change, Change]:
        """The change by items, and by both intervals."""
        (old, old_ends), (new, new_ends) = self.draw(rng)
        one = np.zeros(old.size, dtype=np.intp)
        paired = contrast_change(
            old.size * old, new.size * new, one, (1.0,), resamples=RESAMPLES, draws=DRAWS, rng=rng
        )
        return paired, unpaired_change(old.sum(), old_ends, new.sum(), new_ends, 0.95)


def valences(n: int, before: float, after: float, correlation: float) -> Added:
    """n words whose valence in a model goes with their norms by r."""

    def draw(rng: np.random.Generator) -> Any:
        norms, noise = rng.standard_normal(n), latent(rng, n, correlation)
        found = []
        for r, own in zip((before, after), noise, strict=True):
            values = r * norms + np.sqrt(1 - r * r) * own
            added = contributions(values, norms)
            ends = np.tanh(np.arctanh(added.sum()) + np.array([-1, 1]) * ndtri(0.975) / np.sqrt(n - 3))
            found.append((added, (float(ends[0]), float(ends[1]))))
        return found

    return Added(f"valnorm r {before:g} to {after:g}, {n} words, r {correlation}", draw, after - before)


def nouns(n: int, before: float, after: float, correlation: float) -> Added:
    """n + n nouns of 20 dimensions, in one of which their genders lie apart by these lengths; the gap of mean cosines."""

    def vectors(z: Floats, apart: float, size: int) -> list[Floats]:
        side = np.repeat([apart / 2, -apart / 2], size)
        raw = np.column_stack([z[:, 0] + side, z[:, 1:]])
        unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return [unit[:size], unit[size:]]

    many = np.random.default_rng(1).standard_normal((40_000, 20))
    truth = [
        float(NounGaps(*([one] for one in vectors(many, a, 20_000))).contributions(0).sum())
        for a in (before, after)
    ]

    def draw(rng: np.random.Generator) -> Any:
        z = latent(rng, 2 * n * 20, correlation).reshape(2, 2 * n, 20)
        found = []
        for apart, own in zip((before, after), z, strict=True):
            added = NounGaps(*([one] for one in vectors(own, apart, n))).contributions(0)
            half = ndtri(0.975) * 2 * n * added.std(ddof=1) / np.sqrt(2 * n)
            found.append((added, (added.sum() - half, added.sum() + half)))
        return found

    name = f"gap of nouns {before:g} to {after:g} apart, {n} + {n}, r {correlation}"
    return Added(name, draw, truth[1] - truth[0])


def modelled() -> Iterator[Fitted | Joint | Added]:
    for correlation in (0.9, 0.5):
        for after in (0.7, 0.5):
            yield valences(100, 0.7, after, correlation)
        for after in (2.0, 1.0):
            yield nouns(50, 2.0, after, correlation)
        for after in (0.8, 0.2):
            for own in (0.0, 0.5):
                yield fitted(10, 6, 0.8 * 1.5, after, correlation, own, pairs=False)
            yield fitted(200, 1, 0.3 * 1.5, after * 3 / 8, correlation, 0.5, pairs=True)
            yield joint(10, 0.8, after, correlation)


def designs() -> Iterator[Design]:
    for correlation in (0.9, 0.5):
        for n in (8, 16, 32):
            yield words(n, 0.0, 0.0, correlation)
            yield words(n, 1.0, 1.0, correlation)
            yield words(n, 1.0, 0.3, correlation)
        for n in (50, 200):
            yield answers(n, 0.6, 0.6, correlation)
            yield answers(n, 0.6, 0.5, correlation)
        yield means_of(40, 0.0, 0.0, correlation)
        yield sentences(20, 0.4, 0.4, correlation, yes_no=False)
        yield sentences(20, 0.4, 0.1, correlation, yes_no=False)
        yield sentences(50, 0.4, 0.4, correlation, yes_no=True)


def by_model(samples: int) -> None:
    """Held and rejected where a model of all rows gives the effect."""
    for number, design in enumerate(modelled()):
        rng = np.random.default_rng([16, number])
        counts = np.zeros((2, 2))
        for _ in range(samples):
            for place, found in enumerate(design.sample(rng)):
                assert found.interval is not None, found.problem
                held = found.interval.low <= design.change <= found.interval.high
                counts[place] += held, found.p_value <= 0.05
        told = [f"held {100 * h / samples:5.1f}, rejected {100 * r / samples:5.1f}" for h, r in counts]
        print(
            f"{design.name:64} change {design.change:6.3f}  paired: {told[0]}; unpaired: {told[1]}",
            flush=True,
        )


def main(samples: int) -> None:
    print(
        "held: of 95 % intervals, those with the true change; rejected: p <= .05 (where the change is 0: the size)"
    )
    for number, design in enumerate(designs()):
        rng = np.random.default_rng([15, number])
        held, rejected, width, other = 0, 0, 0.0, [0, 0, 0.0]
        for _ in range(samples):
            old, new = design.draw(rng)
            found = contrast_change(
                old, new, design.groups, design.weights, ddof=design.ddof, resamples=RESAMPLES, draws=DRAWS, rng=rng
            )  # fmt: skip
            assert found.interval is not None, found.problem
            held += found.interval.low <= design.change <= found.interval.high
            rejected += found.p_value <= 0.05
            width += (found.interval.high - found.interval.low) / samples
            if design.own is not None:
                apart = unpaired_change(
                    found.old, design.own(old, rng), found.new, design.own(new, rng), 0.95
                )
                assert apart.interval is not None
                other[0] += apart.interval.low <= design.change <= apart.interval.high
                other[1] += apart.p_value <= 0.05
                other[2] += (apart.interval.high - apart.interval.low) / samples
        line = f"{design.name:46} change {design.change:6.3f}  paired: held {100 * held / samples:5.1f}"
        line += f", rejected {100 * rejected / samples:5.1f}, width {width:.3f}"
        if design.own is not None:
            line += (
                f"; unpaired: held {100 * other[0] / samples:5.1f}, rejected {100 * other[1] / samples:5.1f}"
            )
            line += f", width {other[2]:.3f}"
        print(line, flush=True)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    by_model(count)
    main(count)
