"""The Italian study's audit file on small random models: every method runs, and a report is drawn."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from biascore import Audit, Engine, Run
from biascore.report import write_report

from ..report.pages import packed

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parents[2] / "docs" / "studies"
WEATS = ["it/weat8", "it/weat7", "it/weat6", "it/GER1", "it/GER2", *(f"it/IT{n}" for n in range(1, 6))]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("small")
    subprocess.run([sys.executable, str(STUDIES / "small_models.py"), "it", str(folder)], check=True)
    vectors, bert, gpt2 = folder / "vectors.vec", folder / "bert", folder / "gpt2"
    return {"fasttext": f"fasttext:{vectors}", "bert": f"hf:{bert}", "gpt2": f"hf:{gpt2}"}


@pytest.fixture(scope="module")
def audit(models: dict[str, str]) -> Audit:
    return Audit.load(STUDIES / "italian.toml").with_models(models)


@pytest.fixture(scope="module")
def run(audit: Audit) -> Run:
    return Engine(cache=None).run(audit)


def test_every_table_of_the_study_is_measured(run: Run) -> None:
    found = Counter((m.metric, m.variant.partition(",")[0], m.model) for m in run)
    tests = {(m.metric, m.model): set() for m in run}
    for measurement in run:
        tests[measurement.metric, measurement.model].add(measurement.test)
    for model in ("fasttext", "bert", "gpt2"):
        assert tests["weat", model] == set(WEATS)
        assert tests["seat", model] == set(WEATS)
        assert tests["fise", model] >= {"it/fise_it1_occupations", "it/fise_it2_occupations"}
    assert tests["lpbs", "bert"] == set(WEATS)
    assert tests["crows-pairs", "bert"] == tests["crows-pairs", "gpt2"] == {"it/crows_own"}
    assert len(tests["gg-fise", "fasttext"]) == 4
    for model in ("bert", "gpt2"):
        assert found["seat", "sentence level", model] == found["seat", "token level", model] == 20
    published = [m for m in run if "unit=sentence" in m.variant or "over=attributes" in m.variant]
    assert len(published) == 60


def test_nothing_is_lost_on_models_that_know_every_word(run: Run) -> None:
    lost = {(m.method, m.test, m.model): m.coverage.missing for m in run if m.coverage.missing}
    assert lost == {}
    assert all(m.headline.value is not None for m in run)


def test_what_the_study_left_out_is_there(run: Run) -> None:
    for measurement in run:
        if measurement.metric in ("fise", "gg-fise"):
            assert measurement.headline.p_values
            assert all(e.interval for e in measurement.estimates if e.name.startswith("share of"))
        assert measurement.conventions
        assert measurement.p_value is not None


def test_affect_is_measured_with_fasttext_whatever_is_tested(run: Run) -> None:
    (used,) = [model for model in run.models if model.name == "fasttext"]
    assert used.questions.put > 0
    for model in ("bert", "gpt2"):
        fise = [m for m in run if m.metric == "fise" and m.model == model]
        assert fise
        assert all(any("valence" in estimate.name for estimate in m.estimates) for m in fise)


def test_without_a_model_the_rest_runs(audit: Audit) -> None:
    Engine(cache=None).check(audit.with_models({}, without=["gpt2"]))


def test_the_report_shows_words_shares_and_rulers(run: Run, tmp_path: Path) -> None:
    page = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Do the methods agree?" in page
    assert any("women black" in text for block in packed(page).values() for text in block)
