"""WEAT and SC-WEAT: against an independent package's numbers, a brute force, and every awkward list."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model
from biascore.api.stimuli import Catalogue, Test
from biascore.designs.options import WeatOptions
from biascore.engine.engine import Engine
from biascore.errors import AnswerError
from biascore.results.verdicts import contradiction
from biascore.stats import Verdict
from biascore_metrics.weat.control import ScWeatOptions
from biascore_metrics.weat.single import ScWeat
from biascore_metrics.weat.weat import Weat

from .loops import cosine
from .measuring import NOTHING, measured

RNG = np.random.default_rng(11)
WORDS = {
    f"{role}{i}": RNG.normal(size=6) + shift
    for role, shift in zip("xyab", (0.8, -0.8, 0.6, -0.6), strict=True)
    for i in range(5)
}
X, Y, A, B = ([f"{role}{i}" for i in range(5)] for role in "xyab")


def weat(model: Model, test: Test, **options: object) -> Measurement:
    return measured(Weat(WeatOptions(**options)), model, test)


def sc_weat(model: Model, test: Test, catalogue: Catalogue = NOTHING, **options: object) -> Measurement:
    return measured(ScWeat(ScWeatOptions(**options)), model, test, catalogue=catalogue)


def slow_association(word: str) -> float:
    return float(
        np.mean([cosine(WORDS[word], WORDS[a]) for a in A])
        - np.mean([cosine(WORDS[word], WORDS[b]) for b in B])
    )


def test_effect_and_exact_p_equal_a_loop_over_all_partitions(model_of, test_of):
    got = weat(model_of(WORDS), test_of(X, Y, A, B))
    s = np.array([slow_association(w) for w in X + Y], dtype=float)
    expected = (s[:5].mean() - s[5:].mean()) / s.std(ddof=1)
    assert got.headline.value == pytest.approx(expected, abs=1e-6)
    differences = [
        s[list(some)].mean() - np.delete(s, list(some)).mean()
        for some in itertools.combinations(range(10), 5)
    ]
    observed = s[:5].mean() - s[5:].mean()
    assert got.headline.p("one-sided").value == pytest.approx(
        np.mean(np.array(differences) >= observed - 1e-9)
    )
    assert got.headline.p("one-sided, strict").value == pytest.approx(
        np.mean(np.array(differences) > observed + 1e-9)
    )
    assert got.headline.p("two-sided").value == pytest.approx(
        np.mean(np.abs(differences) >= abs(observed) - 1e-9)
    )
    assert got.headline.p_values[0].name == "two-sided"
    assert got.headline.p("one-sided").kind == "exact"
    assert dict(
        zip(got.items["item"].to_pylist(), got.items["value"].to_pylist(), strict=True)
    ) == pytest.approx(dict(zip(X + Y, s, strict=True)), abs=1e-6)


@pytest.mark.parametrize(
    "language", ["en", *(pytest.param(one, marks=pytest.mark.slow) for one in ("es", "it"))]
)
@pytest.mark.parametrize("ddof", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_equals_wefe_on_real_vectors(shared_data: Path, test_of, language: str, ddof: int):
    reference = json.loads((shared_data / "weat" / "wefe_reference.json").read_text(encoding="utf-8"))
    entry = next(e for e in reference["languages"] if e["language"] == language)
    engine = Engine(cache=None)
    with engine.model(f"fasttext:{shared_data / 'weat' / entry['vectors']}") as model:
        assert entry["tests"]
        for name, expected in entry["tests"].items():
            test = test_of(*(expected[role] for role in "XYAB"))
            got = weat(model, test, ddof=ddof, duplicates="keep", resamples=100)
            assert got.headline.value == pytest.approx(expected["own"][f"d_ddof{ddof}"], abs=1e-6), name
            if ddof == 0:
                assert got.headline.value == pytest.approx(expected["wefe"]["effect_size"], abs=1e-6), name
            assert got.estimates[1].value == pytest.approx(expected["own"]["mean_difference"], abs=1e-6), name
            if "p_exact_ge" in expected["own"]:
                assert got.headline.p("one-sided").value == pytest.approx(
                    expected["own"]["p_exact_ge"], abs=1e-12
                ), name
                assert got.headline.p("one-sided, strict").value == pytest.approx(
                    expected["own"]["p_exact_gt"], abs=1e-12
                ), name


def test_the_alternative_decides_which_p_comes_first(model_of, test_of):
    reversed_bias = test_of(Y, X, A, B)
    two = weat(model_of(WORDS), reversed_bias)
    one = weat(model_of(WORDS), reversed_bias, alternative="greater")
    assert two.headline.value < -1
    assert two.verdict is Verdict.DETECTED
    assert one.p_value > 0.9
    assert one.verdict is Verdict.INCONCLUSIVE


def test_lost_words_are_named_with_list_and_reason(model_of, test_of):
    got = weat(model_of({**WORDS, "zero": [0] * 6}), test_of([*X, "nowhere", "zero", "x0"], Y, A, B))
    assert [(w.word, w.role, w.reason) for w in got.coverage.lost] == [
        ("x0", "X", "repeated in its list"),
        ("nowhere", "X", "out of vocabulary"),
        ("zero", "X", "its vector is zero, so it has no direction"),
    ]
    assert (got.coverage.given["X"], got.coverage.used["X"]) == (8, 5)
    assert any("X lost 2 of its 8 words" in warning for warning in got.cautions)


def test_duplicates_count_once_unless_kept(model_of, test_of):
    model = model_of(WORDS)
    plain, repeated = test_of(X, Y, A, B), test_of([*X, "x0", "x0"], Y, A, B)
    assert weat(model, repeated).headline.value == weat(model, plain).headline.value
    kept = weat(model, repeated, duplicates="keep")
    assert kept.headline.n["X"] == 7
    assert kept.headline.value != weat(model, plain).headline.value


def test_lists_of_unequal_length_keep_their_sizes(model_of, test_of):
    got = weat(model_of(WORDS), test_of(X, Y[:3], A, B))
    assert got.headline.p("two-sided").n == 56  # 8 choose 5
    assert any("differ in size (5 and 3)" in warning for warning in got.warnings)
    assert not any("differ in size" in caution for caution in got.cautions)


@pytest.mark.parametrize(
    ("x", "a", "expected"),
    [
        (["gone"], A, "The only word of X is not in the vocabulary (the list has: gone)"),
        (["x0"], A, "X has 1 usable word(s) of 1 and needs 2"),
        (X, ["gone"], "The only word of A is not in the vocabulary (the list has: gone)"),
    ],
)
def test_too_few_words_is_inconclusive_with_the_reason(model_of, test_of, x, a, expected):
    got = weat(model_of(WORDS), test_of(x, Y, a, B))
    assert got.headline.value is None
    assert got.p_value is None
    assert got.verdict is Verdict.NOT_MEASURED
    assert expected in got.reason
    assert got.items.num_rows == 0


def test_identical_vectors_have_no_effect_size(model_of, test_of):
    got = weat(
        model_of(dict.fromkeys(X + Y + A + B, (1.0, 2.0, 3.0))), test_of(X, Y, A, B), duplicates="keep"
    )
    assert got.headline.value is None
    assert got.verdict is Verdict.NOT_MEASURED
    assert "do not vary" in got.reason


def test_an_effect_without_variation_inside_the_lists_has_no_interval(model_of, test_of):
    vectors = {
        **dict.fromkeys(X, (1.0, 0.0)),
        **dict.fromkeys(Y, (0.0, 1.0)),
        **dict.fromkeys(A, (1.0, 0.1)),
        **dict.fromkeys(B, (0.1, 1.0)),
    }
    got = weat(model_of(vectors), test_of(X, Y, A, B), duplicates="keep")
    assert got.headline.value > 1.8
    assert got.headline.interval is None
    assert any(warning.startswith("no interval") for warning in got.cautions)


def test_a_partly_missing_vector_is_an_error_that_names_the_word(model_of, test_of):
    with pytest.raises(AnswerError, match="'x3' holds NaN"):
        weat(model_of({**WORDS, "x3": [1, 2, np.nan, 4, 5, 6]}), test_of(X, Y, A, B))


def test_phrases_on_static_models_are_reported(model_of, test_of):
    got = weat(model_of(WORDS), test_of([*X, "x1 x2"], Y, A, B))
    assert got.coverage.composed == ("x1 x2",)
    assert any("mean of their words: x1 x2" in warning for warning in got.warnings)
    expected = np.mean([WORDS["x1"], WORDS["x2"]], axis=0)
    value = np.mean([cosine(expected, WORDS[a]) for a in A]) - np.mean(
        [cosine(expected, WORDS[b]) for b in B]
    )
    row = got.items["item"].to_pylist().index("x1 x2")
    assert got.items["value"][row].as_py() == pytest.approx(value, abs=1e-6)
    contextual = weat(
        model_of({**WORDS, "x1 x2": WORDS["x1"]}, composes_words=False), test_of([*X, "x1 x2"], Y, A, B)
    )
    assert contextual.coverage.composed == ()


def test_a_word_in_opposed_lists_is_told(model_of, test_of):
    got = weat(model_of(WORDS), test_of(X, [*Y, "x0"], A, [*B, "a1"]))
    assert "in both X and Y: x0" in got.warnings
    assert "in both A and B: a1" in got.warnings


def test_a_target_that_is_also_an_attribute_is_told(model_of, test_of):
    got = weat(model_of(WORDS), test_of(X, Y, [*A, "x0"], B))
    assert "in both X and A: x0" in got.warnings
    assert "in both X and A: x0" in got.in_brief


def test_resamples_without_a_value_are_counted_and_told(model_of, test_of):
    got = weat(model_of(WORDS), test_of(X[:2], Y[:2], A, B), bootstrap="tested")
    interval = got.headline.interval
    assert interval is not None
    assert interval.degenerate > 0.1 * interval.resamples
    assert any(f"{interval.degenerate} of {interval.resamples}" in warning for warning in got.warnings)


def test_options_that_change_a_number_tell_measurements_apart(model_of, test_of):
    model, test = model_of(WORDS), test_of(X, Y, A, B)
    assert weat(model, test).method == "weat"
    assert weat(model, test, ddof=0).method == "weat (ddof=0)"
    contextual = model_of(WORDS, composes_words=False)
    assert weat(contextual, test, level="token").method == "weat (token level)"


def test_the_frame_has_the_same_columns_whatever_was_found(model_of, test_of):
    found = weat(model_of(WORDS), test_of(X, Y, A, B)).to_frame()
    nothing = weat(model_of(WORDS), test_of(["gone"], Y, A, B)).to_frame()
    two = [f"two-sided{which}" for which in ("", ", attribute labels")]
    own = {f"p[{name}]" for name in (*two, "one-sided", "one-sided, strict")}
    assert set(found.columns) == {*nothing.columns, *own}


def test_negligible_needs_the_whole_interval_within_the_bound(model_of, test_of):
    model, test = model_of(WORDS), test_of(X, Y, A, B)
    got = weat(model, test, bound=5.0)
    assert got.verdict is Verdict.NEGLIGIBLE
    assert weat(model, test, bound=None).verdict is not Verdict.NEGLIGIBLE


def test_single_category_equals_equation_five(model_of, test_of):
    got = sc_weat(model_of(WORDS), test_of(X, Y, A, B))
    frame = got.items_frame().set_index("item")
    for word in X + Y:
        a = np.array([cosine(WORDS[word], WORDS[other]) for other in A])
        b = np.array([cosine(WORDS[word], WORDS[other]) for other in B])
        expected = (a.mean() - b.mean()) / np.concatenate([a, b]).std(ddof=1)
        assert frame.loc[word, "value"] == pytest.approx(expected, abs=1e-6)
        pooled = np.concatenate([a, b])
        sums = [
            pooled[list(some)].mean() - np.delete(pooled, list(some)).mean()
            for some in itertools.combinations(range(10), 5)
        ]
        assert frame.loc[word, "p_one_sided"] == pytest.approx(
            np.mean(np.array(sums) >= a.mean() - b.mean() - 1e-9)
        )
    assert (frame["p_holm"] >= frame["p_two_sided"]).all()
    alone = got.estimate("share of words associated").value
    assert alone == pytest.approx(float((frame["p_holm"] <= 0.05).mean()))


def test_single_category_says_which_way_its_words_lean(model_of, test_of):
    got = sc_weat(model_of(WORDS), test_of(X, Y, A, B), alpha=0.2)
    frame = got.items_frame()
    found = frame[frame["p_holm"] <= 0.2]["value"]
    assert len(found) > 0
    a, b = (len(found[sign * found > 0]) for sign in (1, -1))
    assert f"{a} with list A and {b} with list B, and the mean word is associated with " in got.reason


def test_single_category_tells_resamples_without_a_value_word_by_word(model_of, test_of):
    got = sc_weat(model_of(WORDS), test_of(X, Y, A[:2], B[:2]))
    assert any("resamples of 'x0' had no variance" in warning for warning in got.warnings)


def test_single_category_without_attributes_is_inconclusive(model_of, test_of):
    got = sc_weat(model_of(WORDS), test_of(X, Y, A, ["gone", "b0"]))
    assert got.headline.value is None
    assert "B has 1 usable word(s) of 2 and needs 2" in got.reason


def test_same_seed_same_measurement(model_of, test_of):
    model, test = model_of(WORDS), test_of(X, Y, A, B)
    one, two = weat(model, test), weat(model, test)
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)


def test_a_one_sided_test_tells_of_an_effect_the_other_way(model_of, test_of):
    model = model_of(WORDS)
    seen = weat(model, test_of(Y, X, A, B), alternative="greater")
    assert seen.headline.value < 0
    assert seen.verdict is Verdict.INCONCLUSIVE
    two_sided = seen.headline.p("two-sided").value
    assert two_sided <= 0.05
    told = f"points the other way (two-sided p = {two_sided:.3g}, 95 % interval "
    assert told in seen.reason
    assert any(told in warning for warning in seen.cautions)
    for other in (
        weat(model, test_of(X, Y, A, B), alternative="greater"),
        weat(model, test_of(Y, X, A, B), alternative="two-sided"),
    ):
        assert other.verdict is Verdict.DETECTED
        assert "other way" not in " ".join([other.reason, *other.warnings])


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("bound", [0.2, 5.0])
def test_verdicts_follow_from_what_is_stored(model_of, test_of, confidence, bound):
    for metric in (weat, sc_weat):
        got = metric(model_of(WORDS), test_of(X, Y, A, B), confidence=confidence, bound=bound)
        assert contradiction(got) == ""
