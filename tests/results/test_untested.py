"""What a run did not test: by which rule a ground counts as tested, and on which surfaces that is said."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from biascore import Run
from biascore.api.metrics import Metric
from biascore.audits import untested as rule
from biascore.cli.ending import print_ending
from biascore.exporting.model_card import ModelCard
from biascore.exporting.tables import Json
from biascore.mapping import Ground, Mapping, grounds_of
from biascore.plugins.loading import Plugins
from biascore.plugins.registry import Plugin, PluginRecord
from biascore.results.failure import Failure
from biascore.results.leads import Lead
from biascore.results.mappings import MappingUsed
from biascore.results.untested import USES, Covered
from biascore.stats import Verdict

from ..builders.runs import decided, model_used, run_of

OWN = """
name = "own"
title = "Our code of conduct"
version = "3"
source = "https://example.org"
[grounds]
sex = ["1"]
height = ["2"]
"""
DOWN: dict[str, Any] = {"metric": "weat", "kind": "answering", "error": "E", "message": "down"}


def lines(run: Run) -> dict[str, str]:
    return dict(run.untested.lines)


def charter(run: Run, *states: Covered) -> set[str]:
    return {*run.untested.laws[0].of(*states)}


def unmeasured(concept: str, model: str = "m") -> Any:
    return decided(None, value=None, concept=concept, model=model)


@pytest.mark.parametrize(
    ("concept", "named"),
    [
        ("gender", ["sex"]),
        ("Race/Ethnicity", ["race", "ethnic origin", "national origin"]),
        ("gender, race and class", ["sex", "race", "social origin", "property"]),
        ("gender and professions", ["sex"]),
        ("sexual and reproductive health decisions", ["sexual and reproductive health decisions"]),
        ("Sexual_orientation", ["sexual orientation"]),
        ("race x SES", ["race", "social origin", "property"]),
        ("grammatical gender", []),
        ("social bias", []),
        ("", []),
    ],
)
def test_a_concept_names_grounds(concept: str, named: list[str]) -> None:
    assert [one.value for one in grounds_of(concept)] == named


def test_every_metric_that_ships_says_what_it_tests_without_being_imported() -> None:
    metrics = Plugins().metrics
    stated = {
        name: metrics.holder(name).says("use") for name in metrics.names if metrics.holder(name).record.ships
    }
    assert {*stated.values()} == {*USES}, stated
    with pytest.raises(TypeError, match="use is 'guesses'\\. Write one of: associates"):
        type("Guess", (Metric,), {"use": "guesses"})


def test_only_a_result_on_a_model_in_use_counts() -> None:
    run = run_of(
        decided(0.4, concept="gender"),
        unmeasured("age"),
        decided(0.001, concept="religion", model="control"),
        decided(0.001, concept="disability", change_from="before", model="after"),
        decided(None, concept="race", alpha=None, describes=True),
        models=[model_used("m"), model_used("control", {"en/weat6": 1.0}), model_used("after")],
    )
    assert run.untested.models == ("m",)
    assert charter(run, Covered.TESTED) == {"sex"}
    assert charter(run, Covered.ASKED) == {"age"}
    assert "asked, not measured: age" in lines(run)["Grounds of the EU Charter"]
    assert run.untested.brief.startswith("15 of 16 grounds of the EU Charter")


def test_a_ground_may_be_tested_on_some_models_only() -> None:
    run = run_of(
        decided(0.4, concept="gender"), decided(0.4, concept="race"), decided(0.4, concept="race", model="n")
    )
    assert charter(run, Covered.IN_PART) == {"sex"}
    assert "on some models only: sex" in lines(run)["Grounds of the EU Charter"]


def test_what_failed_was_asked() -> None:
    lost = Failure(test="en/lost", model="m", **DOWN)
    lead = Lead(model="m", ground="age", metric="weat", test="en/lost")
    run = run_of(decided(0.4)).model_copy(update={"failed": (lost,)})
    assert lines(run)["Failed tests"].startswith("en/lost: the run does not record")
    run = run.model_copy(update={"leads": (lead,)})
    assert charter(run, Covered.ASKED) == {"age"}
    assert "Failed tests" not in lines(run)


def test_what_is_not_known_is_said() -> None:
    run = run_of(decided(0.4, concept="social bias", metric="of a stranger", test="en/mix", language="und"))
    found = run.untested
    assert found.nameless == {"social bias": ("en/mix",)}
    assert "social bias (en/mix)" in lines(run)["Other tests"]
    assert "of of a stranger it is not known" in lines(run)["Kinds of use"]
    assert found.brief == "16 of 16 grounds of the EU Charter, up to 6 of 6 kinds of use, any language"
    assert lines(run)["Languages"] == "No language was tested."


def test_a_test_of_several_dimensions_counts_for_each() -> None:
    run = run_of(decided(0.4, concept="social bias", dimensions={"age": False, "race": True}))
    assert charter(run, Covered.TESTED) == {"age", "race"}
    assert not run.untested.nameless


def test_a_run_of_controls_tested_nothing() -> None:
    run = run_of(decided(0.001, model="c"), models=[model_used("c", {"en/weat6": 1.0})])
    assert run.untested.brief == "no model in use"
    assert run.three_sentences[0] == "Only 1 model with a known bias was measured."
    assert run.three_sentences[2].endswith("say nothing of a model in use.")


def test_the_grounds_of_the_audits_mapping_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    law = Mapping.read(tmp_path / "own.toml")
    used = MappingUsed(name="own", title=law.title, version="3", sha256=law.sha256, source="", dist="a 1")
    run = run_of(decided(0.4)).model_copy(update={"mappings": (used,)})
    assert lines(run)["Other mappings"].startswith("own is not installed here")
    plugins = Plugins()
    plugins.mappings.add("own", law, Plugin(PluginRecord("own", "a", "1", "a", "loaded")))
    monkeypatch.setattr(rule, "Plugins", lambda: plugins)
    assert lines(run)["Grounds of Our code of conduct"] == "1 of 2 not tested: height; tested: sex."
    other = run.model_copy(update={"mappings": (used.model_copy(update={"sha256": "0" * 64}),)})
    assert lines(other)["Other mappings"].startswith("own has changed since this run")


def test_every_surface_says_the_same(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    from biascore.report.page import render

    run = run_of(decided(0.001, concept="gender <b>", model="m*"), decided(0.4, concept="age", model="m*"))
    text, brief = " ".join(run.three_sentences), run.untested.brief
    page = render(run)
    quote = page.partition('id="quote">')[2].partition("</blockquote>")[0]
    assert quote.replace("<bdi>", "").replace("</bdi>", "").replace("<wbr>", "") == text.replace(
        "<", "&lt;"
    ).replace(">", "&gt;")
    assert 'id="untested"' in page
    assert "Article 21(1)" in page
    assert f"Not tested: {brief}." in run._repr_html_()
    (card,) = ModelCard().export(run)
    assert "> m\\* was measured with 2 tests of 2 grounds (gender \\<b\\> and age)." in card.text
    assert "- Languages: Tested in English; no other language was tested." in card.text
    console = Console(file=io.StringIO(), width=500)
    print_ending(console, run, ())
    assert f"Not tested: {brief}; the report names them." in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_run_that_was_printed_as_json_is_read_as_one(tmp_path: Path) -> None:
    run = run_of(decided(0.4))
    folder = run.save(tmp_path / "run")
    (printed,) = Json().export(run)
    body = json.loads(printed.text)
    assert tuple(body["three_sentences"]) == run.three_sentences
    assert body["untested"]["laws"][0]["grounds"][0] == {
        "ground": Ground.SEX.value,
        "articles": ["Article 21(1)", "Article 23"],
        "state": "tested",
        "concepts": ["gender"],
    }
    (folder / "run.json").write_text(printed.text, encoding="utf-8")
    assert Run.load(folder).results_digest() == run.results_digest()
    assert run[0].verdict == Verdict.INCONCLUSIVE
