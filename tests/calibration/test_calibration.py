"""``biascore calibrate``: a ruler on models whose bias is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm
from typer.testing import CliRunner

from biascore import Engine
from biascore.api.metrics import Context, Coverage, Estimate, Finding, Metric, MetricOptions, Model, PValue
from biascore.basics.progress import Silent
from biascore.calibration import Calibration, Cell, calibrate, resized
from biascore.calibration.simulation import Simulation
from biascore.calibration.words import answer, changed, needed
from biascore.cli.app import app
from biascore.designs.pairs.test import SentencePairsTest
from biascore.errors import BiascoreError, OptionsError, RunError
from biascore.plugins.registry import Plugin
from biascore.stats import decide
from biascore.stats.proportions import Rate


class Told(Silent):
    """Hears the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


FEW = {"models": 10, "nulls": 12, "effects": [1.6], "times": [2.0]}


@pytest.fixture(scope="module")
def found(engine: Engine) -> Calibration:
    return calibrate(engine, "weat", "en/weat6", **FEW)


def cells(shares: dict[float, float], times: float = 1.0) -> tuple[Cell, ...]:
    """Cells of 20 models, of which so many detect something."""
    return tuple(
        Cell(
            times=times,
            planted=effect,
            found=(2 * effect,) * 20,
            verdicts="d" * round(20 * share) + "i" * (20 - round(20 * share)),
        )
        for effect, share in shares.items()
    )


def test_interval_of_a_rate_is_wilsons() -> None:
    for count, trials in ((0, 40), (1, 40), (20, 400), (40, 40)):
        expected = binomtest(count, trials).proportion_ci(method="wilson")
        own = Rate.of(count, trials)
        assert (own.low, own.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    with pytest.raises(ValueError, match="3 successes of 2 trials"):
        Rate.of(3, 2)


def test_smallest_effect_lies_between_planted_ones_and_shares_never_fall(found: Calibration) -> None:
    made = found.model_copy(update={"cells": cells({0.0: 0.05, 0.4: 0.5, 0.8: 0.4, 1.2: 0.85})})
    smallest = made.smallest()
    # Half and two fifths are pooled to .45; from there to .85 it is 35 of 40 parts of the way.
    assert smallest.planted == pytest.approx(0.8 + 0.4 * 35 / 40)
    assert smallest.shown == pytest.approx(2 * smallest.planted)
    assert smallest.low is not None
    assert smallest.high is None or smallest.low <= smallest.planted <= smallest.high
    assert made.times_for(smallest.planted / 2) == pytest.approx(4)
    assert "32 each of X, Y, A, B" in needed(made, smallest.planted / 2)
    cell = made.cells[0].model_copy(update={"planted": None})
    words = made.model_copy(update={"cells": (cell, *made.cells[1:])})
    assert words.smallest().planted is None
    assert "tests single words" in answer(words)
    nothing = made.model_copy(update={"cells": cells({0.0: 0.0, 1.9: 0.5})})
    assert nothing.smallest().planted is None
    assert nothing.times_for(0.5) is None
    assert "no effect that was planted" in answer(nothing)


def test_models_are_measured_as_any_model_is(engine: Engine, found: Calibration) -> None:
    """A cell can be repeated by hand: model i has the seed of its number, and its measurement the same."""
    from biascore.calibration.simulation import seed_of

    cell = next(cell for cell in found.at(1.0) if cell.effect == 1.6)
    seed = seed_of(engine.seed, 3)
    alone = Engine(cache=None, seed=seed)
    model = alone.model("planted:en/weat6=1.6", seed=seed)
    run = alone.measure("weat", model, "en/weat6", draws=1999, resamples=200)
    assert run[0].headline.value == cell.found[3]
    assert run.verdicts[0].verdict.value[0] == cell.verdicts[3]


def test_a_large_effect_is_found_and_the_curve_rises(found: Calibration) -> None:
    assert [size.times for size in found.sizes] == [1.0, 2.0]
    assert dict(found.size(2.0).items) == {"X": 16, "Y": 16, "A": 16, "B": 16}
    assert dict(found.size(2.0).n) == {"X": 16, "Y": 16}
    assert len(found.at(1.0)[0].found) == 12
    assert len(found.at(2.0)[0].found) == 10
    null, large = found.at(2.0)
    assert large.rate.count >= 9 > 4 >= null.rate.count
    assert large.mean == pytest.approx(1.6, abs=0.2)
    assert "With 8 each of X, Y, A, B" in answer(found)
    assert changed(found) == (
        "Measured with draws = 1999 (else 100000), resamples = 200 (else 5000). Set others with -o."
    )


def test_what_is_known_is_not_measured_again(
    engine: Engine, found: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Calibration] = []
    calls = []
    measure = Engine.measure

    def counted(self: Engine, *args: object, **options: object) -> object:
        calls.append(args)
        return measure(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "measure", counted)
    again = calibrate(engine, "weat", "en/weat6", **FEW, known=found, keep=kept.append)
    assert again == found
    assert len(calls) == 2  # one for each size, to learn what is estimated
    assert kept
    more = calibrate(engine, "weat", "en/weat6", known=found, **{**FEW, "models": 12, "times": [1.0]})
    assert len(calls) == 2 + 1 + 2
    assert more.at(1.0)[1].found[:10] == found.at(1.0)[1].found
    assert more.at(2.0) == found.at(2.0)
    fewer = calibrate(engine, "weat", "en/weat6", known=more, **{**FEW, "times": [1.0]})
    assert fewer.at(1.0) == more.at(1.0)  # what is known is not thrown away
    monkeypatch.setattr(Engine, "model", None)
    with pytest.raises(OptionsError, match=r"made otherwise \(option ddof\)"):
        calibrate(engine, "weat", "en/weat6", **FEW, known=found, options={"ddof": 0})


def test_files_come_back_and_others_are_refused(found: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(found.write())
    (follows,) = (one for one in found.to_json()["follows"] if one["times"] == 2)
    assert follows["smallest"]["planted"] == found.smallest(2.0).planted
    assert follows["false_positives"]["trials"] == 10
    assert Calibration.load(path) == found
    path.write_text('{"what": "other"}', encoding="utf-8")
    with pytest.raises(RunError, match="it is no calibration"):
        Calibration.load(path)


def test_a_size_that_comes_to_no_decision_is_left_out_and_said(engine: Engine) -> None:
    """Twice the pairs of unequal length are enough to tell that lengths differ, so that no p-value is given."""
    simulation = Simulation(
        engine, "crows-pairs", "en/crows_own", times=[2.0], options={"model_kind": "causal"}, progress=Told()
    )
    assert [size.times for size in simulation.begin().sizes] == [1.0]
    (note,) = simulation.progress.notes  # type: ignore[attr-defined]
    assert "comes to no decision on en/crows_own at 2 times its size" in note
    assert "cannot be separated from the lengths" in note


@pytest.mark.parametrize("id", ["en/weat6", "it/fise_it1_traits", "en/crows_own", "en/gest_own"])
def test_tests_are_resized(engine: Engine, id: str) -> None:
    from biascore.calibration.resizing import sizes

    test = engine.catalogue.test(id)
    own = sizes(test)
    for times in (0.5, 2.0, 2.5):
        other = resized(test, times, "en/other")
        assert other is not None
        assert other.id == "en/other"
        slack = 8 if test.kind == "samples" else 3  # rounded within each stereotype, or by families of words
        assert sizes(other) == {role: pytest.approx(times * n, abs=slack) for role, n in own.items()}
    assert resized(test, 1.0, test.id) == test or test.kind == "samples"


def test_families_are_resized_whole_and_words_keep_their_tags(engine: Engine) -> None:
    from dataclasses import replace

    from biascore.stimuli import WordList

    words = WordList(
        "some", ("bello", "bella", "alto", "alta"), families=(("bello", "bella"), ("alto", "alta")),
        parts_of_speech={"bella": "adjective"}, marks={"masculine": ("bello", "alto")},
    )  # fmt: skip
    test = replace(engine.catalogue.test("en/weat6"), roles={"X": words})
    half, twice = (resized(test, times, "en/other") for times in (0.5, 2.0))
    assert half is not None
    assert twice is not None
    assert half.roles["X"].families == (("bello", "bella"), ("alto", "alta"))  # two items at least
    assert twice.roles["X"].words[4:] == ("bello_2", "bella_2", "alto_2", "alta_2")
    assert twice.roles["X"].families[2:] == (("bello_2", "bella_2"), ("alto_2", "alta_2"))
    assert dict(twice.roles["X"].parts_of_speech) == {"bella": "adjective", "bella_2": "adjective"}
    assert twice.roles["X"].marks["masculine"] == ("bello", "bello_2", "alto", "alto_2")


def test_families_of_pairs_are_resized_with_them(engine: Engine) -> None:
    test = engine.catalogue.test("it/fise_it1_occupations")
    whole = test.targets.families
    half, twice = (resized(test, times, "it/other") for times in (0.5, 2.0))
    assert twice.targets.families[: len(whole)] == whole
    assert len(twice.targets.families) == 2 * len(whole)
    firsts = {first for first, _ in half.targets.pairs}
    assert all(set(family) <= firsts and len(family) > 1 for family in half.targets.families)


@pytest.mark.parametrize(
    ("metric", "test", "options", "told"),
    [
        ("weat-change", "en/weat6", {}, "before a transform, and a planted model has none"),
        ("gest-mt", "en/gest_own", {"target": "cs-CZ"}, "no plugin tells"),
        ("gest-mt", "en/weat6", {}, "gest-mt takes tests of kind samples"),  # and not: target is missing
        ("weat", "en/weat6", {"dof": 1}, "dof"),
        ("pairwise-distance", "it/nouns", {}, "no effect can be planted in it/nouns"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_before_a_model_is_made(
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    metric: str,
    test: str,
    options: dict[str, object],
    told: str,
) -> None:
    monkeypatch.setattr(Engine, "model", None)
    with pytest.raises(BiascoreError, match=told):
        calibrate(engine, metric, test, options=options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"models": 3},
        {"models": 10**12},
        {"nulls": -1},
        {"nulls": 10**12},
        {"times": [0.0]},
        {"times": [10.0**12]},
        {"effects": [2.5]},
        {"power": 1.0},
    ],
    ids=lambda one: "=".join(map(str, *one.items())),
)
def test_numbers_that_cannot_be_are_refused(engine: Engine, wrong: dict[str, object]) -> None:
    with pytest.raises(OptionsError, match=next(iter(wrong))):
        calibrate(engine, "weat", "en/weat6", **wrong)


@pytest.mark.slow
def test_command_shows_and_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    early = CliRunner().invoke(app, ["calibrate", "weat", "--tests", "en/weat6", "--want", "0"])
    assert "--want 0.5" in str(early.exception)
    few = ["--models", "10", "--nulls", "10", "--times", "1", "--effect", "1.6", "--want", "0.8"]
    command = ["calibrate", "weat", "--tests", "en/weat6", *few]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "smallest effect seen" in done.output
    assert "cannot be relied on to see an effect below" in done.output
    assert "To see an effect of 0.8 would take about" in done.output
    file = tmp_path / "calibration-weat" / "weat-en-weat6.json"
    assert Calibration.load(file).metric == "weat"
    pytest.importorskip("vl_convert", reason="needs biascore[report]")
    assert b"<svg" in file.with_suffix(".svg").read_bytes()


class Signs(Metric[MetricOptions, SentencePairsTest]):
    """A metric of somebody's own: in how many pairs the first sentence is the likelier one, by the sign test."""

    name = "signs"
    summary = reference = "a test"
    requires = frozenset({"score"})
    kinds = frozenset({"sentence-pairs"})

    def measure(self, model: Model, test: SentencePairsTest, context: Context) -> Finding:
        pairs = test.pairs.rows
        texts = [text for pair in pairs for text in (pair.sent_more, pair.sent_less)]
        scores = np.array(model.score(texts, "log_likelihood")).reshape(-1, 2)
        count, n = int(np.sum(scores[:, 0] > scores[:, 1])), len(pairs)
        p = PValue(name="signs", value=binomtest(count, n).pvalue, kind="exact", alternative="two-sided")
        headline = Estimate(
            name="share", value=count / n, unit="share", neutral=0.5, n={"pairs": n}, p_values=(p,)
        )
        decision = decide(p.value, None, alpha=self.options.alpha, bound=None)
        return Finding(
            estimates=(headline,), decision=decision, coverage=Coverage(given={}, used={}), conventions={}
        )


@pytest.mark.slow
def test_a_metric_of_ones_own_has_its_exact_power() -> None:
    """Differences are normal around d, so that each pair counts for or against with Phi(d)."""
    engine = Engine(cache=None)
    owner = engine.plugins.metrics.owner("weat")
    engine.plugins.metrics.add("signs", Signs, Plugin(owner))
    found = calibrate(engine, "signs", "en/crows_own", effects=[0.6], times=[0.25], models=40, nulls=40)
    for times in (0.25, 1.0):
        n = found.size(times).n["pairs"]
        assert n == {0.25: 22, 1.0: 87}[times]
        counts = np.arange(n + 1)
        rejects = np.array([binomtest(int(k), n).pvalue <= 0.05 for k in counts])
        for cell in found.at(times):
            exact = float(binom.pmf(counts, n, norm.cdf(cell.effect))[rejects].sum())
            wide = Rate.of(cell.rate.count, cell.rate.trials, level=0.999)
            assert wide.low <= exact <= wide.high
            assert cell.mean == pytest.approx(norm.cdf(cell.effect), abs=0.05)
