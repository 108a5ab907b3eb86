"""The audit of the whole study is one that runs, on declared models in place of the real ones."""

from __future__ import annotations

from pathlib import Path

from biascore import Engine
from biascore.audits.audit import Audit
from biascore_metrics.gest.kind import SamplesTest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "gest.toml"


def test_the_study_runs_on_declared_models(tmp_path: Path, slavic_engine: Engine) -> None:
    engine = slavic_engine
    own = engine.catalogue.test("en/gest_own")
    assert isinstance(own, SamplesTest)
    rows = [f'"{sample.sentence}",{sample.stereotype}' for sample in own.samples.rows]
    (tmp_path / "gest.csv").write_text("\n".join(["sentence,stereotype", *rows]), encoding="utf-8")
    audit = Audit.load(STUDY)
    assert [one.source for one in audit.data] == ["hub:kinit/gest/gest.csv"]
    here = audit.data[0].model_copy(update={"source": str(tmp_path / "gest.csv")})
    declared = dict.fromkeys(("nllb", "bert", "mbert", "gpt2"), "planted:en/gest=1.5")
    local = audit.with_models(declared, without=("deepl", "google", "amazon")).model_copy(
        update={"data": (here,), "require_plugins": ()}
    )
    plan = engine.plan(local, probe=False)
    assert plan.stopped == ()
    run = engine.run(local)
    assert [(found.model, found.method.split(" ")[0]) for found in run] == [
        ("nllb", "gest-mt"),
        ("nllb", "gest-mt"),
        ("bert", "gest-lm"),
        ("mbert", "gest-lm"),
        ("mbert", "gest-lm"),
        ("gpt2", "gest-lm"),
    ]
    translated = [found for found in run if found.metric == "gest-mt"]
    assert [found.verdict.value for found in translated] == ["detected", "detected"]
    assert all("data" in found.conventions for found in run)


def test_the_real_models_of_the_study_are_known_to_the_engine() -> None:
    audit = Audit.load(STUDY)
    assert audit.require_plugins == ("biascore-plugin-slavic",)
    adapters = {adapter.id for adapter in Engine(cache=None).plugins.adapters.items()}
    assert {model.ref.partition(":")[0] for model in audit.models} <= adapters
