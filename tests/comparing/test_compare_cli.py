"""``biascore compare`` on the terminal: what it prints, and its exit code."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from biascore import Engine, Run, compare
from biascore.cli.app import app
from biascore.cli.compare import _pairs, print_comparison
from biascore.terminal.console import stdout

from ..builders.runs import decided, run_of


@pytest.fixture(scope="module")
def stored(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs old and new, and one of both models."""
    folder = tmp_path_factory.mktemp("runs")
    models = {
        name: engine.model(f"planted:gender={effect}", name=name)
        for name, effect in (("a=1", 1), ("b", -0.3))
    }
    both = engine.measure("weat", list(models.values()), ["en/weat6", "en/weat7"], resamples=200, draws=500)
    both.save(folder / "both")
    for name, run in (("old", "a=1"), ("new", "b")):
        kept = tuple(m for m in both if m.model == run)
        used = tuple(model for model in both.models if model.name == run)
        both.model_copy(update={"measurements": kept, "models": used}).save(folder / name)
    return folder


def test_two_runs_are_compared_and_the_answer_comes_first(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "new" / "run.json")])
    assert done.exit_code == 0, done.output
    assert "to a=1 on 1 of 2 tests (en/weat7)" in " ".join(done.output.partition("\n\n")[0].split())
    assert "en/weat6" in done.output
    assert "of 16 items flipped" in done.output
    (row,) = [line for line in done.output.splitlines() if line.startswith("en/weat7  ")]
    assert "◆" in row
    assert "changed sign" in row
    assert max(map(len, done.output.splitlines())) <= 80


def test_of_a_run_with_itself_one_sentence_says_that_it_is_identical(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "old")])
    assert done.exit_code == 0, done.output
    assert "The two runs are identical" in done.output
    assert "en/weat6" not in done.output
    assert len(done.output.splitlines()) == 3


def test_unchanged_tests_are_folded_into_one_line(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "new"), "--bound", "9"])
    assert "unchanged, within the bound (2): en/weat6, en/weat7" in done.output
    assert "old to" not in done.output


def test_json_holds_changes_and_flips(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "both"), "--models", "a=1=b", "--json"])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    assert body["models"] == {"a=1": "b"}
    assert [d["flipped"] for d in body["differences"]] == [len(d["flips"]) for d in body["differences"]]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a=1=b", {"a=1": "b"}),  # a model of the run has an equals sign
        ("b=a=1", {"b": "a=1"}),
        ("b=planted:gender=1.6", {"b": "planted:gender=1.6"}),
        ("c=planted:gender=1.6", {"c": "planted:gender=1.6"}),
        ("c=1=d", {"c": "1=d"}),
    ],
)
def test_a_pair_of_models_is_split_behind_the_old_one(text: str, pair: dict[str, str]) -> None:
    """It was split at the last equals sign: OLD=planted:gender=1.6 named no model."""
    assert _pairs([text], ["a=1", "b"]) == pair


def test_what_cannot_be_compared_is_named_and_the_exit_code_says_so(stored: Path, tmp_path: Path) -> None:
    new = Run.load(stored / "new")
    first = new[0].model_copy(update={"conventions": {**new[0].conventions, "alpha": 0.01}})
    new.model_copy(update={"measurements": (first, new[1])}).save(tmp_path / "other")
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(tmp_path / "other")])
    assert done.exit_code == 5, done.output
    assert "not comparable:" in done.output
    words = " ".join(done.output.split())
    assert "convention 'alpha': 0.05 and 0.01" in words
    assert "1 measurement is not comparable" in words


def test_a_model_that_is_named_twice_is_refused(stored: Path) -> None:
    twice = ["--models", "a=1=b", "--models", "a=1=c"]
    done = CliRunner().invoke(app, ["compare", str(stored / "both"), *twice])
    assert "'a=1' is compared with 'b' already" in str(done.exception)


def test_what_several_tests_share_is_printed_once_and_items_that_flipped_are_counted() -> None:
    flipped = pa.table(
        {
            "word": ["nurse"],
            "family": ["care"],
            "old": [1.0],
            "new": [-1.0],
            "change": [-2.0],
            "flipped": [True],
        }
    )
    old, new = (
        run_of(
            *(
                decided(0.01, test=f"en/t{n}", model="m", value=value, ends=(value - 0.1, value + 0.1))
                for n in range(9)
            )
        )
        for value in (1.0, 0.2)
    )
    found = compare(old, new)
    one = found[0].model_copy(update={"items": flipped, "flipped": 1, "change": found[0].change})
    one = one.model_copy(update={"change": one.change.model_copy(update={"n": {"items": 1}})})
    file = io.StringIO()
    with stdout.kept_to(file):
        print_comparison(found.model_copy(update={"differences": (one, *found.differences[1:])}))
    shown = file.getvalue()
    assert " ".join(shown.split()).count("compared unpaired") == 1
    assert "en/t4, 4 more" in " ".join(shown.split())
    assert "1 of 1 items flipped" in shown
    assert "nurse" not in shown  # an item may be a stereotype: the report keeps them behind a notice


def cases(text: str) -> dict[str, str]:
    """What became of each case of JUnit XML, by the beginning of its name; empty for one that passed."""
    found = ElementTree.fromstring(text).iter("testcase")
    return {str(case.get("name")).split(" ")[0]: case[0].tag if len(case) else "" for case in found}


def test_junit_and_markdown_of_a_comparison(tmp_path: Path) -> None:
    def saved(name: str, *values: float) -> str:
        made = (
            decided(0.01, test=f"en/t{n}", model="m", value=value, ends=(value - 0.1, value + 0.1))
            for n, value in enumerate(values)
        )
        return str(run_of(*made, title=f"{name} | it").save(tmp_path / name))

    old, new, near = (
        saved("old", 0.5, 1.0, 0.5),
        saved("new", 1.5, 0.2, -0.8),
        saved("near", 0.55, 1.01, 0.52),
    )
    call = ["compare", old, new, "--format"]
    told = CliRunner().invoke(app, [*call, "junit"], catch_exceptions=False).stdout
    assert cases(told) == {"en/t0": "failure", "en/t1": "", "en/t2": "failure", "the": ""}
    undecided = (
        CliRunner().invoke(app, ["compare", old, near, "--bound", "0.001", "--format", "junit"]).stdout
    )
    assert cases(undecided) == {"en/t0": "skipped", "en/t1": "skipped", "en/t2": "skipped", "the": "failure"}
    shown = CliRunner().invoke(app, [*call, "md"], catch_exceptions=False).stdout
    assert "old \\| it" in shown
    (row,) = (line for line in shown.splitlines() if line.startswith("| en/t2"))
    assert "changed sign" in row
    assert "\u22120.8" in row
    same = CliRunner().invoke(app, [*call, "json"]).stdout
    assert json.loads(same) == json.loads(CliRunner().invoke(app, ["compare", old, new, "--json"]).stdout)
