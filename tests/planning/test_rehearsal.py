"""Metrics rehearsed on placeholders: what they would ask, what it costs, and how long it takes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.queries import Masked
from biascore.engine.plan import QuestionPlan
from biascore.engine.planner import Planner
from biascore.engine.rehearsal import DIMENSIONS
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache, NoCache
from biascore.models.pipeline.source import Services
from biascore.models.pool import Pool
from biascore.models.questions.cost import Cost

from ..builders.models import model_of
from .rehearsed import TEST, Adaptive, All, Asks, Clock, Tokenised, in_context, plan_of


def test_placeholders_have_the_form_of_answers() -> None:
    seen: dict[str, Any] = {}
    query = Masked("he is a nurse", ((0, 2), (8, 13)), also=((3, 5),))

    def ask(model: Model) -> None:
        seen["embed"] = model.embed(["a", "b", "a"])
        seen["mask_logprob"] = model.mask_logprob([query, Masked("hello", None, one_at_a_time=True)])
        seen["translate"] = model.translate(["ciao", ""], "it", "en")
        seen["anger"] = model.score(["one", "two", "three"], "anger")
        seen["log_likelihood"] = model.score(["one", "two"], "log_likelihood")

    backend = All()
    plan = plan_of(backend, Asks(ask))
    assert plan.stopped == ()
    assert backend.asked == 0
    assert seen["embed"].shape == (3, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(seen["embed"], axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(seen["embed"][0], seen["embed"][2])
    assert abs(float(seen["embed"][0] @ seen["embed"][1])) < 0.5
    assert seen["mask_logprob"][0].tokens == ("he", "nurse")
    assert seen["mask_logprob"][0].offsets == query.spans
    assert seen["mask_logprob"][1].total < 0
    assert seen["translate"] == ("ciao", "")
    assert np.all((seen["anger"] > 0) & (seen["anger"] < 1))
    assert len(set(seen["anger"])) == 3
    assert np.all(seen["log_likelihood"] < 0)
    assert [(row.hook, row.put, row.asked) for row in plan.rows] == [
        ("embed", 3, 2),
        ("mask_logprob", 2, 2),
        ("score", 5, 5),
        ("translate", 2, 2),
    ]


def test_a_metric_that_fails_on_placeholders_is_reported_and_the_rest_is_planned() -> None:
    def fail(model: Model) -> None:
        warnings.warn("of placeholders nobody wants to hear", RuntimeWarning, stacklevel=1)
        model.translate(["one"], "en", "it")
        raise ZeroDivisionError("the answers are odd")

    plan = plan_of(
        All(), Asks(fail, name="frail"), Asks(lambda model: model.score(["two", "three"], "anger"))
    )
    (stopped,) = plan.stopped
    assert (stopped.model, stopped.what) == ("fake", "frail xx/test")
    assert stopped.error == "ZeroDivisionError: the answers are odd"
    rows = {row.hook: row for row in plan.rows}
    assert {hook: (row.counts, row.asked) for hook, row in rows.items()} == {
        "embed": ("approximate", 0),  # which it requires, and had not asked yet
        "score": ("exact", 2),
        "translate": ("approximate", 1),
    }
    assert plan.total.counts == "approximate"
    assert any("frail xx/test on fake stopped" in note for note in plan.notes)


def test_a_question_that_the_model_cannot_take_is_found_before_the_run() -> None:
    plan = plan_of(Tokenised(), Asks(lambda model: model.embed(["short", "x" * 51])))
    assert [stopped.error for stopped in plan.stopped] == ["QuestionError: too long. Shorten it."]


def adaptive_ask(model: Model) -> None:
    vectors = model.embed(["a", "bb"])
    model.embed(["longer"] if vectors[1, 0] == 2 else ["else", "other"])


def test_an_adaptive_metric_is_planned_approximately_until_all_its_answers_are_known(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    metrics = (Adaptive(adaptive_ask), Asks(lambda model: model.score(["a"], "anger")))
    assert [(row.hook, row.counts, row.asked) for row in plan_of(All(), *metrics, cache=cache).rows] == [
        ("embed", "approximate", 4),
        ("score", "exact", 1),
    ]
    adaptive_ask(model_of(All(), Services(cache=cache)))
    assert [(row.hook, row.counts, row.cached) for row in plan_of(All(), *metrics, cache=cache).rows] == [
        ("embed", "exact", 3),
        ("score", "exact", 0),
    ]
    cache.close()


def test_costs_add_up_over_batches_and_what_is_unknown_stays_unknown() -> None:
    texts = [chr(97 + i) * (i + 1) for i in range(10)]
    plan = plan_of(
        Tokenised(batch=3), Asks(lambda model: (model.embed(texts, "token"), model.embed(texts[:2])))
    )
    assert plan.rows[0].cost == Cost(
        passes=12, naive_passes=12, tokens=58, tokens_out=0, requests=0, characters=58
    )
    assert plan_of(All(batch=3), Asks(lambda model: model.embed(texts))).total.cost == Cost(characters=55)
    assert Cost(passes=1, tokens=2) + Cost(passes=3, characters=4) == Cost(passes=4)
    both = Cost(requests=2, tokens_out=3, notes=("a bound",)) + Cost(requests=1, notes=("a bound", "another"))
    assert both == Cost(requests=3, notes=("a bound", "another"))


def test_starting_up_does_not_count_as_asking() -> None:
    clock = Clock()
    calls: list[int] = []

    def each(count: int) -> None:
        clock.pass_(0.01 * count if calls else 30)
        calls.append(count)

    metrics = Asks(lambda model: model.embed([f"text {i}" for i in range(100)]))
    (row,) = plan_of(All(batch=100, each=each), metrics, probe=True, clock=clock).rows
    assert row.seconds == pytest.approx(1.0)


def test_a_probe_that_fails_leaves_the_counts() -> None:
    def each(count: int) -> None:
        raise RuntimeError("out of memory")

    plan = plan_of(All(each=each), Asks(lambda model: model.embed(["a", "b"])), probe=True)
    assert [(row.asked, row.seconds, row.probed, row.counts) for row in plan.rows] == [(2, None, 0, "exact")]
    (stop,) = plan.stopped
    assert stop.what == "the probe of embed"
    assert "raised RuntimeError: out of memory" in stop.error


def test_models_are_closed_and_opening_them_is_timed() -> None:
    backend = All()
    clock = Clock()

    def open_model() -> Model:
        clock.pass_(7)
        return model_of(backend)

    planner = Planner(NoCache(), clock=clock, processor=lambda: clock() / 3)
    with Pool({"fake": open_model}) as pool:
        asks = Asks(lambda _model: clock.pass_(2))
        planner.rehearse("fake", pool.model, [(asks, TEST)], in_context, probe=lambda _name: True)
    assert backend.closed == 1
    plan = planner.plan("plan")
    assert (plan.other_seconds, plan.processor_seconds) == (9, 3)
    assert "takes 3 s of processor time (9 s by the clock, now)" in plan.notes[-1]


def test_json_and_text_say_the_same() -> None:
    texts = [f"text {i}" for i in range(2000)]
    plan = plan_of(Tokenised(), Asks(lambda model: (model.embed(texts), model.embed(texts))))
    body = plan.to_json()
    assert body["total"]["asked"] == 4000  # nothing is kept
    assert QuestionPlan.model_validate(body["rows"][0]) == plan.rows[0]
    title, header, row, *_notes = plan.readable().splitlines()
    assert title == "plan"
    assert header.split()[:3] == ["model", "hook", "questions"]
    numbers = ["4,000", "2,000", "0", "4,000", "4,000", "4,000", "33,780", "33,780"]
    assert row.split() == ["fake", "embed", *numbers]  # no time is known, and all counts are exact


def test_kinds_of_masked_questions_are_told_apart_where_there_are_both() -> None:
    alone = [Masked(text, None, one_at_a_time=True) for text in ("one two", "three")]
    whole = [Masked(text, ((0, 3),)) for text in ("one two", "six", "ten")]

    def ask(model: Model) -> None:
        model.mask_logprob(alone)
        model.mask_logprob(whole)

    plan = plan_of(All(batch=2), Asks(ask))
    assert [(part.kind, part.asked) for part in plan.rows[0].parts] == [
        ("tokens hidden one at a time", 2),
        ("words hidden whole", 3),
    ]
    assert any("one at a time: 2 to ask; words hidden whole: 3 to ask" in note for note in plan.notes)
    single = plan_of(All(), Asks(lambda model: model.mask_logprob(alone)))
    assert not any("one at a time" in note for note in single.notes)
