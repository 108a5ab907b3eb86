"""What docs/metrics/fise.md reports: false rejections, power and coverage of FISE's tests and intervals, and times.

Run: python tests/benchmarks/bench_fise.py [sets]
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from biascore_metrics.fise.statistics import WeightedStatistics, affect_name, excess_name, share_name
from scipy.stats import chisquare, fisher_exact, pearsonr, ttest_1samp

from biascore.stats import cosine_matrix
from biascore.stats.labels import (
    Labelled,
    cell_codes,
    cell_counts,
    distance_from_even,
    distribution_test,
    interaction_test,
    mean_bias_test,
    share_difference_tests,
)
from biascore_metrics.fise.intervals import (
    difference_interval,
    distance_interval,
    effective_words,
    joint_intervals,
    share_interval,
)
from biascore_metrics.fise.placement import Placement

Floats = npt.NDArray[np.float64]
DRAWS = 999
LEVEL = 0.05


def targets(rng: np.random.Generator, n: int, dimensions: int, topic: float) -> Floats:
    """Words that share a topic: a common direction of length ``topic`` beside noise of length 1."""
    common = rng.standard_normal(dimensions)
    noise = rng.standard_normal((n, dimensions)) / np.sqrt(dimensions)
    return noise + topic * common / np.linalg.norm(common)


def labelled(rng: np.random.Generator, words: Floats, size: int, shift: Floats | None = None) -> Labelled:
    """A dimension of two lists of random words; with ``shift`` list A lies in that direction."""
    one, other = rng.standard_normal((2, size, words.shape[1])) / np.sqrt(words.shape[1])
    return Labelled.of(
        cosine_matrix(words, one if shift is None else one + shift), cosine_matrix(words, other)
    )


def false_rejections(sets: int, n: int, size: int, dimensions: int, topic: float) -> dict[str, float]:
    """Share of sets without any bias that each test rejects at 5 %."""
    rng = np.random.default_rng(20251)
    rejected: dict[str, list[bool]] = {}

    def note(name: str, p: float) -> None:
        rejected.setdefault(name, []).append(bool(p <= LEVEL))

    for _ in range(sets):
        words = targets(rng, n, dimensions, topic)
        one, other, affect = (labelled(rng, words, size) for _ in range(3))
        codes = cell_codes([one.scores, other.scores])
        counts = cell_counts(codes, 4)
        note("(a) mean bias", mean_bias_test(one, draws=DRAWS, rng=rng).two_sided.p_value)
        note("(b) distribution", distribution_test([one, other], draws=DRAWS, rng=rng).test.p_value)
        note("(c) interaction", interaction_test(one, other, draws=DRAWS, rng=rng).deciding.p_value)
        for test in share_difference_tests(affect, codes, 4, draws=DRAWS, rng=rng):
            if test is not None:
                note("(d) affect of a group", test.p_value)
        note("one-sample t over words", ttest_1samp(one.scores, 0.0).pvalue)
        note("chi-square against even", chisquare(counts).pvalue)
        note("Fisher's exact test of signs", fisher_exact(counts.reshape(2, 2)).pvalue)
        note("Pearson's r over words", pearsonr(one.scores, other.scores).pvalue)
    return {name: float(np.mean(found)) for name, found in rejected.items()}


def inflected(rng: np.random.Generator, sizes: Sequence[int], cosine: float, dimensions: int) -> Floats:
    """Words in families of ``sizes``, the forms of one word with ``cosine`` between them."""
    shared = np.repeat(rng.standard_normal((len(sizes), dimensions)), sizes, axis=0)
    own = rng.standard_normal(shared.shape)
    words: Floats = np.sqrt(cosine) * shared + np.sqrt(1.0 - cosine) * own
    return words


def inflected_rejections(
    sets: int, shape: tuple[Sequence[int], Sequence[int]], cosine: float
) -> dict[str, tuple[float, float]]:
    """Share of sets without bias rejected at 5 %, labels permuted word by word and family by family.

    124 targets that share a topic, 50 dimensions, lists of words in families of the sizes in ``shape``.
    """
    rng = np.random.default_rng(20255)
    rejected: dict[str, list[tuple[bool, bool]]] = {}
    families = [np.repeat(np.arange(len(sizes)), sizes).tolist() for sizes in shape]
    for _ in range(sets):
        words = targets(rng, 124, 50, 1.0)
        lists = [
            [cosine_matrix(words, inflected(rng, sizes, cosine, 50)) for sizes in shape] for _ in range(3)
        ]
        p: list[dict[str, list[float]]] = []
        for names in ((), families):
            one, other, affect = (Labelled.of(*pair, *names) for pair in lists)
            codes = cell_codes([one.scores, other.scores])
            differences = share_difference_tests(affect, codes, 4, draws=DRAWS, rng=rng)
            p.append(
                {
                    "(a) mean bias": [mean_bias_test(one, draws=DRAWS, rng=rng).two_sided.p_value],
                    "(b) distribution": [distribution_test([one, other], draws=DRAWS, rng=rng).test.p_value],
                    "(c) interaction": [interaction_test(one, other, draws=DRAWS, rng=rng).deciding.p_value],
                    "(d) affect of a group": [test.p_value for test in differences if test is not None],
                }
            )
        for name, by_word in p[0].items():
            pairs = zip(by_word, p[1][name], strict=True)
            rejected.setdefault(name, []).extend((a <= LEVEL, b <= LEVEL) for a, b in pairs)
    return {name: tuple(np.mean(found, axis=0).round(3).tolist()) for name, found in rejected.items()}


def mean_bias_level(sets: int, shape: tuple[Sequence[int], Sequence[int]], cosine: float) -> float:
    """The same for the mean bias over families alone."""
    rng = np.random.default_rng(20258)
    families = [np.repeat(np.arange(len(sizes)), sizes).tolist() for sizes in shape]
    rejected = 0
    for _ in range(sets):
        words = targets(rng, 124, 50, 1.0)
        lists = [cosine_matrix(words, inflected(rng, sizes, cosine, 50)) for sizes in shape]
        test = mean_bias_test(Labelled.of(*lists, *families), draws=DRAWS, rng=rng)
        rejected += test.two_sided.p_value <= LEVEL
    return rejected / sets


def power(sets: int, n: int, size: int, shift: float) -> dict[str, float]:
    """Share of sets rejected where list A of both dimensions is moved by ``shift`` towards the words' topic.

    For the interaction it is moved towards list A of the other dimension instead, a direction that the words vary
    in.
    """
    rng = np.random.default_rng(20252)
    found: dict[str, list[bool]] = {"(a) mean bias": [], "(b) distribution": [], "(c) interaction": []}
    for _ in range(sets):
        words = targets(rng, n, 100, 1.0)
        topic = words.mean(axis=0) / np.linalg.norm(words.mean(axis=0))
        one, other = (labelled(rng, words, size, shift * topic) for _ in range(2))
        found["(a) mean bias"].append(mean_bias_test(one, draws=DRAWS, rng=rng).two_sided.p_value <= LEVEL)
        test = distribution_test([one, other], draws=DRAWS, rng=rng).test
        found["(b) distribution"].append(test.p_value <= LEVEL)
        axis = rng.standard_normal(100)
        axis /= np.linalg.norm(axis)
        spread = words + np.outer(rng.standard_normal(n), axis)
        pair = [labelled(rng, spread, size, shift * axis) for _ in range(2)]
        found["(c) interaction"].append(
            interaction_test(*pair, draws=DRAWS, rng=rng).deciding.p_value <= LEVEL
        )
    return {name: float(np.mean(values)) for name, values in found.items()}


def placement_of(scores: Floats) -> Placement:
    groups = tuple(map(" ".join, itertools.product(*[("A", "B")] * scores.shape[1])))
    names = tuple(f"d{i}" for i in range(scores.shape[1]))
    return Placement(names, groups, (), scores, cell_codes(list(scores.T)), 0.0, np.arange(len(scores)))


def coverage(sets: int, n: int, means: tuple[float, float], method: str) -> dict[str, float]:
    """Share of 95 % intervals that hold the true value: independent words, correlation 0.3, affect 0.3."""
    rng = np.random.default_rng(20253)
    cholesky = np.linalg.cholesky(np.array([[1.0, 0.3], [0.3, 1.0]]))

    def draw(size: int) -> tuple[Placement, Floats]:
        scores = rng.standard_normal((size, 2)) @ cholesky.T + np.array(means)
        return placement_of(scores), rng.standard_normal(size) - 0.5244  # 30 % above 0

    large, affect = draw(2_000_000)
    truth = {
        k: float(v[0])
        for k, v in WeightedStatistics.of(large, {"v": affect})(np.ones((1, 2_000_000))).items()
    }
    even = float(distance_from_even(large.counts))
    held: dict[str, list[bool]] = {}
    for _ in range(sets):
        sample, affect = draw(n)
        statistics = WeightedStatistics.of(sample, {"v": affect})
        found = joint_intervals(statistics, n, level=0.95, method=method, resamples=2000, rng=rng)
        for code, group in enumerate(sample.groups):
            name, members = share_name(group), sample.codes == code
            found[name] = share_interval(found.pop(name, None), sample.counts[code], sample.pairs, 0.95)
            name, positive = affect_name("v", group), int((affect[members] > 0).sum())
            found[name] = share_interval(found.pop(name, None), positive, sample.pairs[members], 0.95)
            name, others = excess_name("v", group), int((affect[~members] > 0).sum())
            if members.any() and not members.all():
                both = (positive, sample.pairs[members]), (others, sample.pairs[~members])
                found[name] = difference_interval(found.pop(name, None), *both, 0.95)
        found["distance"] = distance_interval(sample.counts, n, level=0.95, resamples=2000, rng=rng)
        for name, interval in found.items():
            if interval is not None:
                true = even if name == "distance" else truth[name]
                held.setdefault(name, []).append(interval.low <= true <= interval.high)
    return {
        name: float(np.mean(values)) for name, values in held.items() if name in truth or name == "distance"
    }


def coverage_of_pairs(
    sets: int, agreement: float, means: tuple[float, float], together: bool
) -> dict[str, float]:
    """Coverage of 95 % intervals of 287 words of 169 pairs, scores of two forms correlated by ``agreement``.

    ``together``: forms of a pair resampled together, and the distance's and Wilson's intervals for the effective
    number of words; or every word for itself.
    """
    rng = np.random.default_rng(20256)
    pairs = np.concatenate([np.repeat(np.arange(118), 2), np.arange(118, 169)])
    units = pairs if together else np.arange(287)
    cholesky = np.linalg.cholesky(np.array([[1.0, 0.3], [0.3, 1.0]]))

    def draw(pairs: npt.NDArray[np.intp]) -> Placement:
        shared = rng.standard_normal((pairs.max() + 1, 2))[pairs]
        noise = np.sqrt(agreement) * shared + np.sqrt(1.0 - agreement) * rng.standard_normal(shared.shape)
        return placement_of(noise @ cholesky.T + np.array(means))

    large = draw(np.arange(2_000_000))
    whole = WeightedStatistics.of(large, {})(np.ones((1, 2_000_000)))
    truth = {name: float(value[0]) for name, value in whole.items()}
    even = float(distance_from_even(large.counts))
    held: dict[str, list[bool]] = {}
    for _ in range(sets):
        sample = draw(pairs)
        statistics = WeightedStatistics.of(sample, {})
        found = joint_intervals(
            lambda weights, statistics=statistics: statistics(weights[:, units]),
            units.max() + 1, level=0.95, method="bca", resamples=2000, rng=rng,
        )  # fmt: skip
        for code, group in enumerate(sample.groups):
            name = share_name(group)
            found[name] = share_interval(found.pop(name, None), sample.counts[code], units, 0.95)
        found["distance"] = distance_interval(
            sample.counts, effective_words(units), level=0.95, resamples=2000, rng=rng
        )
        for name, interval in found.items():
            true = even if name == "distance" else truth[name]
            held.setdefault(name, []).append(interval.low <= true <= interval.high)
    return {name: round(float(np.mean(values)), 3) for name, values in held.items()}


def distance_of_pairs(sets: int, agreement: float) -> tuple[float, float]:
    """Even truth, 287 words of 169 pairs: coverage of the distance's interval by word, and for the effective number.

    A form lies in the group of the other with probability ``agreement`` beyond chance.
    """
    rng = np.random.default_rng(20257)
    effective = effective_words(np.concatenate([np.repeat(np.arange(118), 2), np.arange(118, 169)]))
    held = []
    for _ in range(sets):
        first = rng.integers(4, size=169)
        second = np.where(rng.random(118) < agreement, first[:118], rng.integers(4, size=118))
        counts = tuple(np.bincount(np.concatenate([first, second]), minlength=4).tolist())
        found = [distance_interval(counts, n, level=0.95, resamples=2000, rng=rng) for n in (287, effective)]
        held.append([interval.low == 0.0 for interval in found])
    by_word, by_pair = np.mean(held, axis=0).round(3).tolist()
    return by_word, by_pair


def distance(sets: int, n: int, cells: int) -> tuple[float, float, float, float]:
    """Even truth: mean distance found, mean upper end, coverage, and share of sets called negligible at 0.1."""
    rng = np.random.default_rng(20254)
    found = []
    for _ in range(sets):
        counts = tuple(map(int, rng.multinomial(n, [1 / cells] * cells)))
        interval = distance_interval(counts, n, level=0.95, resamples=2000, rng=rng)
        found.append(
            (float(distance_from_even(counts)), interval.high, interval.low == 0.0, interval.high <= 0.1)
        )
    mean = np.mean(found, axis=0)
    return float(mean[0]), float(mean[1]), float(mean[2]), float(mean[3])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


SHAPES = {
    "5 words x 4 forms": ((4,) * 5, (4,) * 5),
    "10 words x 2 forms": ((2,) * 10, (2,) * 10),
    "17 + 19 words in 5 + 6 families": ((4, 4, 4, 4, 1), (4, 4, 4, 1, 2, 4)),
}
"""Families of the two lists of a dimension; the last is the shape of an Italian white / black."""


def families_and_pairs(sets: int) -> None:
    """What words that are forms of one another do to tests and intervals."""
    for (shape, sizes), cosine in itertools.product(SHAPES.items(), (0.5, 0.8)):
        print(
            f"false rejections, {shape}, cosine {cosine} (by word, by family):",
            inflected_rejections(sets, sizes, cosine), flush=True,
        )  # fmt: skip
    levels = [
        mean_bias_level(4 * sets, sizes, cosine)
        for sizes, cosine in itertools.product(SHAPES.values(), (0.5, 0.8))
    ]
    print(f"(a) by family, {4 * sets} sets each:", levels, "mean", float(np.mean(levels)))
    for agreement, means in itertools.product((0.0, 0.5, 0.8), ((0.0, 0.0), (1.0, -0.5))):
        for together in (False, True):
            print(
                f"coverage, 287 words of 169 pairs, agreement {agreement}, means {means}, together {together}:",
                coverage_of_pairs(sets // 2, agreement, means, together), flush=True,
            )  # fmt: skip

    for agreement in (0.0, 0.5, 0.8, 1.0):
        print(f"even truth, pairs agree {agreement} (by word, by pair):", distance_of_pairs(sets, agreement))


def main(sets: int) -> None:
    families_and_pairs(sets)
    print(f"false rejections at 5 %, {sets} sets, 15 + 15 attribute words, 130 targets, {DRAWS} draws")
    for dimensions, topic in ((100, 0.0), (100, 1.0), (20, 1.0)):
        print(
            f"  {dimensions} dimensions, topic {topic:g}:", false_rejections(sets, 130, 15, dimensions, topic)
        )
    print("  8 + 8, 35 targets, 50 dimensions, topic 1:", false_rejections(sets, 35, 8, 50, 1.0))
    for size, shift in itertools.product((8, 15, 30), (0.2, 0.4)):
        print(f"power, {size} + {size}, shift {shift}:", power(sets // 4, 130, size, shift))
    for n, means in itertools.product((35, 124, 515), ((0.0, 0.0), (1.0, -0.5))):
        for method in ("bca", "percentile"):
            print(
                f"coverage of 95 %, {n} words, means {means}, {method}:",
                coverage(sets // 2, n, means, method),
            )
    for cells, n in itertools.product((4, 8), (35, 124, 250, 300, 400, 515, 700, 1000)):
        print(f"even truth, {cells} groups, {n} words:", [round(x, 3) for x in distance(sets, n, cells)])
    rng = np.random.default_rng(0)
    words = targets(rng, 250, 100, 1.0)
    one, other, third = (labelled(rng, words, 30) for _ in range(3))
    codes = cell_codes([one.scores, other.scores])
    print("seconds, 250 targets, 30 + 30 attribute words, 10,000 draws:")
    print("  distribution", seconds(lambda: distribution_test([one, other], draws=10_000, rng=rng)))
    print(
        "  distribution, 8 groups",
        seconds(lambda: distribution_test([one, other, third], draws=10_000, rng=rng)),
    )
    print("  interaction", seconds(lambda: interaction_test(one, other, draws=10_000, rng=rng)))
    print("  affect", seconds(lambda: share_difference_tests(third, codes, 4, draws=10_000, rng=rng)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
