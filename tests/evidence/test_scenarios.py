"""Scenarios of an audit: what was tested, what was not, what it could see, and which articles name the ground."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from biascore.audits.audit import Audit
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_scenarios import check_scenarios, evidence, without_scenario
from biascore.audits.gates import Gate
from biascore.audits.scenarios import Scenario
from biascore.errors import OptionsError, StimuliError
from biascore.mapping import Ground, Mapping
from biascore.report.page import document
from biascore.report.parts.answer import headline_of
from biascore.report.parts.gates import gates, scenarios
from biascore.results.failure import Failure
from biascore.results.gates import GateOutcome
from biascore.results.run import Run
from biascore.stats import Verdict

from ..builders import runs
from ..builders.runs import decided

ROOT = Path(__file__).resolve().parents[2]
STATED: dict[str, Any] = {
    "name": "ranked lower",
    "group": "women",
    "ground": "sex",
    "hazard": "their applications are ranked lower",
    "measurements": ["it/*"],
    "owner": "hiring tools",
    "review": "2027-03-01",
}
MAPPING = """
name = "charter"
title = "A charter"
version = "2012"
source = "https://example.org"
[grounds]
sex = ["Article 21(1)", "Article 23"]
"""


def scenario(**parts: Any) -> Scenario:
    return Scenario.model_validate({**STATED, **parts})


@pytest.fixture(scope="module")
def run() -> Run:
    some = [
        decided(0.001, test="it/t0", model="m", value=0.9, ends=(0.6, 1.2)),
        decided(0.4, test="it/t1", model="m", value=0.3, ends=(-0.3, 0.8)),
        decided(0.4, test="en/t1", model="n", value=0.0, ends=(-0.1, 0.1)),
    ]
    lost = Failure(metric="weat", test="it/t2", model="m", kind="answering", error="E", message="it is down")
    return runs.run_of(*some).model_copy(update={"failed": (lost,)})


def test_what_was_tested_is_told_with_the_bound_and_what_it_could_see(run: Run) -> None:
    (found,) = evidence([scenario(bound=0.5, bound_reason="half of what people show")], run, ())
    assert [(one.number, one.held) for one in found.tested] == [
        (1, GateOutcome.FAILS),
        (2, GateOutcome.UNDECIDED),
    ]
    assert found.tested[0].said == Verdict.DETECTED
    assert "detects d of about" in found.tested[1].would_decide
    assert found.in_short == "2 measured: 1 detected, 1 inconclusive; 1 beyond the bound"
    due = datetime(2027, 3, 1, tzinfo=UTC).timestamp()
    assert not found.overdue(due)
    assert found.overdue(due + 86_400)
    assert [one.held for one in evidence([scenario()], run, ())[0].tested] == [None, None]


def test_what_was_not_tested_is_told(run: Run) -> None:
    (found,) = evidence([scenario()], run, ())
    assert any("it/t2 on m: it could not be measured: it is down" in text for text in found.not_tested)
    assert "the model n: nothing of this scenario was measured on it" in found.not_tested
    (none,) = evidence([scenario(measurements=[])], run, ())
    assert none.in_short == "not tested"
    assert none.not_tested == ("the hazard: no measurement speaks of it yet",)
    assert without_scenario([found]) == tuple(ground.value for ground in Ground if ground is not Ground.SEX)


def test_the_articles_of_a_ground_are_those_of_the_mapping(run: Run, tmp_path: Path) -> None:
    (tmp_path / "charter.toml").write_text(MAPPING, encoding="utf-8")
    mapping = Mapping.read(tmp_path / "charter.toml")
    (found,) = evidence([scenario()], run, [mapping])
    assert found.articles == {"charter": ("Article 21(1)", "Article 23")}
    assert evidence([scenario(ground="age")], run, [mapping])[0].articles == {}
    (tmp_path / "other.toml").write_text(MAPPING.replace("sex =", "sexe ="), encoding="utf-8")
    with pytest.raises(StimuliError, match="'sexe' is no ground"):
        Mapping.read(tmp_path / "other.toml")


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ({"ground": "gender"}, "ground"),
        ({"bound": 0.5}, "Add bound_reason"),
        ({"bound_reason": "so"}, "Add bound"),
        ({"owner": "  "}, "owner"),
        ({"review": "soon"}, "review"),
        ({"review": "2027-03-01T10:00:00"}, "review"),
    ],
)
def test_what_a_scenario_must_say(parts: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        scenario(**parts)


def test_a_glob_that_names_nothing_and_a_name_that_stands_twice_are_refused(tmp_path: Path) -> None:
    planned = [("weat", "it/t0", "m")]
    with pytest.raises(OptionsError, match="'fr/\\*', which matches nothing"):
        check_scenarios([scenario(measurements=["it/*", "fr/*"])], planned)
    with pytest.raises(OptionsError, match="two scenarios are called"):
        check_scenarios([scenario(), scenario()], planned)
    with pytest.raises(
        OptionsError, match=r"'it/\*' with models = \['n'\], which matches .* weat it/t0, on m"
    ):
        check_scenarios([scenario(models=["n"])], planned)
    (tmp_path / "charter.toml").write_text(MAPPING, encoding="utf-8")
    mapping = Mapping.read(tmp_path / "charter.toml")
    check_scenarios([], planned, [mapping])  # the report says which of its grounds were not tested
    with pytest.raises(OptionsError, match="mappings names 'charter' twice"):
        check_scenarios([scenario()], planned, [mapping, mapping])


def test_they_stand_in_an_audit_and_are_stored_with_the_run(run: Run, tmp_path: Path) -> None:
    text = (
        "[[models]]\nref = 'planted:'\n[[measurements]]\nmetric = 'weat'\ntests = ['it/*']\n[[scenarios]]\n"
    )
    lines = [f"{name} = {value!r}" for name, value in STATED.items() if name != "review"]
    (tmp_path / "a.toml").write_text(text + "\n".join([*lines, "review = 2027-03-01"]), encoding="utf-8")
    audit = Audit.load(tmp_path / "a.toml")
    assert audit.scenarios[0].review.isoformat() == "2027-03-01"
    said = run.model_copy(update={"scenarios": evidence(audit.scenarios, run, ())})
    assert Run.load(said.save(tmp_path / "run")).scenarios == said.scenarios


def test_nothing_says_that_a_system_is_in_order() -> None:
    """A measurement cannot show that: two words appear in no code, page or template, but in a name of pyarrow's."""
    words = re.compile("|".join(("(?<!use_)compli" + "ant", "certi" + "fied")), re.IGNORECASE)
    folders = ("biascore", "adapters", "plugins", "wordlists", "docs", "tests")
    kinds = {".py", ".toml", ".md", ".j2", ".js", ".css", ".ipynb"}
    files = [path for name in folders for path in (ROOT / name).rglob("*") if path.suffix in kinds]
    files += [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    found = [str(path) for path in files if words.search(path.read_text(encoding="utf-8", errors="replace"))]
    assert not found


def test_the_laws_that_ship_name_every_ground_and_the_charter_those_of_its_article() -> None:
    charter, federal, city = (
        Mapping.read(ROOT / "wordlists" / "biascore_mappings" / f"{name}.toml")
        for name in ("eu_charter", "us_federal", "nyc_human_rights")
    )
    assert {*Ground} == {*charter.grounds, *federal.grounds, *city.grounds}
    assert [*charter.grounds] == [one for one in [*Ground][:17] if one is not Ground.GENDER_IDENTITY]
    assert charter.grounds["nationality"] == ("Article 21(2)",)
    assert federal.grounds["age"] == ("ADEA, 29 U.S.C. 623(a) and 631(a)",)
    assert city.grounds["weight"] == ("§ 8-107(1)(a)",)


def test_the_page_shows_gates_with_what_has_to_be_known_and_a_review_that_is_overdue(run: Run) -> None:
    said = evaluate([Gate(name="small", measurements=("*/t1",), within=0.5)], run, Path())
    said = (said[0].model_copy(update={"cautions": ("base: the model is the same in both",)}),)
    late = scenario(review="2020-01-01")
    judged = run.model_copy(
        update={"gates": said, "scenarios": evidence([late, scenario(name="other")], run, ())}
    )
    parts = [part for part in (gates(judged), scenarios(judged)) if part]
    page = document(parts, title="", kicker="", what="", headline=headline_of(judged), version="")
    body = page.partition("<main")[2].partition("</main>")[0]
    shown = " ".join(re.sub(r"<[^>]+>", " ", body).split())
    assert "“ small ”: passed with a warning" in shown
    assert "base: the model is the same in both" in shown
    assert shown.count("that day had passed when this was measured") == 1


def test_a_bound_for_several_units_is_compared_with_none_of_them() -> None:
    d = decided(0.001, test="it/t0", model="m", value=0.9, ends=(0.6, 1.2))
    score = decided(0.001, test="it/t1", model="m", value=0.002, ends=(0.001, 0.003), metric="eec")
    head = score.headline.model_copy(update={"unit": "score"})
    run = runs.run_of(d, score.model_copy(update={"estimates": (head, *score.estimates[1:])}))
    bounded = {"bound": 0.3, "bound_reason": "half of the smallest effect found in people"}
    (found,) = evidence([scenario(**bounded)], run, [])
    assert [one.held for one in found.tested] == [None, None]
    assert "beyond" not in found.in_short
    (told,) = (text for text in found.not_tested if "bound" in text)
    assert "sd (made)" in told
    assert "score (eec)" in told
    (narrow,) = evidence([scenario(metrics=["made"], **bounded)], run, [])
    assert [one.held for one in narrow.tested] == [GateOutcome.FAILS]
    assert not narrow.not_tested
