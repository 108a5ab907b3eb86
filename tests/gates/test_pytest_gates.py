"""``pytest -p biascore.testing.pytest_gates audit.toml``, on models with a known bias."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from biascore import Engine, Run

from ..builders.plugin_dists import PLUGINS, write_metadata
from ..conftest import ROOT, python_path

pytest_plugins = ("pytester",)
FAST = '{ resamples = 100, draws = 200, reference = "none" }'
AUDIT = f"""
[[models]]
name = "biased"
ref = "planted:gender=1.5"
[[models]]
name = "fair"
ref = "planted:gender=0"
[[measurements]]
metric = "weat"
tests = ["en/weat1", "en/weat7"]
options = {FAST}
"""
GATE = """
[[gates]]
name = "release"
measurements = ["en/weat7"]
roles = ["control"]
fail_on = "detected"
"""


@pytest.fixture(scope="module")
def _imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All is imported that a run needs: pytester forgets what is imported while it runs."""
    file = tmp_path_factory.mktemp("first") / "audit.toml"
    file.write_text(AUDIT + GATE, encoding="utf-8")
    Engine(cache=None).run(file)


@pytest.fixture(autouse=True)
def _own_cache(_imported: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(pytester.path / "cache"))


def run(pytester: pytest.Pytester, audit: str, *more: str) -> pytest.RunResult:
    (pytester.path / "audit.toml").write_text(audit, encoding="utf-8")
    return pytester.runpytest_inprocess("-p", "biascore.testing.pytest_gates", "-rA", "audit.toml", *more)


def with_few_words(pytester: pytest.Pytester) -> str:
    """The audit with real vectors in the place of the fair model, too few to measure anything."""
    rows = "\n".join(f"{word} 1 {n}" for n, word in enumerate(("man", "woman", "math", "arts")))
    (pytester.path / "few.vec").write_text(f"4 2\n{rows}\n", encoding="utf-8")
    return AUDIT.replace('ref = "planted:gender=0"', 'ref = "fasttext:few.vec"')


def test_a_detected_bias_fails_its_test_with_the_gates_reason(pytester: pytest.Pytester) -> None:
    done = run(pytester, AUDIT + GATE, "--biascore-out", "kept")
    done.assert_outcomes(failed=1, skipped=1)
    done.stdout.fnmatch_lines(
        [
            "*release: weat en/weat7 on biased*",
            "fails: hint (no harmless groups were asked for; control)*(not detected)",
        ]
    )
    done.stdout.fnmatch_lines(["SKIPPED*release: weat en/weat7 on fair: inconclusive: *"])
    assert "Traceback" not in done.stdout.str()
    assert [one.passed for one in Run.load(pytester.path / "kept").gates] == [False]
    assert done.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(("policy", "outcome"), [("pass", "passed"), ("warn", "skipped"), ("fail", "failed")])
def test_what_is_inconclusive_is_as_the_gate_says(
    policy: str, outcome: str, pytester: pytest.Pytester
) -> None:
    gate = f'{GATE}models = ["fair"]\ninconclusive = "{policy}"\n'
    run(pytester, AUDIT + gate).assert_outcomes(**{outcome: 1})


def test_what_has_another_role_is_skipped(pytester: pytest.Pytester) -> None:
    done = run(pytester, with_few_words(pytester) + GATE)
    done.assert_outcomes(failed=1, skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED*on fair: the gate does not look at it*"])


@pytest.mark.parametrize(("policy", "outcome"), [("pass", "skipped"), ("fail", "errors")])
def test_what_is_not_measured_is_an_error_unless_the_gate_lets_it_pass(
    policy: str, outcome: str, pytester: pytest.Pytester
) -> None:
    gate = GATE.replace('"control"', '"finding"') + f'models = ["fair"]\nnot_measured = "{policy}"\n'
    run(pytester, with_few_words(pytester) + gate).assert_outcomes(**{outcome: 1})


def test_nothing_is_measured_to_collect(pytester: pytest.Pytester) -> None:
    done = run(pytester, AUDIT + GATE, "--collect-only", "-q")
    done.stdout.fnmatch_lines(["audit.toml::release: weat en/weat7 on biased", "audit.toml::*on fair"])
    assert not (pytester.path / "cache").exists()


def test_an_audit_that_is_wrong_or_without_gates_is_an_error(pytester: pytest.Pytester) -> None:
    for audit, told in (
        (AUDIT, "*has no *gates*"),
        (AUDIT.replace("weat7", "weat77") + GATE, "*weat77*"),
    ):
        done = run(pytester, audit)
        done.assert_outcomes(errors=1)
        done.stdout.fnmatch_lines([told])
        assert "Traceback" not in done.stdout.str()


def test_an_audit_is_no_test_unless_it_is_named(pytester: pytest.Pytester) -> None:
    Path("audit.toml").write_text(AUDIT + GATE, encoding="utf-8")
    pytester.makepyfile("def test_own(): pass")
    done = pytester.runpytest_inprocess("-p", "biascore.testing.pytest_gates")
    done.assert_outcomes(passed=1)


@pytest.fixture
def _distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes find pytest-biascore as installed."""
    source = PLUGINS / "pytest-biascore"
    write_metadata(source, tmp_path / "dist")
    path = os.pathsep.join([str(tmp_path / "dist"), str(source), str(ROOT)])
    monkeypatch.setenv("PYTHONPATH", python_path(path))


@pytest.mark.usefixtures("_distribution")
@pytest.mark.slow
def test_with_its_distribution_the_option_alone_runs_the_gates(pytester: pytest.Pytester) -> None:
    Path("audit.toml").write_text(AUDIT + GATE, encoding="utf-8")
    done = pytester.runpytest_subprocess("--biascore", "audit.toml", "--biascore-out", "kept")
    done.assert_outcomes(failed=1, skipped=1)
    assert [one.passed for one in Run.load(pytester.path / "kept").gates] == [False]


@pytest.mark.usefixtures("_distribution")
@pytest.mark.slow
def test_without_the_option_or_an_audit_nothing_of_biascore_is_imported_or_run(
    pytester: pytest.Pytester,
) -> None:
    Path("audit.toml").write_text(AUDIT + GATE, encoding="utf-8")
    pytester.makepyfile(
        "import sys\ndef test_own(): assert {'biascore', 'pytest_biascore'} & {*sys.modules} == {'pytest_biascore'}"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    done = pytester.runpytest_subprocess("--biascore")
    done.stderr.fnmatch_lines(["ERROR: --biascore needs an audit file*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR
