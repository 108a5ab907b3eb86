"""Texts after a prompt as minicons scores them (``conditional_score``), which is installed beside for this test alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine
from biascore.api.queries import Continuation

from ...builders import tiny

PROMPT = "The nurse walked home and said that the engineer was"
TEXTS = ["late.", "tired and he left", "she"]
PEER = """
import json, sys
sys.path.append(sys.argv[2])
from minicons import scorer
model = scorer.IncrementalLMScorer(sys.argv[1], "cpu")
prompt, texts = json.loads(sys.argv[3])
scores = model.conditional_score([prompt] * len(texts), texts, reduction=lambda x: x.sum(0).item(), bos_token=True)
print("scores", json.dumps(scores))
"""


@pytest.fixture(scope="module")
def minicons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with minicons and what it imports beyond what is here."""
    folder = tmp_path_factory.mktemp("minicons")
    packages = ["minicons", "pillow", "wonderwords", "accelerate", "psutil"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"minicons cannot be installed here: {done.stderr.strip()[-200:]}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_sums_of_log_probabilities_are_those_of_minicons(kind: str, minicons: Path, tmp_path: Path) -> None:
    folder = tiny.save_model(kind, tmp_path / kind, 1)
    asked = json.dumps([PROMPT, TEXTS])
    done = subprocess.run(
        [sys.executable, "-c", PEER, str(folder), str(minicons), asked],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("scores "))
    theirs = json.loads(line.removeprefix("scores "))
    model = Engine(cache=None).model(f"hf:{folder}")
    ours = model.score([Continuation(PROMPT, f" {text}") for text in TEXTS], "log_likelihood")
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)
