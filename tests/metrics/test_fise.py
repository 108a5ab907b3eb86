"""FISE and GG-FISE: against reference figures on real vectors, against loops, and every awkward list."""

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import OptionsError, TestKindError
from biascore.plugins_api import (
    Catalogue,
    Context,
    Dimension,
    FiseTest,
    Measurement,
    Model,
    PairList,
    WordList,
)
from biascore.stats import Verdict
from biascore_metrics.fise.intervals import effective_words
from biascore_metrics.fise.metric import Fise, GgFise
from biascore_metrics.fise.options import FiseOptions, GgFiseOptions

RNG = np.random.default_rng(3)
AXES = {"men": 0, "women": 0, "white": 1, "black": 1, "rich": 2, "poor": 2, "good": 3, "bad": 3}
LISTS = {
    name: [f"{name}{i}" for i in range(6)] for name in AXES
}  # the first of each pair lies in the positive direction of its axis
SIGN = dict(zip(AXES, itertools.cycle((1.0, -1.0)), strict=False))
TARGETS = [f"t{i}" for i in range(40)]
VECTORS: dict[str, Any] = {
    word: RNG.normal(0, 0.5, 8) + SIGN[name] * np.eye(8)[AXES[name]]
    for name, words in LISTS.items()
    for word in words
} | {word: RNG.normal(size=8) for word in TARGETS}
FEW = {"draws": 300, "resamples": 200}


def dimension(name: str, one: str, other: str) -> Dimension:
    return Dimension(name, WordList(one, tuple(LISTS[one])), WordList(other, tuple(LISTS[other])))


GENDER, RACE, CLASS = (
    dimension(*names)
    for names in (("gender", "men", "women"), ("race", "white", "black"), ("class", "rich", "poor"))
)
VALENCE = dimension("valence", "good", "bad")


def fise_test(
    targets: Sequence[str] | Sequence[tuple[str, str]] = TARGETS,
    dimensions: Sequence[Dimension] = (GENDER, RACE),
    affect: Sequence[Dimension] = (VALENCE,),
) -> FiseTest:
    words = (
        PairList("jobs", tuple(targets), ("masculine", "feminine"))
        if targets and not isinstance(targets[0], str)
        else WordList("jobs", tuple(targets))
    )
    return FiseTest(
        id="xx/jobs",
        kind="fise",
        language="xx",
        targets=words,
        dimensions=tuple(dimensions),
        affect=tuple(affect),
        file="jobs.toml",
        sha256="0" * 64,
    )


def no_second(name: str) -> Model:
    raise AssertionError(f"asked for {name}")


def context(second: Callable[[str], Model] = no_second) -> Context:
    return Context(np.random.default_rng(1), 1, Catalogue(()), second)


def fise(model: Model, test: FiseTest, second: Callable[[str], Model] = no_second, **options: Any):
    metric = Fise(FiseOptions(**(FEW | options)))
    metric.check(test, Catalogue(()))
    return metric.measure(model, test, context(second))


def gg_fise(model: Model, test: FiseTest, **options: Any) -> Measurement:
    metric = GgFise(GgFiseOptions(**(FEW | options)))
    metric.check(test, Catalogue(()))
    return metric.measure(model, test, context())


def cosine(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.dot(u, v) / math.sqrt(np.dot(u, u) * np.dot(v, v)))


def slow_score(vector: np.ndarray, of: Dimension) -> float:
    sides = [np.mean([cosine(vector, VECTORS[w]) for w in side.words]) for side in (of.A, of.B)]
    return float(sides[0] - sides[1])


# ---- figures


@pytest.mark.parametrize("targets", ["occupations", "traits"])
@pytest.mark.parametrize(
    ("metric", "options", "treatment"),
    [
        ("gg-fise", {}, "gg"),
        ("fise", {"forms": "both"}, "gender_balanced"),
        ("fise", {}, "masculine"),
    ],
)
def test_equals_the_reference_on_real_vectors(
    shared_data: Path, targets: str, metric: str, options: dict[str, str], treatment: str
):
    reference = json.loads((shared_data / "gg" / "it_fise_A_reference.json").read_text(encoding="utf-8"))
    expected = reference["results"][f"{targets}.{treatment}"]
    test = FiseTest(
        id="it/reference",
        kind="fise",
        language="it",
        targets=PairList(
            targets, tuple(map(tuple, reference["targets"][targets])), ("masculine", "feminine")
        ),
        dimensions=tuple(
            Dimension(name, WordList(d["A"], tuple(d["A_words"])), WordList(d["B"], tuple(d["B_words"])))
            for name, d in reference["dimensions"].items()
        ),
        affect=tuple(
            Dimension(
                name,
                WordList("pole", tuple(d["positive_words"])),
                WordList("pole", tuple(d["negative_words"])),
            )
            for name, d in reference["affect"].items()
        ),
        file="reference.toml",
        sha256="0" * 64,
    )
    model = f"fasttext:{shared_data / 'gg' / 'it_fise_A.vec'}"
    got = Engine(cache=None).measure(metric, model, test, **FEW, **options)[0]
    frame = got.items_frame().set_index("item")
    assert len(frame) == expected["n"]
    assert [word["word"] for word in expected["words"]] == list(frame.index)
    for word in expected["words"]:
        row = frame.loc[word["word"]]
        assert row["group"] == word["quadrant"]
        for column, key in (("gender", "b1"), ("race", "b2")):
            assert row[column] == pytest.approx(word[key], abs=1e-6)
        for affect in ("valence", "ingressivity"):
            assert row[affect] == pytest.approx(word[affect], abs=1e-6)
    for group, found in expected["quadrants"].items():
        share = got.estimate(f"share of {group}")
        assert share.value == pytest.approx(found["share_percent"] / 100, abs=1e-9)
        for affect in ("valence", "ingressivity"):
            positive = got.estimate(f"positive {affect} among {group}")
            assert positive.n["words"] == found["n"]
            percent = found[f"positive_{affect}_percent"]
            assert positive.value == (None if percent is None else pytest.approx(percent / 100, abs=1e-9))
        top = frame[frame["group"] == group].dropna(subset="top").sort_values("top")
        assert list(top.index) == [word for word, _ in found["top"]]
        assert list(top["value"]) == pytest.approx([value for _, value in found["top"]], abs=1e-6)
        assert list(top["top"]) == list(range(1, len(found["top"]) + 1))


@pytest.mark.parametrize("dimensions", [(GENDER, RACE), (GENDER, RACE, CLASS)])
def test_everything_equals_a_loop_over_words(model_of, dimensions: tuple[Dimension, ...]):
    got = fise(model_of(VECTORS), fise_test(dimensions=dimensions))
    scores = {w: [slow_score(VECTORS[w], d) for d in dimensions] for w in TARGETS}
    valence = {w: slow_score(VECTORS[w], VALENCE) for w in TARGETS}
    group = {
        w: " ".join((d.A if b > 0 else d.B).name for d, b in zip(dimensions, bs, strict=True))
        for w, bs in scores.items()
    }
    frame = got.items_frame().set_index("item")
    assert frame["group"].to_dict() == group
    for w in TARGETS:
        assert frame.loc[w, "value"] == pytest.approx(
            sum(map(abs, scores[w])) / math.sqrt(len(dimensions)), abs=1e-6
        )
    groups = [" ".join(names) for names in itertools.product(*[(d.A.name, d.B.name) for d in dimensions])]
    shares = []
    for name in groups:
        members = [w for w in TARGETS if group[w] == name]
        shares.append(len(members) / 40)
        assert got.estimate(f"share of {name}").value == pytest.approx(shares[-1])
        assert got.estimate(f"share of {name}").neutral == 1 / len(groups)
        if members:
            positive = sum(valence[w] > 0 for w in members) / len(members)
            assert got.estimate(f"positive valence among {name}").value == pytest.approx(positive)
    assert got.headline.value == pytest.approx(sum(abs(s - 1 / len(groups)) for s in shares) / 2)
    for i, d in enumerate(dimensions):
        own = np.array([bs[i] for bs in scores.values()])
        assert got.estimate(f"mean bias {d.name}").value == pytest.approx(own.mean(), abs=1e-6)
        standardised = got.estimate(f"standardised mean bias {d.name}").value
        assert standardised == pytest.approx(own.mean() / own.std(ddof=1), abs=1e-5)
    for (i, one), (j, other) in itertools.combinations(enumerate(dimensions), 2):
        pairs = np.array([(bs[i], bs[j]) for bs in scores.values()])
        interaction = got.estimate(f"interaction {one.name} x {other.name}").value
        assert interaction == pytest.approx(np.corrcoef(pairs.T)[0, 1], abs=1e-6)
        table = [
            [int(np.sum(((pairs[:, 0] > 0) == a) & ((pairs[:, 1] > 0) == b))) for b in (True, False)]
            for a in (True, False)
        ]
        odds = (table[0][0] + 0.5) * (table[1][1] + 0.5) / ((table[0][1] + 0.5) * (table[1][0] + 0.5))
        assert got.estimate(f"log odds ratio {one.name} x {other.name}").value == pytest.approx(
            math.log(odds)
        )
        axes = [
            np.mean([VECTORS[w] / np.linalg.norm(VECTORS[w]) for w in d.A.words], axis=0)
            - np.mean([VECTORS[w] / np.linalg.norm(VECTORS[w]) for w in d.B.words], axis=0)
            for d in (one, other)
        ]
        assert got.estimate(f"cosine of the axes {one.name} x {other.name}").value == pytest.approx(
            cosine(*axes), abs=1e-6
        )
    assert len(got.estimates) == len({e.name for e in got.estimates})


def test_gg_fise_takes_the_mean_of_raw_or_of_unit_vectors(model_of):
    pairs = list(itertools.pairwise(TARGETS))
    for mean in ("raw", "unit"):
        frame = gg_fise(model_of(VECTORS), fise_test(pairs), mean=mean).items_frame().set_index("item")
        for pair in pairs:
            forms = [VECTORS[w] / (np.linalg.norm(VECTORS[w]) if mean == "unit" else 1) for w in pair]
            expected = slow_score(np.mean(forms, axis=0), GENDER)
            assert frame.loc["/".join(pair), "gender"] == pytest.approx(expected, abs=1e-6)


def test_the_three_treatments_of_forms(model_of):
    pairs = [("t0", "t1"), ("t2", "t2"), ("t3", "t4"), ("t3", "t5")]
    model, test = model_of(VECTORS), fise_test(pairs)
    assert fise(model, test).items["item"].to_pylist() == ["t0", "t2", "t3"]
    both = fise(model, test, forms="both")
    assert both.items["item"].to_pylist() == ["t0", "t1", "t2", "t3", "t4", "t5"]
    assert gg_fise(model, test).items["item"].to_pylist() == ["t0/t1", "t2", "t3/t4", "t3/t5"]
    assert [(w.word, w.reason) for w in both.coverage.lost] == [("t3", "repeated in its list")]
    assert both.coverage.given["targets"] == 7
    assert fise(model, test, duplicates="keep").items["item"].to_pylist() == ["t0", "t2", "t3", "t3"]
    assert "both" in both.conventions["targets in two forms"]
    assert fise(model, test).conventions["targets in two forms"] == "the first (masculine)"
    assert fise(model, fise_test()).conventions["targets in two forms"] == "none in this test"


def test_an_even_and_a_bent_distribution(model_of):
    even = {w: np.array([a, b, 0, 0, 0, 0, 0, 0]) for w, (a, b) in zip(
        TARGETS, itertools.cycle(itertools.product((1.0, -1.0), repeat=2)), strict=False
    )}  # fmt: skip
    got = fise(model_of(VECTORS | even), fise_test(), duplicates="keep")
    assert got.headline.value == 0
    assert got.p_value == 1
    assert got.headline.interval.low == 0
    assert got.verdict is Verdict.INCONCLUSIVE  # 40 words cannot show that 0.1 is not exceeded
    wide = fise(model_of(VECTORS | even), fise_test(), bound=0.3, duplicates="keep")
    assert wide.verdict is Verdict.NEGLIGIBLE
    bent = {w: 0.4 * (np.eye(8)[0] + np.eye(8)[1]) + RNG.normal(0, 0.3, 8) for w in TARGETS}
    got = fise(model_of(VECTORS | bent), fise_test(), draws=2000)
    assert got.headline.value > 0.5
    assert got.verdict is Verdict.DETECTED
    assert got.estimate("distance expected from shuffled labels").value < got.headline.value
    count = round(got.estimate("share of men white").value * 40)
    assert f"The fullest group is men white with {count} of 40 words; even would be 10." in got.reason
    assert got.estimate("mean bias gender").p("label permutation").value < 0.01


def test_where_random_labels_put_all_words_into_one_group_that_is_told(model_of):
    alike = {w: 5 * np.ones(8) + RNG.normal(0, 0.1, 8) for w in TARGETS}
    alike |= {w: VECTORS[w] + 0.3 * SIGN[n] for n, words in LISTS.items() for w in words}
    got = fise(model_of(VECTORS | alike), fise_test())
    assert got.headline.value == pytest.approx(0.75)
    assert got.headline.p("label permutation of the distribution").value > 0.05
    assert got.verdict is Verdict.DETECTED  # by the mean biases, which do not saturate
    assert "That p is of the mean bias" in got.reason
    assert any("random labellings put all words into one group" in w for w in got.cautions)
    assert not any("random labellings" in w for w in fise(model_of(VECTORS), fise_test()).warnings)
    assert got.estimate("mean bias gender").p_values[0].value < 0.05
    assert "Mean bias: gender +" in got.reason


def test_the_deciding_p_is_the_smallest_of_all_tests_adjusted_for_their_number(model_of):
    for test, count in ((fise_test(), 4), (fise_test(dimensions=(GENDER, RACE, CLASS)), 7)):
        got = fise(model_of(VECTORS), test)
        names = [e.name for e in got.estimates]
        single = [got.headline.p("label permutation of the distribution").value]
        single += [
            got.estimate(n).p_values[0].value for n in names if n.startswith(("mean bias", "interaction"))
        ]
        assert len(single) == count
        deciding = got.headline.p_values[0]
        assert deciding.name == f"smallest of {len(single)} tests, Holm-adjusted"
        # Holm's smallest is Bonferroni's.
        assert deciding.value == pytest.approx(min(1.0, min(single) * len(single)))


def test_intervals_and_p_values_are_where_they_belong(model_of):
    got = fise(model_of(VECTORS), fise_test())
    for estimate in got.estimates:
        if estimate.interval is not None and estimate.value is not None:
            assert estimate.interval.low <= estimate.value <= estimate.interval.high, estimate.name
    shares = [
        e for e in got.estimates if e.unit == "share" and e.name != "distance expected from shuffled labels"
    ]
    assert all(e.interval for e in shares)
    with_p = {e.name for e in got.estimates if e.p_values}
    assert with_p == {
        "distance of the distribution from even",
        *(f"{kind} {d}" for kind in ("mean bias", "standardised mean bias") for d in ("gender", "race")),
        "interaction gender x race",
        *(f"positive valence among {a} {b}" for a in ("men", "women") for b in ("white", "black")),
    }
    larger, *both = got.estimate("interaction gender x race").p_values
    assert larger.value == max(p.value for p in both)
    assert got.estimate("mean bias gender").p_values[0].kind == "exact"


def test_shares_and_means_have_the_bootstrap_intervals_of_the_generic_bootstrap(model_of):
    from biascore.stats import bootstrap_interval

    for method in ("bca", "percentile"):
        got = fise(model_of(VECTORS), fise_test(), bootstrap=method, resamples=20_000)
        frame = got.items_frame()
        samples = {
            "mean bias gender": frame["gender"].to_numpy(),
            "share of men white": (frame["group"] == "men white").to_numpy(dtype=float),
        }
        for name, sample in samples.items():
            expected = bootstrap_interval(
                lambda batch: batch[0].mean(axis=1),
                (sample,),
                method=method,
                resamples=20_000,
                rng=np.random.default_rng(2),
            )
            found = got.estimate(name).interval
            assert found.method == method
            spread = float(np.std(sample)) / math.sqrt(40)
            assert found.low == pytest.approx(expected.low, abs=0.08 * spread + 0.0251 * ("share" in name))
            assert found.high == pytest.approx(expected.high, abs=0.08 * spread + 0.0251 * ("share" in name))


def test_same_seed_same_measurement_and_affect_changes_nothing_else(model_of):
    model = model_of(VECTORS)
    one, two = fise(model, fise_test()), fise(model, fise_test())
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    without = fise(model, fise_test(affect=()))
    for estimate in without.estimates:
        if estimate.name.startswith(("distance", "mean", "interaction", "share")):
            assert estimate == one.estimate(estimate.name)


# ---- words and targets that are forms of one another


def inflected(name: str, side: str, families: Sequence[Sequence[int]]) -> WordList:
    """The words of a list with the families of their numbers."""
    named = tuple(tuple(f"{side}{i}" for i in numbers) for numbers in families)
    return WordList(name, tuple(LISTS[side]), families=named)


def test_labels_are_exchanged_by_family(model_of):
    race = Dimension(
        "race", inflected("white", "white", [(0, 1, 2), (3, 4)]), inflected("black", "black", [(5, 4)])
    )
    got = fise(model_of(VECTORS), fise_test(dimensions=(GENDER, race)))
    plain = fise(model_of(VECTORS), fise_test())
    for name in ("mean bias race", "share of men white", "interaction gender x race", "mean bias gender"):
        assert got.estimate(name).value == plain.estimate(name).value
        assert got.estimate(name).interval == plain.estimate(name).interval
    assert got.estimate("mean bias gender").model_dump() == plain.estimate("mean bias gender").model_dump()
    # Three families of A and five of B: all 56 labellings, by hand.
    means = {
        w: np.mean([cosine(VECTORS[t], VECTORS[w]) for t in TARGETS]) for w in race.A.words + race.B.words
    }
    families = [("white0", "white1", "white2"), ("white3", "white4"), ("white5",), ("black4", "black5")]
    families += [(f"black{i}",) for i in range(4)]
    found = []
    for chosen in itertools.combinations(range(8), 3):
        of_a = [means[w] for i, family in enumerate(families) for w in family if i in chosen]
        of_b = [means[w] for i, family in enumerate(families) for w in family if i not in chosen]
        found.append(np.mean(of_a) - np.mean(of_b))
    estimate = got.estimate("mean bias race")
    assert found[0] == pytest.approx(estimate.value, abs=1e-6)
    [p_value] = estimate.p_values
    assert (p_value.kind, p_value.n) == ("exact", 56)
    assert p_value.value == pytest.approx(np.mean(np.abs(found) >= abs(found[0]) - 1e-9))
    assert estimate.n == {"words": 40, "A": 6, "B": 6, "families A": 3, "families B": 5}
    assert plain.estimate("mean bias race").n == {"words": 40, "A": 6, "B": 6}
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 5 of 6 + 6 words, valence 6 + 6"
    warning = (
        "race.A and race.B hold 3 and 5 independent words (forms of one word count once), whose labels can be "
        "exchanged in 56 ways only: that alone gives no p-value below 0.018"
    )
    assert warning in got.cautions
    assert not any("independent words" in w for w in plain.warnings)


def test_families_are_those_of_the_usable_words(model_of):
    vectors = {w: v for w, v in VECTORS.items() if w not in ("good0", "white0", "white3")}
    race = Dimension("race", inflected("white", "white", [(0, 1, 2), (3, 4)]), RACE.B)
    valence = Dimension("valence", inflected("good", "good", [(0, 1)]), inflected("bad", "bad", [range(6)]))
    got = fise(model_of(vectors), fise_test(dimensions=(GENDER, race), affect=(valence,)))
    told = got.conventions["families of attribute words"]
    assert told == "gender 6 + 6, race 3 + 6 of 4 + 6 words, valence 5 + 1 of 5 + 6 words"
    assert got.estimate("mean bias race").p_values[0].n == math.comb(9, 3)
    assert any(w.startswith("valence.A and valence.B hold 5 and 1 independent words") for w in got.warnings)


def test_a_word_that_is_kept_twice_is_one_family(model_of):
    gender = Dimension("gender", WordList("men", ("men0", "men0", *LISTS["men"][1:])), GENDER.B)
    got = fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE)), duplicates="keep")
    assert got.estimate("mean bias gender").n["families A"] == 6
    assert "families A" not in fise(model_of(VECTORS), fise_test(dimensions=(gender, RACE))).estimates[2].n


def test_both_forms_of_a_pair_are_resampled_together(model_of):
    pairs = list(zip(TARGETS[::2], TARGETS[1::2], strict=True))
    vectors = VECTORS | {second: VECTORS[first] for first, second in pairs}
    model = model_of(vectors)
    together = fise(model, fise_test(pairs), forms="both", bootstrap="percentile", resamples=20_000)
    once = fise(model, fise_test([first for first, _ in pairs]), bootstrap="percentile", resamples=20_000)
    apart = fise(model, fise_test(TARGETS), bootstrap="percentile", resamples=20_000, duplicates="keep")
    # Forms with one vector say what one of them says, and are taken for twice as much where they are apart.
    for name in ("mean bias gender", "mean bias race", "share of men white", "interaction gender x race"):
        both, single, double = (got.estimate(name) for got in (together, once, apart))
        assert both.value == pytest.approx(single.value, abs=1e-9)
        width = single.interval.high - single.interval.low
        assert both.interval.low == pytest.approx(single.interval.low, abs=0.04 * width)
        assert both.interval.high == pytest.approx(single.interval.high, abs=0.04 * width)
        assert double.interval.high - double.interval.low < 0.85 * width
    assert together.headline.interval.high == pytest.approx(once.headline.interval.high, abs=0.02)
    assert together.headline.n == {"words": 40, "pairs": 20}
    assert together.conventions["words of pairs"] == "40 words of 20 pairs"
    assert apart.conventions["words of pairs"] is None
    assert apart.headline.n == {"words": 40}
    assert gg_fise(model, fise_test(pairs)).headline.n == {"words": 20}


def test_pairs_that_share_a_form_are_resampled_together(model_of):
    pairs = [("t0", "t1"), ("t2", "t2"), ("t3", "t4"), ("t5", "t6"), ("t3", "t5"), ("t7", "t8")]
    got = fise(model_of(VECTORS), fise_test(pairs), forms="both")
    assert got.headline.n == {"words": 9, "pairs": 4}
    without = {w: v for w, v in VECTORS.items() if w not in ("t1", "t7", "t8")}
    got = fise(model_of(without), fise_test(pairs), forms="both")
    assert got.headline.n == {"words": 6, "pairs": 3}


def test_wilson_takes_the_effective_number_of_words(model_of):
    from biascore.stats.proportions import wilson_interval

    bent = {w: np.array([1.0, 1, 0, 0, 0, 0, 0, 0]) + RNG.normal(0, 0.05, 8) for w in TARGETS}
    pairs = [*zip(TARGETS[:15], TARGETS[15:30], strict=True), *((w, w) for w in TARGETS[30:])]
    got = fise(model_of(VECTORS | bent), fise_test(pairs), forms="both")
    empty = got.estimate("share of women black")
    effective = 40**2 // (15 * 4 + 10)  # Kish
    assert empty.n == {"words": 40}
    assert empty.interval.high == pytest.approx(wilson_interval(0, effective).high)
    full = got.estimate("share of men white")
    assert full.interval.low == pytest.approx(wilson_interval(effective, effective).low)


@pytest.mark.parametrize(
    ("pairs", "effective"), [([], 0), ([0, 1, 2], 3), ([0, 0, 1, 1], 2), ([0, 0, 1], 1), ([0, 0, 0], 1)]
)
def test_the_effective_number_is_that_of_words_whose_forms_agree(pairs: list[int], effective: int):
    assert effective_words(np.array(pairs, dtype=np.intp)) == effective


# ---- verdicts


def leaning() -> dict[str, np.ndarray]:
    """Words evenly over the four groups, of which those with men lie much further out, and lists near their axes."""
    corners = itertools.cycle(itertools.product((3.0, -0.3), (1.0, -1.0)))
    words = {w: np.array([a, b, 0, 0, 0, 0, 0, 0]) for w, (a, b) in zip(TARGETS, corners, strict=False)}
    lists = {
        w: SIGN[name] * np.eye(8)[AXES[name]] + RNG.normal(0, 0.05, 8)
        for name, listed in LISTS.items()
        for w in listed
    }
    return words | lists


def test_an_even_distribution_with_a_mean_bias_is_not_negligible(model_of):
    got = fise(model_of(VECTORS | leaning()), fise_test(), bound=0.3, draws=2000, duplicates="keep")
    assert got.headline.value == 0
    assert got.headline.interval.high <= 0.3
    assert got.estimate("mean bias gender").p_values[0].value * 4 <= 0.05
    assert got.verdict is Verdict.DETECTED
    adjusted = 4 * got.estimate("mean bias gender").p_values[0].value
    assert f"for mean bias gender (p = {adjusted:.3g}). The distribution is nonetheless even" in got.reason
    assert "within the bound: the 95 % interval [0, " in got.reason
    strict = fise(model_of(VECTORS | leaning()), fise_test(), bound=0.3, alpha=0.001, confidence=0.998)
    assert strict.verdict is not Verdict.DETECTED


def test_the_reason_says_what_random_labels_give(model_of):
    got = fise(model_of(VECTORS), fise_test())
    expected = got.estimate("distance expected from shuffled labels").value
    told = f"The distance is {got.headline.value:.3g}, and random labels give {expected:.3g} on average."
    assert told in got.reason
    assert "the strongest of 4 tests, adjusted for their number" in got.reason


def test_bars_say_how_many_words_each_group_has(model_of):
    got = fise(model_of(VECTORS), fise_test())
    bars = next(f for f in got.figures if f.title == "Shares of the words")
    for name, label in zip(bars.estimates, bars.labels, strict=True):
        count = round(got.estimate(name).value * 40)
        assert label == f"{name.removeprefix('share of ')} ({count})"


# ---- awkward input, each with its outcome


def test_a_list_without_its_words_is_told_once(model_of):
    lost = Dimension("valence", WordList("good", ("gone0", "gone1", "gone2")), WordList("bad", ("bad0",)))
    got = fise(model_of(VECTORS), fise_test(affect=(lost,)))
    told = [w for w in got.warnings if w.startswith(("valence.A ", "valence.B "))]
    assert told == [
        "valence.A lost 3 of its 3 words, so it may no longer stand for its concept",
        "valence.B has 1 word; fewer than 8 do not represent a concept well",
    ]


def test_words_on_an_axis_are_in_no_group_and_told(model_of):
    flat = VECTORS | {"t0": np.eye(8)[5] * 0 + np.array([0, 0, 0, 0, 0, 0, 0, 1.0])}
    clean = {w: np.append(v[:7], 0.0) for w, v in flat.items() if not w.startswith("t")}
    got = fise(model_of(flat | clean), fise_test())
    frame = got.items_frame().set_index("item")
    assert frame.loc["t0", "group"] == "on an axis"
    assert np.isnan(frame.loc["t0", "value"])
    assert np.isnan(frame.loc["t0", "top"])
    assert got.headline.n["words"] == 39
    assert got.estimate("share of words on an axis").value == pytest.approx(1 / 40)
    assert any("1 of 40 words lie on an axis and are in no group: t0" in w for w in got.warnings)
    shares = [e.value for e in got.estimates if e.name.startswith("share of ") and "axis" not in e.name]
    assert sum(shares) == pytest.approx(1)


def test_the_tolerance_widens_the_axes(model_of):
    got = fise(model_of(VECTORS), fise_test(), axis_tolerance=0.1)
    frame = got.items_frame()
    near = (frame[["gender", "race"]].abs() <= 0.1).any(axis=1)
    assert 0 < near.sum() < 40
    assert ((frame["group"] == "on an axis") == near).all()
    assert got.headline.n["words"] == 40 - near.sum()
    assert any(", ..." in w for w in got.warnings) == (near.sum() > 10)


def test_all_words_on_an_axis_is_inconclusive(model_of):
    got = fise(model_of(VECTORS), fise_test(), axis_tolerance=1.9)
    assert got.headline.value is None
    assert got.verdict is Verdict.INCONCLUSIVE
    assert "all 40 words lie on an axis" in got.reason
    assert got.estimate("mean bias gender").value is not None
    assert got.estimate("share of men white").value is None


def test_a_group_without_words_and_one_with_few(model_of):
    vectors = VECTORS | {w: np.array([1.0, 1, 0, 0, 0, 0, 0, 0]) + RNG.normal(0, 0.1, 8) for w in TARGETS}
    vectors["t0"] = np.array([1.0, -1, 0, 0, 0, 0, 0, 0])
    got = fise(model_of(vectors), fise_test())
    empty = got.estimate("share of women black")
    assert empty.value == 0
    assert empty.interval.low == 0 < empty.interval.high < 0.15
    assert empty.interval.method == "Wilson"
    affect = got.estimate("positive valence among women black")
    assert (affect.value, affect.interval, affect.p_values, affect.n["words"]) == (None, None, (), 0)
    assert "without words, and so without affect: women white, women black" in got.warnings
    assert any("fewer than 10 words" in w and "men black (1)" in w for w in got.warnings)
    assert not any("fewer than 10" in w for w in fise(model_of(vectors), fise_test(), min_words=1).warnings)


def test_an_affect_out_of_vocabulary_is_not_measured(model_of):
    gone = Dimension("valence", VALENCE.A, WordList("bad", ("nowhere", "bad0", "nothing")))
    got = fise(model_of(VECTORS), fise_test(affect=(gone, dimension("class", "rich", "poor"))))
    assert got.estimate("positive valence among men white").value is None
    assert got.estimate("positive class among men white").value is not None
    assert "valence was not measured: valence.B has 1 usable word(s) of 3 and needs 2" in got.warnings
    assert [(w.word, w.role) for w in got.coverage.lost] == [
        ("nowhere", "valence.B"),
        ("nothing", "valence.B"),
    ]
    assert got.headline.value is not None


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (fise_test(["nowhere", "nothing"]), "targets has 0 usable word(s) of 2 and needs 2"),
        (fise_test(["t0"]), "targets has 1 usable word(s) of 1 and needs 2"),
        (
            fise_test(dimensions=(GENDER, Dimension("race", WordList("white", ("white0", "gone")), RACE.B))),
            "race.A has 1 usable word(s) of 2 and needs 2",
        ),
    ],
)
def test_too_few_words_are_inconclusive_with_the_reason(model_of, test: FiseTest, told: str):
    got = fise(model_of(VECTORS), test)
    assert got.verdict is Verdict.INCONCLUSIVE
    assert told in got.reason
    assert all(estimate.value is None for estimate in got.estimates)
    measured = fise(model_of(VECTORS), fise_test())
    assert [e.name for e in got.estimates] == [e.name for e in measured.estimates]
    assert got.items.num_rows == 0
    assert got.figures == ()


def test_gg_fise_refuses_targets_without_forms(model_of):
    with pytest.raises(TestKindError, match=r"'jobs' of xx/jobs .* are single words.*Measure it with fise"):
        gg_fise(model_of(VECTORS), fise_test())


def test_a_target_with_a_missing_form_is_lost_and_named(model_of):
    vectors = VECTORS | {"o": np.ones(8), "p": -np.ones(8)}
    got = gg_fise(model_of(vectors), fise_test([*itertools.pairwise(TARGETS), ("t0", "gone"), ("o", "p")]))
    assert [(w.word, w.role, w.reason) for w in got.coverage.lost] == [
        ("t0/gone", "targets", "no mean of its forms: gone out of vocabulary"),
        ("o/p", "targets", "its vector is zero, so it has no direction"),
    ]
    assert (got.coverage.given["targets"], got.coverage.used["targets"]) == (41, 39)


def test_words_in_two_lists_are_told(model_of):
    race = Dimension("race", WordList("white", ("white0", "white1", "black0")), RACE.B)
    got = fise(model_of(VECTORS), fise_test([*TARGETS, "men0"], (GENDER, race)))
    assert "in both race.A and race.B: black0" in got.warnings
    assert "in both targets and gender.A: men0" in got.warnings


def test_identical_targets_have_no_interaction_and_no_interval(model_of):
    got = fise(model_of(VECTORS | dict.fromkeys(TARGETS, VECTORS["t0"])), fise_test(), duplicates="keep")
    interaction = got.estimate("interaction gender x race")
    assert (interaction.value, interaction.interval, interaction.p_values) == (None, None, ())
    assert got.estimate("standardised mean bias gender").value is None
    assert got.estimate("mean bias gender").interval is None
    assert got.headline.value == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (fise_test(dimensions=(GENDER,)), r"has 1 dimension\(s\)"),
        (
            fise_test(dimensions=(GENDER, Dimension("race", RACE.A, WordList("white", ("x",))))),
            "two groups called 'men white'",
        ),
        (fise_test(dimensions=(GENDER, Dimension("value", RACE.A, RACE.B))), "'value'"),
        (fise_test(affect=(Dimension("race", VALENCE.A, VALENCE.B),)), "'race'"),
    ],
)
def test_tests_that_cannot_be_told_apart_are_refused(model_of, test: FiseTest, told: str):
    with pytest.raises(TestKindError, match=told):
        fise(model_of(VECTORS), test)


def test_options_that_change_a_number_tell_measurements_apart(model_of):
    assert fise(model_of(VECTORS), fise_test()).variant == "draws=300, resamples=200"
    contextual = fise(model_of(VECTORS, composes_words=False), fise_test(), level="token", forms="both")
    assert contextual.method == "fise (token level, draws=300, resamples=200, forms=both)"


def test_wrong_options_are_refused():
    engine = Engine(cache=None)
    for options in ({"forms": "feminine"}, {"axis_tolerance": -0.1}, {"draws": 0}, {"mean": "raw"}):
        with pytest.raises(OptionsError, match="metric fise"):
            engine.measure("fise", "planted:gender=0", "en/fise_gender_race_traits", **options)


# ---- affect in another model


def test_affect_is_measured_in_a_second_model(model_of):
    turned = {w: -np.asarray(v) if w[:3] in ("goo", "bad") else v for w, v in VECTORS.items() if w != "t7"}
    second = model_of(turned)
    here = fise(model_of(VECTORS), fise_test())
    got = fise(model_of(VECTORS), fise_test(), lambda name: {"other": second}[name], affect_model="other")
    ours, theirs = here.items_frame().set_index("item"), got.items_frame().set_index("item")
    assert np.isnan(theirs.loc["t7", "valence"])
    rest = [w for w in TARGETS if w != "t7"]
    assert list(theirs.loc[rest, "valence"]) == pytest.approx(list(-ours.loc[rest, "valence"]), abs=1e-6)
    assert list(theirs["gender"]) == list(ours["gender"])
    assert [(w.word, w.role) for w in got.coverage.lost] == [("t7", f"targets in {second.name}")]
    group = theirs.loc["t7", "group"]
    assert got.estimate(f"positive valence among {group}").n["words"] == (theirs["group"] == group).sum() - 1
    assert got.conventions["affect measured in"] == second.name


def test_contextual_models_measure_no_affect_unless_told(model_of):
    contextual = model_of(VECTORS, composes_words=False)
    got = fise(contextual, fise_test())
    assert got.estimate("positive valence among men white").value is None
    assert got.conventions["affect measured in"] is None
    assert any("valence not measured" in w and "affect_model" in w for w in got.warnings)
    assert "valence.A" not in got.coverage.given
    own = fise(contextual, fise_test(), affect_model="self")
    assert own.estimate("positive valence among men white").value is not None


def test_an_affect_model_without_affects_is_told(model_of):
    got = fise(model_of(VECTORS), fise_test(affect=()), affect_model="other")
    assert "affect_model is not used, because the test has no lists of affect" in got.warnings
