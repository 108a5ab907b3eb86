"""Whole runs on tiny transformers: masked and causal, planned, stored, verified."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biascore import Audit, Engine
from biascore.cli.app import app

from .probing import TOML

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stimuli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("stimuli")
    (root / "en").mkdir()
    text = TOML.replace('language = "xx"', 'language = "en"')
    (root / "en" / "small.toml").write_text(text, encoding="utf-8")
    return root


def test_a_masked_model_is_planned_run_and_verified(
    saved_model: Callable[[str], Path], stimuli: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    audit = tmp_path / "audit.toml"
    audit.write_text(
        f'title = "Small"\nstimuli = ["{stimuli}"]\n[[models]]\nname = "bert"\nref = "hf:{saved_model("bert-uncased")}"\n'
        '[[measurements]]\nmetric = "robust-association"\ntests = ["en/small"]\n'
        "options = { resamples = 100, pairs = 2, ppl_bins = [0, 50, 1000] }\n",
        encoding="utf-8",
    )
    plan = json.loads(CliRunner().invoke(app, ["plan", str(audit), "--no-probe", "--json"]).stdout)
    assert plan["stopped"] == []
    (masked,) = (row for row in plan["rows"] if row["hook"] == "mask_logprob")
    assert masked["counts"] == "approximate"
    ran = CliRunner().invoke(app, ["run", str(audit), "--out", "out", "--report", "report.html"])
    assert ran.exit_code == 0, ran.output
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    (measured,) = run["measurements"]
    assert measured["estimates"][0]["name"] == "difference male - female"
    assert measured["estimates"][0]["value"] is not None
    asked = run["models"][0]["questions"]["asked"]
    assert 0.5 < plan["total"]["asked"] / asked < 2
    again = CliRunner().invoke(app, ["verify", "out", "--stimuli", str(stimuli)])
    assert again.exit_code == 0, again.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for part in (
        "Differences by test and model",
        "Difference by template",
    ):
        assert part in page


def test_a_causal_model_s_association_is_its_mean_log_likelihood(
    saved_model: Callable[[str], Path], stimuli: Path
) -> None:
    torch = pytest.importorskip("torch")
    import transformers

    folder = saved_model("gpt2")
    got = Engine(cache=None, stimuli=[stimuli]).measure(
        "robust-association", f"hf:{folder}", "en/small", resamples=100
    )[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    rows = got.items.to_pylist()
    for row in rows[::9]:
        ids = torch.tensor(
            [[tokenizer.bos_token_id, *tokenizer(row["item"], add_special_tokens=False)["input_ids"]]]
        )
        with torch.no_grad():
            loss = float(model(input_ids=ids, labels=ids).loss)
        assert row["value"] == pytest.approx(-loss, abs=1e-4)
        assert row["perplexity"] == pytest.approx(math.exp(loss), rel=1e-3)
    assert np.isfinite(got.headline.value)


def test_an_audit_may_hold_both_kinds(saved_model: Callable[[str], Path], stimuli: Path) -> None:
    audit = Audit.model_validate(
        {
            "title": "both",
            "stimuli": [str(stimuli)],
            "models": [
                {"name": "masked", "ref": f"hf:{saved_model('bert-uncased')}"},
                {"name": "causal", "ref": f"hf:{saved_model('gpt2')}"},
            ],
            "measurements": [
                {"metric": "robust-association", "tests": ["en/small"], "options": {"resamples": 100}}
            ],
        }
    )
    run = Engine(cache=None).run(audit)
    assert [(measured.metric, measured.variant) for measured in run] == [
        ("robust-association", "resamples=100"),
        ("robust-association", "model_kind=causal, resamples=100"),
    ]
