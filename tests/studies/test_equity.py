"""The audit file of the study of emotion regressors can be run once its scorers are there."""

from __future__ import annotations

from pathlib import Path

from biascore import Audit, Engine

STUDY = Path(__file__).parents[2] / "docs" / "studies" / "equity.toml"


def test_every_measurement_of_the_study_can_be_made() -> None:
    audit = Audit.load(STUDY)
    models = {model.name: f"planted:{model.name[4:]}/eec=0" for model in audit.models}
    assert set(models) == {"svm-en", "svm-es", "svm-ar"}
    Engine(cache=None).check(audit.with_models(models))
