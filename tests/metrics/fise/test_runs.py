"""FISE in runs: plans, second models, transforms, stored runs, reports, and a model without bias."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Audit, Engine
from biascore.api.transforms import FittedTransform, Options, Transform
from biascore.errors import CapabilityError, TestKindError, UnknownNameError
from biascore.results.run import Run

from ...builders.vectors import random_vectors, write_vectors

TEST = "it/fise_it1_occupations"
OCTANTS = "en/fise_gender_race_class_occupations"
FEW = {"draws": 200}


def vectors(folder: Path, engine: Engine, *tests: str, seed: int = 1, without: str = "") -> str:
    """Word vectors at random for every word of the tests but one."""
    words: dict[str, None] = {}
    for test in tests:
        for role in engine.catalogue.test(test).lists.values():
            forms = getattr(role, "words", None) or [form for pair in role.pairs for form in pair]
            words |= dict.fromkeys(word for form in forms for word in form.split())
    words.pop(without, None)
    return write_vectors(folder / f"random{seed}.vec", random_vectors(words, 12, seed))


def audit_of(*models: tuple[str, str], measurements: list[dict[str, Any]]) -> Audit:
    return Audit.from_parts(
        title="Placed",
        models=[{"ref": ref, "name": name} for ref, name in models],
        measurements=measurements,
        seed=3,
    )


def test_a_plan_counts_the_questions_of_both_models(engine: Engine, tmp_path: Path):
    static = vectors(tmp_path, engine, TEST, OCTANTS)
    audit = audit_of(
        ("planted:gender=0", "tested"),
        (static, "static"),
        measurements=[
            {"metric": "fise", "tests": [TEST, OCTANTS], "models": ["tested"],
             "options": {**FEW, "affect_model": "static", "forms": "both"}},
            {"metric": "gg-fise", "tests": [TEST], "options": {**FEW, "affect_model": "static"}},
        ],
    )  # fmt: skip
    plan = engine.plan(audit, probe=False)
    run = engine.run(audit)
    assert plan.stopped == ()
    assert {row.counts for row in plan.rows} == {"exact"}
    assert {(row.model, row.put, row.asked) for row in plan.rows} == {
        (model.name, model.questions.put, model.questions.asked) for model in run.models
    }
    assert len(run) == 4


def test_octants_of_three_dimensions(engine: Engine):
    got = engine.measure("fise", "planted:gender=0", OCTANTS, affect_model="self", **FEW)[0]
    shares = [e for e in got.estimates if e.name.startswith(("share of men", "share of women"))]
    assert [e.name for e in shares][:3] == [
        "share of men white rich",
        "share of men white poor",
        "share of men black rich",
    ]
    assert len(shares) == 8
    assert sum(e.value for e in shares) == pytest.approx(1)
    assert {e.neutral for e in shares} == {1 / 8}
    assert [(f.kind, f.title) for f in got.figures][:3] == [
        ("plane", "Words by gender and race"),
        ("plane", "Words by gender and class"),
        ("plane", "Words by race and class"),
    ]
    columns = set(got.items.column_names)
    for figure in got.figures:
        if figure.kind == "plane":
            assert {figure.x, figure.y} <= columns
        else:
            assert len(figure.estimates) == len(figure.labels) == 8
            assert all(got.estimate(name).unit == "share" for name in figure.estimates)
    plane = got.figures[0]
    assert (plane.x_ends, plane.y_ends) == (("women", "men"), ("black", "white"))


def test_a_transform_changes_what_fise_sees(engine: Engine, tmp_path: Path):
    class Mirrored(FittedTransform):
        """Turns every vector around but those of some words."""

        digest, facts, warnings, trace = "blake2b:00", {}, (), ()

        def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
            vectors[[word not in spared for word in words]] *= np.float32(-1)
            return vectors

    class Mirror(Transform[Options]):
        """Learns nothing."""

        name = "mirror"
        summary = "turns vectors around"
        reference = "made"

        def fit(self, learnt_from: Any, context: Any) -> FittedTransform:
            return Mirrored()

    ref = vectors(tmp_path, engine, TEST)
    test = engine.catalogue.test(TEST)
    spared = {word for side in "AB" for word in test.roles[f"gender.{side}"].words}
    options = {**FEW, "affect_model": "self"}
    with engine.model(ref) as plain, engine.model(ref, transforms=[Mirror(Options())]) as turned:
        before = engine.measure("gg-fise", plain, TEST, **options)[0].items_frame()
        run = engine.measure("gg-fise", turned, TEST, **options)
        after = run[0].items_frame()
    # Targets and all lists but those of gender are turned: only the scores on gender change their sign.
    assert list(after["gender"]) == pytest.approx(list(-before["gender"]), abs=1e-6)
    assert list(after["race"]) == pytest.approx(list(before["race"]), abs=1e-6)
    assert list(after["valence"]) == pytest.approx(list(before["valence"]), abs=1e-6)
    assert [one.name for one in run.models[0].transforms] == ["mirror"]


def test_a_target_out_of_vocabulary_is_lost_with_its_pair(engine: Engine, tmp_path: Path):
    first = next(pair for pair in engine.catalogue.test(TEST).targets.pairs if pair[0] != pair[1])
    ref = vectors(tmp_path, engine, TEST, without=first[1])
    together = engine.measure("gg-fise", ref, TEST, **FEW)[0]
    alone = engine.measure("fise", ref, TEST, **FEW)[0]
    assert "/".join(first) in {lost.word for lost in together.coverage.missing}
    assert "/".join(first) not in together.items["item"].to_pylist()
    assert first[0] in alone.items["item"].to_pylist()


@pytest.mark.parametrize(
    ("metric", "test", "options", "error", "told"),
    [
        ("gg-fise", OCTANTS, {}, TestKindError, "single words"),
        ("fise", "en/weat7", {}, TestKindError, "fise takes tests of kind fise"),
        ("fise", TEST, {"affect_model": "plantet:x"}, UnknownNameError, "planted"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_a_model_is_asked(
    engine: Engine, metric: str, test: str, options: dict[str, str], error: type[Exception], told: str
):
    audit = audit_of(
        ("planted:gender=0", "tested"), measurements=[{"metric": metric, "tests": [test], "options": options}]
    )
    with pytest.raises(error, match=told):
        engine.check(audit)


def test_the_affect_model_must_embed(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    adapter = type(engine.plugins.adapters.get("fasttext")())
    monkeypatch.setattr(adapter, "capabilities", frozenset({"translate"}))
    with pytest.raises(CapabilityError, match=r"affect_model = 'fasttext:.* must embed"):
        engine.measure("fise", "planted:gender=0", TEST, affect_model=vectors(tmp_path, engine, TEST))


def test_a_run_is_stored_and_read_again(engine: Engine, tmp_path: Path):
    static = vectors(tmp_path, engine, TEST)
    run = engine.measure("fise", "planted:gender=0", TEST, affect_model=static, **FEW)
    again = Run.load(run.save(tmp_path / "run"))
    assert again[0].model_dump() == run[0].model_dump()
    assert again[0].items.equals(run[0].items)
    # A stored run holds no path of the machine.
    assert [model.ref for model in again.models] == ["planted:gender=0", "fasttext:random1.vec"]
    json.dumps(again[0].model_dump(mode="json"))


def test_the_report_shows_it(engine: Engine, tmp_path: Path):
    pytest.importorskip("altair", reason="needs biascore[report]")
    from biascore.report import write_report

    run = engine.measure("fise", "planted:gender=0", OCTANTS, affect_model="self", **FEW)
    page = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    for text in ("share of men white", "positive valence among men black rich"):
        assert text in page


@pytest.mark.slow
def test_a_model_without_bias_is_rarely_called_biased(engine: Engine):
    p = [
        engine.measure("fise", engine.model("planted:", seed=seed), TEST, affect_model="self", **FEW)[
            0
        ].p_value
        for seed in range(40)
    ]
    # 40 sets at 5 %: more than 7 rejections have probability below .0005 (binomial).
    assert np.count_nonzero(np.array(p) <= 0.05) <= 7


def test_same_seed_same_numbers_another_seed_others(tmp_path: Path):
    ref = vectors(tmp_path, Engine(cache=None), TEST)
    runs = [
        Engine(cache=None, seed=seed).measure("fise", ref, TEST, **FEW)[0].model_dump(exclude={"seed"})
        for seed in (4, 4, 5)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
