"""Logs that the harnesses themselves write, of a tiny model of one's own; each is installed beside for its test alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine
from biascore.api.queries import Choice

from ...builders import tiny

OPTIONS = ("the grandfather", "the boy", "not known")
TASK = """
task: tiny
dataset_path: json
dataset_kwargs: {{data_files: {{test: {items}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{prompt}}}}"
doc_to_choice: "{{{{options}}}}"
doc_to_target: 2
metric_list: [{{metric: acc}}]
"""
INSPECT = """
import sys
sys.path.append(sys.argv[1])
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

@modelapi(name="local")
class Local(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        prompt = input[-1].text
        if "met 2" in prompt:
            return ModelOutput.from_content("local", "I'm sorry, I can't help with that.")
        line = next(line for line in prompt.splitlines() if line.endswith(") the boy"))
        return ModelOutput.from_content("local", f"ANSWER: {line[0]}")

    async def count_tokens(self, *_, **__):
        return 1

options = ["the grandfather", "the boy", "not known"]
samples = [
    Sample(id=f"Age/{i}", input=f"They met {i}. Who was late?", choices=options, target="C") for i in range(4)
]
for form in ("eval", "json"):
    task = Task(dataset=MemoryDataset(samples), solver=multiple_choice(shuffle=True), scorer=choice())
    (log,) = eval(task, model=get_model("local/m"), log_dir=sys.argv[2], log_format=form, display="none")
    assert log.status == "success", log.error
"""


def installed(folder: Path, *packages: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"{packages[0]} cannot be installed here: {done.stderr.strip()[-200:]}")


def items(count: int) -> list[tuple[str, str]]:
    return [(str(i), f"The grandfather and the boy met {i}. Who was late?") for i in range(count)]


@pytest.mark.slow
def test_log_likelihoods_of_lm_eval_are_ours(tmp_path: Path) -> None:
    beside = tmp_path / "packages"
    installed(beside, "lm-eval")
    installed(beside, "--no-deps", "accelerate", "psutil")
    folder = tiny.save_model("gpt2", tmp_path / "model", 1)
    rows = [{"number": i, "prompt": prompt, "options": OPTIONS} for i, prompt in items(6)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "tiny.yaml").write_text(TASK.format(items=tmp_path / "items.jsonl"))
    out = tmp_path / "out"
    # GPT-2 reads no start token by itself; ours gives it one, without which a first word has no probability.
    model = ["--model", "hf", "--model_args", f"pretrained={folder},add_bos_token=True", "--device", "cpu"]
    task = ["--tasks", "tiny", "--include_path", str(tmp_path / "task")]
    done = subprocess.run(
        [sys.executable, "-m", "lm_eval", *model, *task, "--output_path", str(out), "--log_samples"],
        env={
            **os.environ,
            "PYTHONPATH": str(beside),
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (samples,) = out.rglob("samples_*.jsonl")
    asked = [Choice(prompt, OPTIONS, item=i) for i, prompt in items(6)]
    engine = Engine(cache=None)
    with (
        engine.model(f"answers:{samples}", item=["doc.number"]) as theirs,
        engine.model(f"hf:{folder}") as ours,
    ):
        pairs = list(zip(theirs.choose(asked), ours.choose(asked, "likelihood"), strict=True))
    for one, other in pairs:
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
        assert one.chosen == other.chosen


@pytest.mark.slow
def test_both_forms_of_inspects_logs(tmp_path: Path) -> None:
    pytest.importorskip("zstandard", reason="needs biascore[inspect]")
    beside = tmp_path / "packages"
    installed(beside, "inspect-ai")
    done = subprocess.run(
        [sys.executable, "-c", INSPECT, str(beside), str(tmp_path / "logs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    asked = [Choice(prompt, OPTIONS, item=f"Age/{i}") for i, prompt in items(4)]
    for path in (tmp_path / "logs").iterdir():
        with Engine(cache=None).model(f"answers:{path}") as model:
            found = model.choose(asked)
        assert [one.chosen for one in found] == [1, 1, None, 1], path.name
        assert found[2].outcome == "refused"
