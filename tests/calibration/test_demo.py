"""The demo makes the point at first sight: what was planted is found in every test, and nothing where nothing was."""

from __future__ import annotations

from pathlib import Path

from biascore import Audit, Engine
from biascore.stats import Verdict

DEMO = Path(__file__).parents[2] / "docs" / "demo.toml"


def test_the_demo_finds_what_was_planted_and_nothing_else() -> None:
    audit = Audit.load(DEMO)
    models = {model.name: model for model in audit.models if model.ref.startswith("planted:")}
    every = next(one for one in audit.measurements if one.models is None)
    engine = Engine(cache=None, seed=audit.seed)
    opened = [engine.model(model.ref, name=name) for name, model in models.items()]
    run = engine.measure(every.metric, opened, list(every.tests), **every.options)
    verdicts = {(m.model, m.test): said.verdict for m, said in zip(run, run.verdicts, strict=True)}
    assert len(verdicts) == 2 * 3
    for (model, test), verdict in verdicts.items():
        planted = run.controls[model][test]
        assert (verdict is Verdict.DETECTED) is bool(planted), (model, test)
    assert {bool(run.controls[model][test]) for model, test in verdicts} == {True, False}
