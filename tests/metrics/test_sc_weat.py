"""SC-WEAT against control words: what random words show as well is no finding, and which way words lie apart."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biascore import Audit, Engine
from biascore.api.exporters import Measurement
from biascore.api.metrics import Model
from biascore.api.stimuli import Catalogue, Test
from biascore.errors import OptionsError
from biascore.stats import Verdict, cosine_matrix, holm, permutation_test
from biascore.stats.each import each_word_test
from biascore.stats.exchange import Exchange
from biascore_metrics.weat.control import (
    AGAINST,
    BEYOND,
    EACH,
    LARGER,
    OF_CONTROL,
    OF_TARGETS,
    Control,
    ScWeatOptions,
)
from biascore_metrics.weat.single import SHARE, ScWeat

from ..builders.kinds import KINDS
from ..builders.word_lists import write_neutral
from .measuring import measured

ROLES = {role: [f"{role.lower()}{i}" for i in range(8)] for role in "XYAB"}
NEUTRAL = [f"n{i}" for i in range(60)]
FAST = {"resamples": 100, "draws": 20_000}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return Catalogue.from_folders(
        [(write_neutral(tmp_path_factory.mktemp("stimuli"), [*NEUTRAL, "X0"]), "own")], kinds=KINDS
    )


@pytest.fixture
def test(test_of) -> Test:
    return test_of(*(ROLES[role] for role in "XYAB"))


def vectors(
    lean: float = 0.0, offset: float = 0.0, scatter: float = 1.0, common: float = 0.0
) -> dict[str, np.ndarray]:
    """A and B lie apart on one axis, X and Y on its sides by ``lean``, all words but A and B at ``offset`` of it."""
    rng = np.random.default_rng(5)
    axis, centre = np.eye(40)[0], common * np.eye(40)[1]
    place = {"X": lean + offset, "Y": offset - lean, "A": 1.0, "B": -1.0}
    found = {
        word: place[role] * axis + centre + rng.normal(0, 0.3 * (scatter if role == "A" else 1), 40)
        for role, some in ROLES.items()
        for word in some
    }
    return found | {word: offset * axis + centre + rng.normal(0, 0.3, 40) for word in [*NEUTRAL, "X0"]}


def sc_weat(model: Model, test: Test, catalogue: Catalogue, **options: object) -> Measurement:
    return measured(ScWeat(ScWeatOptions(**{**FAST, **options})), model, test, catalogue=catalogue)


def test_words_that_lean_as_neutral_words_do_are_no_finding(model_of, test, catalogue):
    got = sc_weat(model_of(vectors()), test, catalogue)
    # By themselves some words are associated: any words vary along a real axis.
    assert got.estimate(SHARE).p_values[0].value <= 0.05
    assert got.headline.name == BEYOND
    assert got.headline.p(AGAINST).value > 0.05 >= got.headline.p(EACH).value
    assert got.p_value == got.headline.p(LARGER).value == got.headline.p(AGAINST).value
    assert got.verdict is Verdict.INCONCLUSIVE
    # X0 is in the test, in another case.
    assert got.conventions["control words"] == "60 words of xx/neutral/words that are not in the test"
    assert got.estimate(OF_TARGETS).value - got.estimate(OF_CONTROL).value == pytest.approx(
        got.headline.value
    )
    assert got.headline.n == {"words": 16, "control words": 60}


def test_an_offset_of_all_words_is_no_finding_and_words_that_lean_beyond_it_are(model_of, test, catalogue):
    shifted = sc_weat(model_of(vectors(offset=-0.8)), test, catalogue)
    share = shifted.estimate(SHARE).value
    assert share > 0.7
    assert shifted.verdict is Verdict.INCONCLUSIVE
    assert (
        f"0 with list A and {16 * share:g} with list B, and the mean word is associated with list B by d = "
        in shifted.reason
    )
    got = sc_weat(model_of(vectors(lean=0.7, offset=-0.8)), test, catalogue)
    assert got.verdict is Verdict.DETECTED
    assert got.headline.value > 0.2
    assert "From the centre of 60 control words the mean word leans to " in got.reason
    frame = got.items_frame()
    up, down = ((frame["p_holm_control"] <= 0.05) & (sign * frame["from_control"] > 0) for sign in (1, -1))
    assert (
        f"{up.sum()} of 16 words lie apart towards list A and {down.sum()} towards list B after Holm's"
        in got.reason
    )
    assert min(up.sum(), down.sum()) > 2


def test_lists_of_unlike_scatter_alone_give_no_finding(model_of, test_of, catalogue):
    test = test_of(*(ROLES[role] for role in "XYAB"))
    words = vectors(scatter=2.5, common=2.0)
    apart = {role: np.eye(40)[0] * (1 if role == "A" else -1) for role in "AB"}
    words |= {word: words[word] - apart[role] for role in "AB" for word in ROLES[role]}
    got = sc_weat(model_of(words), test, catalogue)
    assert got.estimate(SHARE).value > 0.9  # all of them with the list that scatters less
    assert got.estimate(OF_TARGETS).value < 0.3
    assert got.verdict is Verdict.INCONCLUSIVE


def test_without_control_words_nothing_is_decided(model_of, test, test_of):
    got = measured(ScWeat(ScWeatOptions(**FAST)), model_of(vectors(lean=1.0)), test)
    assert got.headline.value is None
    assert got.verdict is Verdict.NOT_MEASURED
    assert (
        "There are no control words (there is no list xx/neutral/words; write it in a stimuli file xx/neutral.toml)"
        in (got.reason)
    )
    assert got.estimate(SHARE).value > 0
    with pytest.raises(OptionsError, match="control_pool='own/words'"):
        measured(ScWeat(ScWeatOptions(control_pool="own/words")), model_of(vectors()), test)


def test_too_few_attributes_for_so_many_words_are_told_before(test, test_of):
    (told,) = ScWeat(ScWeatOptions()).unreachable(
        test_of(ROLES["X"], ROLES["Y"], ROLES["A"][:5], ROLES["B"][:5])
    )
    assert told.why == "cannot be below 0.127 with 5 + 5 attribute words, adjusted for 16 target words"
    assert ScWeat(ScWeatOptions()).unreachable(test) == ()


def test_counterparts_too_few_for_so_many_words_are_exchanged_one_by_one(test: Test):
    """Eight pairs reach 2 / 256, which is enough for one word and not for sixteen."""
    roles = {**test.roles, "A": replace(test.roles["A"], counterparts=test.roles["B"].name)}
    paired = replace(test, roles=roles)
    assert ScWeat(ScWeatOptions()).unreachable(paired) == ()
    one = {role: replace(roles[role], words=roles[role].words[: role == "X"]) for role in "XY"}
    metric = ScWeat(ScWeatOptions())
    used = roles["A"].words, roles["B"].words
    assert metric._exchange(paired, used, 1).labellings < metric._exchange(paired, used, 16).labellings
    assert metric.unreachable(replace(paired, roles=roles | one)) == ()


def test_negligible_needs_every_word_within_the_bound_and_no_finding(model_of, test, catalogue):
    even = sc_weat(model_of(vectors()), test, catalogue, bound=100.0)
    assert even.verdict is Verdict.NEGLIGIBLE
    frame = even.items_frame()
    half = float(np.median(frame[["ci_low", "ci_high"]].abs().max(axis=1)))
    assert sc_weat(model_of(vectors()), test, catalogue, bound=half).verdict is Verdict.INCONCLUSIVE
    low = sc_weat(model_of(vectors()), test, catalogue, bound=100.0, confidence=0.8)
    assert (low.verdict, low.equivalence) == (Verdict.INCONCLUSIVE, None)
    mean_bias = sc_weat(model_of(vectors(lean=0.7, offset=-0.8)), test, catalogue, bound=100.0)
    assert mean_bias.verdict is Verdict.DETECTED


def test_a_plan_counts_the_control_words(tmp_path: Path):
    engine = Engine(cache=None)
    audit = Audit.from_parts(
        title="Words",
        models=[{"ref": "planted:gender=1", "name": "m"}],
        measurements=[
            {"metric": "sc-weat", "tests": ["en/weat7"], "options": {"resamples": 100, "draws": 1000}}
        ],
    )
    plan, run = engine.plan(audit, probe=False), engine.run(audit)
    assert plan.rows[0].counts == "exact"
    assert (plan.total.put, plan.total.asked) == (run.models[0].questions.put, run.models[0].questions.asked)
    assert run[0].headline.n["control words"] > 100


def test_each_control_word_is_seen_from_the_centre_of_the_others():
    """With 20 of them the centre of all lies a twentieth of the way towards each, so that fewer are associated."""
    rng = np.random.default_rng(4)
    vectors_of_words = [rng.normal(size=(many, 9)) + 0.3 for many in (6, 20, 8)]
    words, neutral = (cosine_matrix(some, vectors_of_words[2]) for some in vectors_of_words[:2])
    options = ScWeatOptions(draws=2000)
    found = Control.of(words, neutral, Exchange.of((4, 4)), "xx/neutral/words", options, rng)
    others = [np.delete(neutral, i, axis=0).mean(axis=0) for i in range(20)]
    from_others = np.array([own - centre for own, centre in zip(neutral, others, strict=True)])
    assert found.neutral == pytest.approx(from_others[:, :4].mean(axis=1) - from_others[:, 4:].mean(axis=1))
    from_all = words - neutral.mean(axis=0)
    assert found.scores == pytest.approx(from_all[:, :4].mean(axis=1) - from_all[:, 4:].mean(axis=1))
    apart = [np.abs(one) for one in (found.scores, found.neutral)]
    against = permutation_test(*apart, method="monte-carlo", draws=2000, rng=rng).greater.p_value
    assert next(p.value for p in found.p_values(options) if p.name == AGAINST) == pytest.approx(
        against, abs=0.04
    )


def test_every_word_has_the_p_of_a_loop_over_all_labellings():
    rng = np.random.default_rng(2)
    cosines = cosine_matrix(rng.normal(size=(5, 9)), rng.normal(size=(7, 9)))
    test = each_word_test(cosines, Exchange.of((3, 4)), draws=100, rng=rng)
    for word, row in enumerate(cosines):
        sums = [
            row[list(some)].mean() - np.delete(row, list(some)).mean()
            for some in itertools.combinations(range(7), 3)
        ]
        assert test.two_sided[word] == np.mean(np.abs(sums) >= abs(sums[0]) - 1e-12)
        assert test.greater[word] == np.mean(np.array(sums) >= sums[0] - 1e-12)
    assert (test.method, test.total) == ("exact", 35)
    many = cosine_matrix(rng.normal(size=(5, 9)), rng.normal(size=(24, 9)))
    drawn = each_word_test(many, Exchange.of((12, 12)), draws=30, rng=rng)
    assert (drawn.method, drawn.total) == ("monte-carlo", 30)
    assert holm(list(drawn.two_sided)).min() >= 1 / 31


def test_counterparts_change_labels_within_their_pairs():
    rng = np.random.default_rng(2)
    cosines = cosine_matrix(rng.normal(size=(4, 9)), rng.normal(size=(12, 9)))
    places = list(range(6))
    pairs = Exchange.of((6, 6), counterparts=(places, places))
    assert each_word_test(cosines, pairs, draws=100, rng=rng).total == 2**6
