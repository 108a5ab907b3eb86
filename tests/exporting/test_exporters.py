"""A run in other forms: every number with what it needs, texts of other people as text, and what tools ask of files."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from biascore.api.metrics import hookimpl
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.cli.app import app
from biascore.errors import OptionsError, RunError
from biascore.exporter import Exported, Exporter
from biascore.exporting.forms import EXPORTERS, exported, write_exported
from biascore.plugins.loading import Plugins
from biascore.results.failure import Failure
from biascore.results.run import Run
from biascore.results.verdicts import State

from ..builders.runs import (
    HOSTILE,
    MODELS,
    decided,
    hostile_run,
    model_used,
    run_of,
    typical_run,
)

NONE = Plugins([])


def text(run: Run, name: str) -> str:
    (one,) = exported(run, name, NONE)
    return one.text


@pytest.fixture(scope="module")
def run() -> Run:
    return typical_run()


@pytest.mark.parametrize("name", EXPORTERS)
def test_hostile_texts_stay_texts(name: str) -> None:
    whole = "".join(one.text for one in exported(hostile_run(), name, NONE))
    assert whole
    assert not set(whole) & {"\x1b", "\x07", "\x08", "\x7f", "\u202e", "\u2067"}
    if name in ("md", "model-card"):
        for one in exported(hostile_run(), name, NONE):
            prose = one.text.partition("## Social bias")[2] if name == "model-card" else one.text
            assert prose
            assert "<script" not in prose.replace("\\<script", "")
    if name == "junit":
        ElementTree.fromstring(whole)


def test_csv_has_a_row_for_each_measurement_and_each_failure(run: Run) -> None:
    failure = Failure(
        metric="weat", test="it/weat9", model=MODELS[0], kind="answering", error="E", message="gone"
    )
    rows = list(csv.DictReader(io.StringIO(text(run.model_copy(update={"failed": (failure,)}), "csv"))))
    assert len(rows) == len(run) + 1
    for row, measurement, said in zip(rows, run, run.verdicts, strict=False):
        assert float(row["effect"]) == pytest.approx(measurement.headline.value, rel=1e-5)
        assert len(row["effect"].lstrip("-0.").replace(".", "")) <= 6
        assert (row["unit"], row["verdict"]) == (measurement.headline.unit, State.of(measurement, said))
        assert "conventions" not in row
        assert row["title"] == measurement.test_title
        assert row["warnings"] == "; ".join(measurement.warnings)
        assert row["n"] == "8 X + 8 Y"
    assert (rows[-1]["verdict"], rows[-1]["note"]) == ("failed", "gone")


def test_a_table_says_how_it_is_to_be_read(run: Run) -> None:
    shown = text(run, "md")
    assert "p adjusted over the measurements on one model (Holm)." in shown
    assert "Inconclusive does not mean unbiased" in shown
    assert "ddof = 1" in shown
    assert "Fewer than 10 words in a list" in shown
    rows = [line for line in shown.splitlines() if line.startswith("| ")]
    assert len(rows) == len(run) + 1
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
    for answer in run.answers:
        assert answer.text.split(":")[0].replace("_", "\\_") in shown


def test_what_rows_share_is_said_once_and_minus_signs_are_true_ones() -> None:
    own = {"ddof": 1, "exchanged": "8 + 8"}
    rows = [
        decided(p, value=-0.5, ends=(-0.9, -0.1), test=test, model=model, conventions=own | {"vector": model})
        for test, p in (("en/weat6", 1.2e-5), ("en/weat7", 0.3))
        for model in ("m", "n")
    ]
    rows.append(decided(0.5, metric="other", test="en/weat6", conventions={"ddof": 1, "words": "all"}))
    run = run_of(*rows, models=[model_used("m"), model_used("n")])
    lines = [line.removeprefix("- ") for line in text(run, "md").splitlines() if "conventions of" in line]
    assert lines == [
        "conventions of all: ddof = 1",
        "conventions of made: exchanged = 8 + 8",
        "conventions of all on n: vector = n",
        "conventions of made on m: vector = m",
        "conventions of en/weat6, other on m: words = all",
    ]
    assert "| \N{MINUS SIGN}0.50 | \N{MINUS SIGN}0.90 to \N{MINUS SIGN}0.10 |" in text(run, "md")
    assert r"& $-$0.50 [$-$0.90, $-$0.10] &" in text(run, "latex")
    assert r"& $2.4 \times 10^{-5}$ &" in text(run, "latex")
    assert next(csv.DictReader(io.StringIO(text(run, "csv"))))["effect"] == "-0.5"


def test_latex_has_six_columns_with_equal_decimals_and_a_verdict_of_one_word() -> None:
    run = run_of(
        decided(0.01, value=0.942, ends=(0.5, 1.4), test="en/weat6", model="m"),
        decided(0.9, value=0.91, ends=(0.905, 0.915), test="en/weat7", model="m"),
        models=[model_used("m")],
    )
    shown = text(run, "latex")
    head = next(line for line in shown.splitlines() if line.startswith("Test &"))
    assert head == r"Test & n & Effect & p & Verdict \\"  # all rows share model and metric
    assert r"\caption{Findings: m, made. Effect: d (sd), with its interval." in shown
    rows = [line for line in shown.splitlines() if line.startswith("en/weat") and "&" in line]
    assert [row.split(" & ")[2] for row in rows] == ["0.942 [0.500, 1.400]", "0.910 [0.905, 0.915]"]
    assert [row.split(" & ")[-1] for row in rows] == [r"detected \\", r"inconclusive \\"]
    assert r"\usepackage" not in shown
    both = text(
        run_of(*run.measurements, decided(0.9, model="n"), models=[model_used("m"), model_used("n")]), "latex"
    )
    assert r"Test & Model & n & Effect & p & Verdict \\" in both
    assert both.index(r"\begin{tabularx}{\linewidth}") < both.index(r"\end{tabularx}")
    levels = text(run_of(*run.measurements, decided(0.9, variant="token level")), "latex")
    assert r"Test & Metric & n & Effect & p & Verdict \\" in levels


def test_columns_are_chosen_by_name() -> None:
    run = run_of(decided(0.01, conventions={"ddof": 1}))
    (latex,) = exported(run, "latex", NONE, ["test", "effect"])
    assert "Test & Effect" in latex.text
    assert r"\begin{tabular}{@{}ll@{}}" in latex.text
    (rows,) = exported(run, "csv", NONE, ["all"])
    assert json.loads(next(csv.DictReader(io.StringIO(rows.text)))["conventions"]) == {"ddof": 1}
    (md,) = exported(run, "md", NONE, ["title", "p"])
    assert "| Title | p |" in md.text
    with pytest.raises(OptionsError, match=r"latex has no column 'efect'. Did you mean effect"):
        exported(run, "latex", NONE, ["efect"])
    with pytest.raises(OptionsError, match="junit is none"):
        exported(run, "junit", NONE, ["test"])


def test_controls_come_last_and_a_text_begins_with_the_result() -> None:
    run = run_of(
        decided(0.01, model="planted:a=1"),
        decided(0.9, model="m"),
        models=[model_used("planted:a=1", {"en/weat6": 1.0}), model_used("m")],
    )
    rows = list(csv.DictReader(io.StringIO(text(run, "csv"))))
    assert [row["role"] for row in rows] == ["finding", "control"]
    first, result, rule, *_ = [line for line in text(run, "md").splitlines() if line]
    assert run.title in first
    assert result == "**m: No bias was shown or ruled out.**"
    assert "No pass/fail rule was set" in rule


def test_latex_escapes_and_closes_what_it_opens(run: Run) -> None:
    shown = text(run.model_copy(update={"title": r"50 % of A&B_c \input{x}"}), "latex")
    assert r"50 \% of A\&B\_c \textbackslash{}input\{x\}" in shown
    assert shown.count(r"\begin{") == shown.count(r"\end{")


def test_json_is_what_is_stored(run: Run) -> None:
    printed = json.loads(text(run, "json"))
    assert printed.pop("three_sentences") == list(run.three_sentences)
    assert printed.pop("untested") == run.untested.model_dump(mode="json")
    assert printed == json.loads(json.dumps(run.to_json()))


def test_junit_counts_findings_alone() -> None:
    run = run_of(
        decided(0.01, test="en/weat6"),
        decided(0.7, test="en/weat7"),
        decided(0.01, test="en/weat1", concept="baseline"),
        decided(0.01, test="en/weat8", model="planted:gender=1"),
        models=[model_used("m"), model_used("planted:gender=1", {"en/weat8": 1.0})],
    )
    failure = Failure(
        metric="weat", test="en/weat9", model="m", kind="answering", error="Gone", message="is down"
    )
    suites = ElementTree.fromstring(text(run.model_copy(update={"failed": (failure,)}), "junit"))
    (suite,) = suites
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "skipped", "errors")}
    name = "m: 1 detected, 1 inconclusive, 1 failed"
    assert counts == {"name": name, "tests": "4", "failures": "1", "skipped": "1", "errors": "1"}
    assert [case.get("name") for case in suite][:3] == ["en/weat6", "en/weat7", "en/weat9"]
    assert "at least one test" in suite[3].get("name", "")
    assert len(suite[3]) == 0  # one was
    assert suite[1].find("skipped").get("message").startswith("inconclusive: d 0.50 sd")  # type: ignore[union-attr]


def test_junit_of_a_run_that_decides_nothing_does_not_look_passed() -> None:
    run = run_of(decided(0.7, test="en/weat6"), decided(0.8, test="en/weat7"))
    (suite,) = ElementTree.fromstring(text(run, "junit"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "2")
    failure = suite[2].find("failure")
    assert failure is not None
    assert "en/weat6, en/weat7" in failure.get("message", "")
    gates = evaluate([Gate(name="large", measurements=("*",), within=5)], run, Path())
    judged = ElementTree.fromstring(text(run.model_copy(update={"gates": gates}), "junit"))
    assert (judged[1].get("failures"), judged[1].get("skipped")) == ("0", "3")


def test_junit_fails_what_is_not_measured_unless_a_gate_lets_it_pass() -> None:
    run = run_of(decided(None, test="en/weat6", value=None), decided(0.7, test="en/weat7"))
    plain, stated = run, Gate(measurements=("*",), within=5)
    strict = run.model_copy(update={"gates": evaluate([stated], run, Path())})
    let = run.model_copy(
        update={"gates": evaluate([stated.model_copy(update={"not_measured": "pass"})], run, Path())}
    )
    for judged, failures in ((plain, ["2"]), (strict, ["1", "1"]), (let, ["0", "0"])):
        suites = ElementTree.fromstring(text(judged, "junit"))
        assert [suite.get("failures") for suite in suites] == failures
        failed = suites[-1][0].find("failure")
        assert (failed is not None and failed.get("type") == "not measured") == (failures[-1] != "0")


def test_junit_carries_the_gates_and_they_say_what_may_be() -> None:
    run = run_of(decided(0.01, test="en/weat6"), decided(0.7, test="en/weat7"))
    stated = [
        Gate(name="none", measurements=("*",), fail_on="detected"),
        Gate(name="weat7", measurements=("en/weat7",), within=0.5),
        Gate(name="large", measurements=("*",), within=5),
    ]
    gates, suite = ElementTree.fromstring(
        text(run.model_copy(update={"gates": evaluate(stated, run, Path())}), "junit")
    )
    assert [gates.get(name) for name in ("name", "tests", "failures", "skipped")] == ["gates", "3", "1", "1"]
    failure, skipped = gates[0].find("failure"), gates[1].find("skipped")
    assert failure is not None
    assert "of 2, 1 fails, 1 inconclusive" in failure.get("message", "")
    assert "fails: made en/weat6 on m (not detected): detected: d = 0.5" in (failure.text or "")
    assert skipped is not None
    assert "passed with a warning" in skipped.get("message", "")
    assert [child.tag for child in gates[2]] == ["system-out"]
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "2")
    assert suite[0].find("skipped").get("message").startswith("for the gates to judge")  # type: ignore[union-attr]


def test_a_model_card_reads_as_the_hub_reads_it(run: Run) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    found = exported(run, "model-card", NONE)
    assert [one.of for one in found] == list(MODELS)
    for one in found:
        mine = [m for m in run if m.model == one.of]
        data = hub.ModelCard(one.text).data
        assert data.model_name == one.of
        values = {r.dataset_type: r.metric_value for r in data.eval_results}
        assert values == pytest.approx({m.test: m.headline.value for m in mine}, rel=1e-3)
        assert {r.dataset_type: r.dataset_name for r in data.eval_results} == {
            m.test: m.test_title for m in mine
        }
        assert not re.search(r"\d\.\d{12}", one.text)  # rounded
        assert one.text.count("inequality") == 1  # a convention, once
        args = data.eval_results[0].metric_args
        assert args["ci_low"] == pytest.approx(mine[0].headline.interval.low, rel=1e-3)  # type: ignore[union-attr]
        assert {"unit", "n", "p_adjusted", "verdict"} <= set(args)
        assert all(f"- {a.model}".replace("_", "\\_") in one.text for a in run.answers if a.model == one.of)


def test_controls_are_no_models_to_publish() -> None:
    run = run_of(decided(0.01, model="planted:a=1"), models=[model_used("planted:a=1", {"en/weat6": 1.0})])
    with pytest.raises(OptionsError, match="measures only models with a known bias"):
        exported(run, "model-card", NONE)


def test_an_unknown_format_names_the_known_ones(run: Run) -> None:
    with pytest.raises(OptionsError, match="Did you mean latex"):
        exported(run, "latec", NONE)


class Plain(Exporter):
    id = "plain"
    summary = "titles"
    suffix = ".txt"

    def export(self, run: Run) -> tuple[Exported, ...]:
        return (Exported(run.title),)


class Markdown(Plain):
    id = "md"


def plugins(kind: type[Exporter], monkeypatch: pytest.MonkeyPatch) -> Plugins:
    @hookimpl
    def register_exporters(register: object) -> None:
        register(kind)  # type: ignore[operator]

    module = ModuleType("made_exporter")
    module.register_exporters = register_exporters  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return Plugins([metadata.EntryPoint("made", "made_exporter", "biascore")])


def test_hook_register_exporters(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert exported(run, "plain", plugins(Plain, monkeypatch)) == (Exported(run.title),)
    (record,) = plugins(Markdown, monkeypatch).records
    assert record.status == "conflict"
    assert "biascore itself" in record.reason


def test_texts_of_several_models_go_into_a_folder(tmp_path: Path) -> None:
    found = (Exported("one", HOSTILE[0]), Exported("two", "a/b"), Exported("three", "A:b"))
    paths = write_exported(found, tmp_path / "cards", ".md", overwrite=False)
    assert [path.read_text(encoding="utf-8") for path in paths] == ["one", "two", "three"]
    assert {path.parent for path in paths} == {tmp_path / "cards"}
    assert len({path.name.casefold() for path in paths}) == 3
    with pytest.raises(RunError, match="exists already"):
        write_exported(found, tmp_path / "cards", ".md", overwrite=False)
    write_exported(found, tmp_path / "cards", ".md", overwrite=True)


def test_the_file_of_somebody_else_stays(tmp_path: Path) -> None:
    theirs = tmp_path / "audit.toml"
    theirs.write_text("title = 'mine, and not of biascore'\n", encoding="utf-8")
    with pytest.raises(RunError, match="was not written by biascore"):
        write_exported(
            (Exported("one", "| model | test | effect | interval |"),), theirs, ".md", overwrite=True
        )
    assert theirs.read_text(encoding="utf-8").startswith("title")


def test_the_command_line_chooses_columns_of_tables_alone(tmp_path: Path) -> None:
    stored = str(run_of(decided(0.01)).save(tmp_path / "run"))
    done = CliRunner().invoke(app, ["report", stored, "--format", "csv", "--columns", "test,effect"])
    assert done.stdout.splitlines()[0] == "test,effect"
    page = CliRunner().invoke(app, ["report", stored, "--columns", "test"])
    assert isinstance(page.exception, OptionsError)
    assert "--format csv" in str(page.exception)


def test_further_estimates_have_rows_of_their_own_without_a_verdict(run: Run) -> None:
    plugins = Plugins()
    names = [one.name for one in run[0].estimates]

    def table(*globs: str) -> list[dict[str, str]]:
        (one,) = exported(run, "csv", plugins, (), globs)
        return [row for row in csv.DictReader(io.StringIO(one.text)) if row["model"] == run[0].model]

    of_first = [row for row in table("all") if (row["test"], row["metric"]) == (run[0].test, run[0].method)]
    assert [row["estimate"] for row in of_first] == names
    assert [bool(row["verdict"]) for row in of_first] == [True] + [False] * (len(names) - 1)
    assert len(table()) < len(table("all"))
    assert "Estimate" in exported(run, "md", plugins, (), ["all"])[0].text
    assert "Estimate" in exported(run, "latex", plugins, (), ["all"])[0].text
    with pytest.raises(OptionsError, match="no estimate is called 'f_q'"):
        exported(run, "csv", plugins, (), ["f_q"])
    with pytest.raises(OptionsError, match="estimates is for tables"):
        exported(run, "junit", plugins, (), ["all"])
