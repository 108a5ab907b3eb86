"""The command line as a person or a pipeline meets it: output, files, exit codes, and wrong input."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from biascore.cli.options import chosen_audit
from biascore.files.writing import reserved

from ..builders.word_lists import write_weat

ROOT = Path(__file__).resolve().parents[2]
AUDIT = """
title = "two models"
seed = 5
[[models]]
name = "biased"
ref = "planted:gender=1.5"
[[models]]
name = "fair"
ref = "planted:gender=0"
options = { seed = 4 }
[[measurements]]
metric = "weat"
tests = ["en/weat7", "en/weat8"]
options = { resamples = 200 }
[[measurements]]
metric = "sc-weat"
tests = ["it/GenC"]
models = ["biased"]
options = { resamples = 100, draws = 500 }
"""

ONE = ("--without", "biased")
"""Two of the five measurements."""
MEASURE = ("measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7")


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    path = tmp_path / "audit.toml"
    path.write_text(AUDIT, encoding="utf-8")
    return path


def test_run_prints_saves_and_asks_nothing_the_second_time(biascore, audit: Path, tmp_path: Path):
    first = biascore("run", "audit.toml")
    assert "biased" in first.stdout
    assert "inconclusive does not mean unbiased" in first.stdout
    stored = json.loads((tmp_path / "audit-run" / "run.json").read_text(encoding="utf-8"))
    assert [(m["model"], m["metric"], m["test"]) for m in stored["measurements"]] == [
        ("biased", "weat", "en/weat7"),
        ("biased", "weat", "en/weat8"),
        ("biased", "sc-weat", "it/GenC"),
        ("fair", "weat", "en/weat7"),
        ("fair", "weat", "en/weat8"),
    ]
    again = biascore("run", "audit.toml", "--out", "again")
    assert "the models were asked nothing" in again.stdout
    repeated = json.loads((tmp_path / "again" / "run.json").read_text(encoding="utf-8"))
    assert repeated["results_digest"] == stored["results_digest"]


def test_the_seed_option_changes_only_what_is_random(biascore, audit: Path):
    one, two = (
        json.loads(biascore("run", "audit.toml", *ONE, "--out", f"s{seed}", "--seed", seed, "--json").stdout)
        for seed in "12"
    )
    first, second = (run["measurements"][0]["estimates"][0] for run in (one, two))
    assert first["value"] == second["value"]
    assert first["interval"] != second["interval"]


def test_measure_takes_options_as_toml_values(biascore):
    done = biascore(
        "measure",
        "weat",
        "--model",
        "planted:gender=1",
        "--tests",
        "EN/WEAT7",
        "-o",
        "ddof=0",
        "-o",
        "alternative=greater",
        "--json",
    )
    run = json.loads(done.stdout)
    assert run["measurements"][0]["conventions"]["ddof of the sd"] == 0
    assert run["measurements"][0]["estimates"][0]["p_values"][0]["name"] == "one-sided"


@pytest.mark.slow
def test_measure_quiet_when_piped(tmp_path: Path):
    command = [sys.executable, "-c", "from biascore.cli import main; main()", *MEASURE]
    environment = {**os.environ, "BIASCORE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "known bias found 1/1" in done.stdout
    assert done.stderr == ""
    assert "\x1b" not in done.stdout + done.stderr


def test_verify_finds_what_was_changed(biascore, audit: Path, tmp_path: Path):
    biascore("run", "audit.toml", *ONE, "--out", "run")
    intact = json.loads(biascore("verify", "run", "--models", "--json").stdout)
    assert {check["outcome"] for check in intact} == {"matches"}
    path = tmp_path / "run" / "run.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"inconclusive"', '"negligible"', 1), encoding="utf-8"
    )
    assert "was changed after it was written" in biascore("verify", "run", code=3).stdout


def test_an_existing_run_is_never_overwritten_unasked(biascore, audit: Path):
    biascore("run", "audit.toml", *ONE)
    assert "exists already" in biascore("run", "audit.toml", *ONE, code=2).stderr
    biascore("run", "audit.toml", *ONE, "--force")


@pytest.mark.slow
def test_a_run_with_its_report_is_replaced_by_force(biascore, audit: Path, tmp_path: Path):
    pytest.importorskip("altair", reason="the report extra is not installed")
    run = ("run", "audit.toml", "--without", "biased", "--out", "[bold]run")
    biascore(*run)
    shown = biascore("report", "[bold]run", "--charts", "charts").stdout.splitlines()
    assert shown[0] == "[bold]run/report.html"
    assert all((tmp_path / line).is_file() for line in shown)
    assert "exists already" in biascore("report", "[bold]run", code=2).stderr
    biascore("report", "[bold]run", "--charts", "charts", "--force")
    biascore(*run, "--force")
    assert not (tmp_path / "[bold]run" / "report.html").exists()


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"schema_version": ' + "9" * 6000 + "}", "[]"])
def test_verify_of_a_damaged_run_is_a_finding(biascore, tmp_path: Path, text: str):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(text, encoding="utf-8")
    assert "differs" in biascore("verify", "run", code=3).stdout


def test_cache_info_and_clear(biascore):
    biascore(*MEASURE, "-o", "reference=none")
    assert json.loads(biascore("cache", "info", "--json").stdout)["answers"] == 32
    assert "32 answers deleted" in biascore("cache", "clear", "--yes").stdout
    assert json.loads(biascore("cache", "info", "--json").stdout)["answers"] == 0
    biascore(*MEASURE, "--no-cache")
    assert json.loads(biascore("cache", "info", "--json").stdout)["answers"] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("measure", "weat", "--model", "planted", "--tests", "en/weat7"), "is not a model reference"),
        (("measure", "weat", "--model", "plantd:x=1", "--tests", "en/weat7"), "did you mean 'planted'"),
        (("measure", "weta", "--model", "planted:gender=1", "--tests", "en/weat7"), "did you mean 'weat'"),
        (("measure", "weat", "--model", "planted:gender=1", "--tests", "en/waet7"), "en/weat7"),
        (("measure", "weat", "--model", "planted:gendre=1", "--tests", "en/weat7"), "no concept"),
        (("measure", "weat", "--model", "planted:gender=9", "--tests", "en/weat7"), "within +-1.9"),
        ((*MEASURE, "-o", "dof=1"), "ddof (1)"),
        ((*MEASURE, "-o", "ddof=2"), "ddof"),
        ((*MEASURE, "-o", "ddof"), "not key=value"),
        ((*MEASURE, "-o", "model.sed=1"), "seed (0)"),
        (("measure", "weat", "--model", "fasttext:gone.vec", "--tests", "en/weat7"), "gone.vec"),
        ((*MEASURE, "--stimuli", "gone"), "gone"),
        (
            (*MEASURE, "--require-plugin", "nope>=1"),
            "pip install",
        ),
        (("measure", "weat", "--model", "hf:" + "x" * 300, "--tests", "en/weat7"), "no path"),
        (("measure", "weat", "--model", "hf:~nosuchuser/x", "--tests", "en/weat7"), "no path"),
        ((*MEASURE, "--stimuli", "~nosuchuser/x"), "no path"),
        ((*MEASURE, "--out", "o" * 300), "no path"),
        ((*MEASURE, "--out", "/proc/x/y"), "cannot be written"),
        ((*MEASURE, "--out", "x", "--report", "x"), "name two"),
        (("measure", "weat", "--model", "planted:gender=1", "--model", "planted:gender=1", "--tests", "en/weat7"), "once"),
        ((*MEASURE, "-o", "draws=true"), "draws"),
        ((*MEASURE, "-o", "ddof=true"), "ddof"),
        ((*MEASURE, "-o", "bound=inf"), "bound"),
        ((*MEASURE, "-o", "ddof=0", "-o", "ddof=1"), "twice"),
        ((*MEASURE[:-1], "en/weat3", "-o", "permutation=exact"), "monte-carlo"),
        (("run", "gone.toml"), "no such file"),
        (("verify", "gone"), "not a stored run"),
        (("report", "gone"), "not a stored run"),
        (("show", "en/weat66"), "did you mean"),
        (("show", "weat6"), "did you mean en/weat6"),
        (("show", "sc-waet"), "did you mean sc-weat"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_message_with_the_next_step(biascore, arguments: tuple[str, ...], told: str):
    done = biascore(*arguments, code=2)
    assert told.lower() in (done.stderr + done.stdout).lower()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('[[models]]\nname = "biased"', '[[modells]]\nname = "biased"'), "modells"),
        (("seed = 5", "seed = -5"), "audit.toml:3: seed"),
        (("seed = 5", "seed = "), "line 3"),
        (('metric = "weat"', 'metric = "weta"'), "did you mean 'weat'"),
        (('models = ["biased"]', 'models = ["based"]'), "'based'"),
        (('name = "fair"', 'name = "biased"'), "several models are called"),
        (("resamples = 200", "resamples = 1"), "resamples"),
        (('"it/GenC"', '"it/GenX"'), "it/genx"),
        (("options = { seed = 4 }", 'options = { seed = "x" }'), "seed"),
        (("seed = 5", 'stimuli = ["gone"]'), "gone"),
        (("seed = 5", 'stimuli = ["~nosuchuser/x"]'), "no path"),
        (("seed = 5", "seed = true"), "seed"),
        (('models = ["biased"]', "models = []"), "models"),
        (
            ('[[measurements]]\nmetric = "weat"', '[[measurements]]\nmodels = ["biased"]\nmetric = "weat"'),
            "fair",
        ),
        (
            (
                'tests = ["it/GenC"]\nmodels = ["biased"]\noptions = { resamples = 100, draws = 500 }',
                'tests = ["it/*"]\noptions = { resamples = 100, draws = 500 }\n[[measurements]]\nmetric = "sc-weat"\n'
                'tests = ["it/GenC"]\noptions = { resamples = 100, draws = 500 }',
            ),
            "stands twice",
        ),
    ],
)
def test_an_audit_file_is_checked_whole_before_any_model(biascore, audit: Path, tmp_path: Path, change, told):
    audit.write_text(AUDIT.replace(*change, 1), encoding="utf-8")
    done = biascore("run", "audit.toml", code=2)
    assert told.lower() in done.stderr.lower()
    assert not (tmp_path / "audit-run").exists()
    assert not (tmp_path / "cache").exists(), "a model was asked before the audit was known to be right"


def test_the_users_own_folder_is_one_option_away(biascore, tmp_path: Path):
    write_weat(tmp_path / "mine")
    assert "pets" in biascore("list", "tests", "en/pets", "--stimuli", "mine").stdout
    done = biascore(
        "measure", "weat", "--model", "planted:pets=1", "--tests", "en/pets", "--stimuli", "mine", "--json"
    )
    assert json.loads(done.stdout)["stimuli"][0]["file"] == "mine/en/own.toml"
    assert json.loads(done.stdout)["provenance"]["audit"]["stimuli"] == ["mine"]


def test_a_model_of_an_audit_is_replaced_or_left_out(biascore, audit: Path):
    changed = ("run", "audit.toml", "--model", "fair=planted:gender=0.5", "--without", "biased", "--json")
    run = json.loads(biascore(*changed).stdout)
    assert [(model["name"], model["ref"]) for model in run["models"]] == [("fair", "planted:gender=0.5")]
    assert {m["metric"] for m in run["measurements"]} == {"weat"}
    plan = json.loads(biascore("plan", "audit.toml", "--without", "biased", "--json").stdout)
    assert {row["model"] for row in plan["rows"]} == {"fair"}
    told = biascore("run", "audit.toml", "--model", "fair", code=2).stderr
    assert "is not NAME=REF" in told


def test_a_model_whose_name_holds_an_equals_sign_is_replaced_too(audit: Path):
    text = audit.read_text(encoding="utf-8").replace('"fair"', '"planted, gender = 0"')
    audit.write_text(text, encoding="utf-8")
    changed = chosen_audit(audit, None, ["planted, gender = 0=planted:gender=0.5"], None)
    assert [m.ref for m in changed.models] == ["planted:gender=1.5", "planted:gender=0.5"]


def test_data_needs_a_format_a_file_and_a_language(biascore):
    measure = ("measure", "weat", "--model", "planted:gender=1")
    assert "nothing is named to measure" in biascore(*measure, code=2).stderr
    assert "is not FORMAT:PATH" in biascore(*measure, "--data", "pairs.csv", code=2).stderr
    assert "needs the language" in biascore(*measure, "--data", "some:pairs.csv", code=2).stderr
    told = biascore(*measure, "--data", "some:pairs.csv", "--language", "en", code=2).stderr
    assert "no data format is called 'some'" in told


def test_the_language_of_data_is_a_language_code(biascore):
    data = ("measure", "weat", "--model", "planted:gender=1", "--data", "crows-pairs:pairs.csv")
    assert "is no language code such as it" in biascore(*data, "--language", "italiano", code=2).stderr


def test_what_could_not_be_measured_says_why(biascore, tmp_path: Path):
    (tmp_path / "few.vec").write_text("1 2\nword 1 2\n", encoding="utf-8")
    measure = ("measure", "weat", "--model", "fasttext:few.vec", "--tests", "en/weat7", "--out", "run")
    shown = " ".join(biascore(*measure, code=5).stdout.split())
    (stored,) = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["measurements"]
    assert stored["verdict"] == "not measured"
    told = (
        "None of the 8 words of X is in the vocabulary, nor any of the 8 of Y or the 8 of A or the 8 of B "
        "(the vocabulary has: word; the list has: math, algebra, geometry), so it was not measured."
    )
    assert f"not measured: weat en/weat7 on fasttext:few.vec: {told}" in shown
    assert shown.count(told) == 1
    several = ("measure", "weat", "--model", "fasttext:few.vec", "--tests", "en/weat[78]")
    shown = " ".join(biascore(*several, code=5).stdout.split())
    assert (
        f"2 of 2 measurements on fasttext:few.vec lost a list in whole (gender 2), such as en/weat7: {told}"
        in shown
    )


@pytest.mark.parametrize(
    ("option", "kept"),
    [
        ((), "is kept: the same command resumes"),
        pytest.param(("--no-cache",), "Nothing was kept", marks=pytest.mark.slow),
    ],
)
def test_interrupted_by_ctrl_c_says_what_is_kept(tmp_path: Path, audit: Path, option, kept: str):
    code = (
        "from biascore.engine.measuring import Measuring; import os, signal\n"
        "original = Measuring.measure\n"
        "def measure(*a): os.kill(os.getpid(), signal.SIGINT); return original(*a)\n"
        "Measuring.measure = measure\n"
        "from biascore.cli import main; main()"
    )
    environment = {**os.environ, "BIASCORE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code, "run", str(audit), *option],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode in (130, -signal.SIGINT), done.stderr
    assert "interrupted" in done.stderr
    assert kept in done.stderr


def test_a_second_run_into_a_folder_learns_it_before_it_measures(
    biascore, audit: Path, tmp_path: Path
) -> None:
    with reserved(tmp_path / "out"):
        told = biascore("run", str(audit), "--out", str(tmp_path / "out"), code=2)
    assert "another command is at work" in told.stderr
    assert not told.stdout
    assert not (tmp_path / "out").exists()


HOMELESS = """
import os, pwd
os.environ.pop("HOME", None)
def nobody(_): raise KeyError("uid not found")
pwd.getpwuid = nobody
from biascore.cli import main
main()
"""


@pytest.mark.slow
def test_a_user_without_a_home_gets_a_report_and_charts(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="needs biascore[report]")

    def call(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", HOMELESS, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    measure = ("measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7", "-o", "resamples=100")
    call(*measure, "--out", "run", "--report", "page.html")
    call("report", "run", "--charts", "charts", "--out", "other.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert list((tmp_path / "charts").glob("*.svg"))


@pytest.mark.parametrize(
    "named",
    [
        ("planted:gender=1", "en/weat7"),
        ("en/weat7", "-m", "planted:gender=1"),
        ("-t", "en/weat7", "planted:gender=1"),
    ],
)
def test_models_and_tests_are_plain_arguments_too(biascore, named: tuple[str, ...]) -> None:
    (made,) = json.loads(biascore("measure", "weat", *named, "-o", "resamples=100", "--json").stdout)[
        "measurements"
    ]
    assert (made["model"], made["test"]) == ("planted:gender=1", "en/weat7")


def test_names_in_another_case_are_known_again(biascore, tmp_path: Path) -> None:
    assert "Did you mean 'weat'" in biascore("measure", "WEAT", "planted:gender=1", "en/weat7", code=2).stderr
    assert "no model is named" in biascore("measure", "weat", "en/weat7", code=2).stderr
    gate = ("--gate", "en/*:fail_on=Detected")
    (tmp_path / "a.toml").write_text("title = 'a'", encoding="utf-8")
    assert "Did you mean detected" in biascore("run", "a.toml", *gate, code=2).stderr
