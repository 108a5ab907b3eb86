"""Texts that other tools wrote: found by prompt, system prompt and sample, in logs of harnesses and tables."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from biascore import Engine
from biascore.api.queries import Choice
from biascore.api.writing import Prompt
from biascore.errors import CapabilityError, ModelLoadError, OptionsError, QuestionError

from . import harnesses

NURSE, COOK = Prompt("Write about a nurse."), Prompt("Write about a cook.")


def opened(path: Path, **options: Any) -> Any:
    return Engine(cache=None).model(f"answers:{path}", **options)


def outcomes(path: Path, prompts: Sequence[Prompt], **options: Any) -> list[tuple[str, str]]:
    with opened(path, **options) as model:
        return [(one.outcome, one.text) for one in model.generate(prompts)]


def again(prompt: Prompt, sample: int, system: str | None = None) -> Prompt:
    return Prompt(prompt.text, system, sample=sample, seed=7, item="any")


ROWS = [
    {"prompt": NURSE.text, "answer": "She rests.", "sample": 0},
    {"prompt": NURSE.text, "answer": "<think>He?</think>He rests.", "sample": 1},
    {"prompt": COOK.text, "answer": "I'm sorry, no.", "sample": 0},
    {"prompt": COOK.text, "answer": "", "sample": 1},
]


def csv(path: Path) -> Path:
    lines = ["prompt,answer,sample", *(f'{r["prompt"]},"{r["answer"]}",{r["sample"]}' for r in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def packed(path: Path) -> Path:
    path.write_bytes(gzip.compress(csv(path.with_suffix("")).read_bytes()))
    return path


def parquet(path: Path) -> Path:
    pyarrow.parquet.write_table(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("texts.csv", csv),
        ("texts.csv.gz", packed),
        ("texts.jsonl", lambda path: harnesses.lines(path, ROWS)),
        ("texts.parquet", parquet),
    ],
)
def test_tables(name: str, write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / name)
    asked = [again(prompt, sample) for prompt in (NURSE, COOK) for sample in range(2)]
    assert outcomes(path, asked) == [
        ("written", "She rests."),
        ("written", "He rests."),
        ("refused", "I'm sorry, no."),
        ("empty", ""),
    ]
    with opened(path) as model:
        assert (model.capabilities, model.identity.facts) == ({"generate"}, {"texts": 4})
        with pytest.warns(
            UserWarning, match=r"no text to 1 of 2 prompts, such as sample 2 of 'Write about a nurse\.'"
        ):
            found = model.generate([NURSE, again(NURSE, 2)])
        assert [one.outcome for one in found] == ["written", "missing"]
        assert model.prompting == {
            "texts written": "before, with the settings of their file",
            "texts a prompt": "3",
            "system prompt": "not in the file",
        }
        with pytest.raises(
            QuestionError, match=r"no text to 1 of 1 prompts.*Give the texts to these very prompts"
        ):
            model.generate([Prompt("Write about a stone.")])


def test_columns_by_other_names_and_system_prompts(tmp_path: Path) -> None:
    rows = [
        {"q": NURSE.text, "a": "She.", "s": "Be brief.", "m": "x"},
        {"q": NURSE.text, "a": "He.", "s": "", "m": "x"},
        {"q": NURSE.text, "a": "They.", "s": "", "m": "y"},
    ]
    path = harnesses.lines(tmp_path / "t.jsonl", rows)
    named = {"prompt": "q", "answer": "a", "system": "s", "only": {"m": "x"}}
    asked = [again(NURSE, 0, "Be brief."), NURSE]
    assert [text for _, text in outcomes(path, asked, **named)] == ["She.", "He."]
    with pytest.raises(
        ModelLoadError, match=r"line 3: 'Write about a nurse\.' has another text of sample 0 further up"
    ):
        opened(path, prompt="q", answer="a", system="s")
    with pytest.raises(OptionsError, match="are of texts"):
        opened(path, prompt="q", language="de")


def lm_eval(number: int, prompt: object, said: Sequence[str], **more: Any) -> Any:
    row = harnesses.lm_eval_text(number, said[0])
    return {**row, "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}}, "resps": [[*said]], **more}


def test_lm_evaluation_harness_with_all_of_its_repeats(tmp_path: Path) -> None:
    chat = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": COOK.text}])
    rows = [lm_eval(0, NURSE.text, ["She.", "He."]), lm_eval(1, chat, ["They."])]
    path = harnesses.lines(tmp_path / "samples_x.jsonl", rows)
    asked = [again(NURSE, 0), again(NURSE, 1), again(COOK, 0, "Be brief.")]
    with pytest.warns(UserWarning, match="no text to 2 of 3"):  # a system prompt is part of a prompt
        assert [one for one, _ in outcomes(path, asked)] == ["missing", "missing", "written"]


def test_a_log_answers_choices_and_texts(tmp_path: Path) -> None:
    path = harnesses.lines(tmp_path / "samples_x.jsonl", [lm_eval(0, NURSE.text, ["The boy.", "He."])])
    with opened(path) as model:
        assert model.capabilities == {"choose", "generate"}
        assert [one.text for one in model.generate([NURSE, again(NURSE, 1)])] == ["The boy.", "He."]
        chosen = model.choose([Choice("Who?", harnesses.OPTIONS, item="0")])
        assert chosen[0].chosen == 1


def inspect(
    number: int, said: Sequence[str], epoch: int, stop: str = "stop", prompt: object = NURSE.text
) -> Any:
    choices = [{"message": {"role": "assistant", "content": one}, "stop_reason": stop} for one in said]
    made = harnesses.inspect(number, said[0], epoch=epoch, input=prompt, choices=None)
    return {**made, "output": {"model": "m", "choices": choices, "completion": said[0]}}


def test_inspect_with_epochs_and_reasons_to_stop(tmp_path: Path) -> None:
    parts: Any = [{"type": "reasoning", "reasoning": "He?"}, {"type": "text", "text": "She rests."}]
    rows = [
        inspect(0, [parts], 1),
        inspect(0, ["He rests"], 2, "max_tokens"),
        inspect(0, ["x"], 3, "content_filter"),
    ]
    path = harnesses.log(tmp_path / "log.json", rows)
    found = outcomes(path, [again(NURSE, sample) for sample in range(3)], prompt="input")
    assert found == [("written", "She rests."), ("cut", "He rests"), ("refused", "x")]


def test_every_eval_ever(tmp_path: Path) -> None:
    row = harnesses.every_eval_ever(0, "She rests.")
    row["input"]["raw"], row["output"]["raw"] = NURSE.text, ["She rests.", "He rests."]
    path = harnesses.lines(tmp_path / "x.jsonl", [row])
    found = outcomes(path, [again(NURSE, sample) for sample in range(2)], prompt="input.raw")
    assert [text for _, text in found] == ["She rests.", "He rests."]
    del row["input"]["raw"]
    with pytest.raises(ModelLoadError, match="without a prompt nobody knows what was asked"):
        opened(harnesses.lines(path, [row]), sample="sample_id")


def test_a_log_of_likelihoods_says_why_it_has_no_texts(tmp_path: Path) -> None:
    path = harnesses.lines(tmp_path / "samples_x.jsonl", [harnesses.lm_eval(0, (-2.0, -1.0, -3.0))])
    with (
        opened(path) as model,
        pytest.raises(CapabilityError, match=r"cannot generate; it can choose .*3 requests"),
    ):
        model.generate([NURSE])
    with pytest.raises(
        ModelLoadError, match=r"line 1 is no record of .* with texts that can be read: it has 3 requests"
    ):
        opened(path, prompt="doc.question")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (lm_eval(0, " ", ["x"]), "its prompt is blank"),
        (
            lm_eval(0, [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], ["x"]),
            "2 messages",
        ),
        (lm_eval(0, "p", ["x"], resps=[[["-1.0", "False"]]]), "resps holds a list"),
        (lm_eval(0, "p", ["x"], resps=None), "resps is null"),
        (inspect(0, ["x"], 1, prompt=[{"role": "user", "content": 3}]), "a message is '3'"),
    ],
)
def test_records_that_cannot_be_read(row: Any, told: str, tmp_path: Path) -> None:
    is_inspect = "output" in row
    path = (harnesses.log if is_inspect else harnesses.lines)(
        tmp_path / f"x.{'json' if is_inspect else 'jsonl'}", [row]
    )
    field = {"sample": "epoch"} if is_inspect else {"sample": "doc_id"}
    with pytest.raises(ModelLoadError, match=told):
        opened(path, **field)


def test_a_table_without_prompts_is_a_clear_error(tmp_path: Path) -> None:
    path = harnesses.lines(tmp_path / "t.jsonl", [{"id": 1, "answer": "She."}])
    with pytest.raises(ModelLoadError, match=r"prompt.*name its column with the option prompt"):
        opened(path, sample="id")
