"""The designs of ``biascore audit``: what each asks, by its name alone, and which one a time recommends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from biascore import Audit, Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Choice, Chosen, Way
from biascore.audits.making import leaves_out
from biascore.cli.auditing import _planned, _price_lines, _recommended
from biascore.engine.plan import Plan, QuestionPlan
from biascore.engine.prices import Prices
from biascore.errors import OptionsError
from biascore.metric import DESIGNS
from biascore.models.questions.cost import Cost

from .test_audit import Noise


class Server(Backend):
    """A chat model that is asked in words."""

    identity = Identity(digest="test:server", ways=("letters", "text"))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        return tuple(Chosen(way, (), 0, said=one.options[0]) for one in questions)


def _asked(audit: Audit) -> list[tuple[tuple[str, ...], dict[str, object]]]:
    """Tests and options of what is asked of the model itself."""
    first = audit.measurements[0].models
    return [(one.tests, dict(one.options)) for one in audit.measurements if one.models == first]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    one = Engine(cache=None)
    yield one
    one.close()


@pytest.mark.parametrize("kind", ["bert-uncased", "gpt2"])
def test_a_language_model_is_asked_less_by_each_smaller_design(
    engine: Engine, kind: str, saved_model: Callable[[str], Path]
) -> None:
    with engine.model(f"hf:{saved_model(kind)}") as model:
        of = {name: engine.audit(model, design=name) for name in DESIGNS}
        assert engine.audit(model) == of["standard"]
        assert engine.audit(model, quick=True).to_toml() == of["small"].to_toml()
    counts = {name: (len(_asked(one)[-1][0]), len(one.not_asked)) for name, one in of.items()}
    # With two baselines.
    assert counts == {"small": (11, 20), "standard": (31, 0), "full": (31, 0)}
    assert {name: _asked(one)[-1][1].get("most_templates") for name, one in of.items()} == {
        "small": 1,
        "standard": 1,
        "full": None,
    }
    assert all(engine.catalogue.test(id).lead for id in _asked(of["small"])[-1][0] if "/audit-" in id)
    assert [leaves_out(one, of["full"]) for one in of.values()] == [
        "leaves out 20 tests and asks with most_templates=1 of lpbs, most_words=30 of lpbs",
        "asks with most_templates=1 of lpbs",
        "",
    ]


@pytest.mark.slow
def test_a_causal_model_is_asked_what_it_chooses_too(
    engine: Engine, saved_model: Callable[[str], Path], tmp_path: Path
) -> None:
    """Associations and choices, in one audit and in the queries that it says; a masked model has no choices."""
    saved_model("gpt2")  # skips where torch is absent
    from ..builders.tiny import save_model

    with engine.model(f"hf:{save_model('gpt2', tmp_path, 3, context=512)}") as model:
        for name in DESIGNS:
            choices, associations, *controls = engine.audit(model, design=name).measurements
            assert associations.metric == "lpbs"
            assert all(one.models != choices.models for one in controls)
            assert (choices.metric, choices.tests) == ("bbq", ("en/choices-gender", "en/choices-age"))
            assert dict(choices.options) == {"way": "likelihood"}
        audit = engine.audit(model, design="small")
        planned = _planned(engine, audit, model, probe=False)
        asked = {row.hook: row.asked for row in planned.rows}
        assert 88_000 < asked["score"] < 93_000  # "some 91,000", as docs/guides/causal.md says
        assert asked["choose"] == 384
        assert planned.total.asked == sum(asked.values())
    with engine.model(f"hf:{saved_model('bert-uncased')}") as masked:
        assert "bbq" not in {one.metric for one in engine.audit(masked).measurements}


def test_vectors_are_asked_the_same_by_standard_and_full(engine: Engine) -> None:
    with engine.model(Noise(), name="noise") as model:
        small, standard, full = (engine.audit(model, design=name) for name in DESIGNS)
    assert standard.measurements == full.measurements
    assert not standard.not_asked
    assert {*small.not_asked} == {*_asked(full)[0][0]} - {*_asked(small)[0][0]}
    assert Audit.model_validate(json.loads(small.model_dump_json())) == small


def test_a_chat_model_is_asked_a_third_by_the_small_design(engine: Engine) -> None:
    asked = {}
    for name in DESIGNS:
        with engine.model(Server(), name="server") as model:
            audit = engine.audit(model, design=name)
            asked[name] = engine.plan(audit, [model], whole=False).total.asked
            assert audit.not_asked == ()
    assert asked == {"small": 384, "standard": 1152, "full": 1152}


def test_a_design_that_there_is_not_and_two_at_once(engine: Engine) -> None:
    with pytest.raises(OptionsError, match=r"no design 'smal'. Did you mean small"):
        engine.audit("planted:en/weat6=0", design="smal")
    with pytest.raises(
        OptionsError, match="quick=True is short for design='small', and design='full' is given"
    ):
        engine.audit("planted:en/weat6=0", design="full", quick=True)
    assert engine.audit("planted:en/weat6=0", design="small", quick=True).design == "small"


def test_a_gate_on_a_test_that_is_not_asked_is_refused_before_any_model(engine: Engine) -> None:
    audit = engine.audit("planted:en/weat6=0", design="small", grounds=["gender"])
    gates = [{"measurements": ["en/audit-gender-*"], "fail_on": "detected"}]
    engine.check(Audit.model_validate(audit.model_dump() | {"gates": gates}))
    gates[0]["measurements"] = ["en/audit-gender-career-family", "en/audit-gender-traits"]
    with pytest.raises(OptionsError, match=r"does not ask en/audit-gender-traits: design='standard' does"):
        engine.check(Audit.model_validate(audit.model_dump() | {"gates": gates}))


def _plan(asked: int, seconds: float | None, *, paid: bool = False) -> Plan:
    cost = Cost(requests=asked, tokens=9 * asked, tokens_out=2 * asked, characters=40 * asked)
    row = QuestionPlan(
        model="m",
        hook="choose",
        counts="exact",
        put=asked,
        unique=asked,
        cached=0,
        asked=asked,
        cost=cost,
        seconds=seconds,
        paid=paid,
    )
    return Plan(title="t", rows=(row,), stopped=(), other_seconds=0, processor_seconds=0)


@pytest.mark.parametrize(
    ("minutes", "seconds", "found"),
    [(10, 600.0, "full"), (9, 600.0, "standard"), (2.9, 600.0, ""), (3, 600.0, "small"), (10, None, "")],
)
def test_the_largest_design_that_fits_the_time_is_recommended(
    engine: Engine,
    minutes: float,
    seconds: float | None,
    found: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One batch is timed, of the full design; the others follow by their queries."""
    probed = []

    def plan(audit: Audit, *_given: object, probe: bool, **_more: object) -> Plan:
        probed.append((audit.design, probe))
        asked = {"small": 300, "standard": 900, "full": 1000}[audit.design]
        return _plan(asked, seconds if probe else None)

    monkeypatch.setattr(engine, "plan", plan)
    with engine.model("planted:en/weat6=0") as model:
        every = [engine.audit(model, design=name, grounds=["gender"]) for name in DESIGNS]
        if found:
            assert _recommended(engine, every, model, minutes).design == found
            said = " ".join(capsys.readouterr().err.split())
            assert f"recommended for {minutes:g} minutes: --design {found}" in said
            assert "it leaves out 5 tests" in said
        else:
            with pytest.raises(OptionsError, match=r"no design takes|is not known"):
                _recommended(engine, every, model, minutes)
    assert [name for name, probe in probed if probe] == ["full"]


def test_what_a_service_is_sent_stands_with_its_price() -> None:
    assert list(_price_lines(_plan(1000, None), Prices())) == []
    sent, more = _price_lines(_plan(1000, None, paid=True), Prices())
    assert (
        sent
        == "the service is sent at most 1,000 requests, 9,000 tokens in, 2,000 tokens out, 40,000 characters"
    )
    assert "no price is known" in more
    _, price = _price_lines(_plan(1000, None, paid=True), Prices(tokens_in=1, tokens_out=3))
    assert price.startswith("price: at most 0.01 for 9,000 tokens in at 1 per million")  # .009 + .006 = .015
