"""A text is no list: each field of a harness's record is read as the type that it has, or refused by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.queries import Choice
from biascore.errors import ModelLoadError, OptionsError, QuestionError

from .harnesses import OPTIONS, archive, every_eval_ever, inspect, lines, lm_eval, lm_eval_text

PROMPT = "A grandfather and a boy met. Who was late?"


def asked(item: str) -> Choice:
    return Choice(PROMPT, OPTIONS, item=item)


def generated(given: Any, **more: Any) -> Any:
    return {**lm_eval_text(0, ""), "filtered_resps": given, **more}


@pytest.mark.parametrize(
    "given", ["the boy", ["the boy"], [["the boy"]]], ids=["text", "list", "list of lists"]
)
@pytest.mark.parametrize("form", ["jsonl", "json", "ndjson"])
def test_a_generated_text_is_read_whole_in_whatever_it_is_wrapped(
    tmp_path: Path, engine: Engine, given: Any, form: str
) -> None:
    rows = [generated(given)]
    path = tmp_path / f"samples.{form}"
    path.write_text(json.dumps(rows) if form == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    with engine.model(f"answers:{path}") as model:
        (found,) = model.choose([asked("0")])
    assert (found.chosen, found.said) == (1, "the boy")


def old(number: int, values: tuple[float, ...]) -> Any:
    """As versions 0.4.0 to 0.4.2 wrote it."""
    row = lm_eval(number, values)
    row["arguments"] = [[PROMPT, f" {text}"] for text in OPTIONS]
    row["filtered_resps"] = [[value, False] for value in values]
    del row["prompt_hash"]
    return row


@pytest.mark.parametrize(
    "wrapped", [lambda rows: rows, lambda rows: {"results": {}, "samples": {"bbq": rows}}]
)
def test_a_list_in_one_file_is_read(tmp_path: Path, engine: Engine, wrapped: Any) -> None:
    path = tmp_path / "bbq.json"
    path.write_text(json.dumps(wrapped([old(0, (-2.0, -1.0, -3.0)), old(1, (-0.5, -1.0, -3.0))])))
    with engine.model(f"answers:{path}") as model:
        assert [one.chosen for one in model.choose([asked("0"), asked("1")])] == [1, 0]
        assert model.identity.conventions == {
            "answers read from": "a log of lm-evaluation-harness, by doc_id"
        }


def test_requests_are_in_the_order_of_their_numbers(tmp_path: Path, engine: Engine) -> None:
    row = lm_eval(0, (-2.0, -1.0, -3.0))
    row["arguments"] = dict(reversed(row["arguments"].items()))
    with engine.model(f"answers:{lines(tmp_path / 's.jsonl', [row])}") as model:
        assert model.choose([asked("0")])[0].logprobs == (-2.0, -1.0, -3.0)


LM_EVAL = "lm-evaluation-harness 0.4.3 or later"
BAD: dict[str, tuple[Any, str]] = {
    "number": (generated(3), rf"{LM_EVAL} .*: filtered_resps is a number, 3, and a list or a text is read"),
    "null": (generated(None), rf"{LM_EVAL} .*filtered_resps is null"),
    "object": (generated({"0": "a"}), rf"{LM_EVAL} .*filtered_resps is an object"),
    "several texts": (generated(["a", "b"]), "filtered_resps holds 2 texts, 'a' first"),
    "several repeats": (generated([["a", "b"]]), r"filtered_resps holds \['a', 'b'\]"),
    "a likelihood laid flat": (generated(["-1.5", "False"]), "filtered_resps holds 2 texts"),
    "text and number": (generated(["a", 1]), "filtered_resps holds a number, 1, and texts are read"),
    "true": (
        lm_eval(0, (-1.0,) * 3, filtered_resps=[[True, False]] * 3),
        r"filtered_resps holds \[True, False\]",
    ),
    "a text for options": (
        lm_eval(0, (-1.0,) * 3, filtered_resps="the boy"),
        "filtered_resps is a text, 'the boy', and arguments has 3 options",
    ),
    "a huge number": (
        lm_eval(0, (-1.0,) * 3, filtered_resps=[[-(10**400), False]] * 3),
        "filtered_resps holds",
    ),
    "arguments as text": (
        generated(["a"], arguments="abc"),
        "arguments is a text, 'abc', and a list or an object",
    ),
    "arguments of texts": (generated(["a"], arguments=["abc"]), "0.4.0 to 0.4.2 .*arguments holds 'abc'"),
    "no arguments": (generated(["a"], arguments=[]), "arguments is empty"),
    "argument as list": (
        generated(["a"], arguments={"gen_args_0": ["p", {}]}),
        "arguments.gen_args_0 is a list",
    ),
    "prompt as number": (
        generated(["a"], arguments={"gen_args_0": {"arg_0": 1, "arg_1": {}}}),
        r"arguments.gen_args_0.arg_0 is a number",
    ),
    "option as list": (
        lm_eval(0, (-1.0,), arguments={"gen_args_0": {"arg_0": "p", "arg_1": ["x"]}}),
        r"arguments.gen_args_0.arg_1 is a list",
    ),
    "options that are settings": (
        lm_eval(0, (-1.0,), arguments={"gen_args_0": {"arg_0": "p", "arg_1": {}}}),
        "arguments holds an object",
    ),
    "hash as number": (generated(["a"], prompt_hash=1), "prompt_hash is a number"),
    "item as list": ({**lm_eval_text(0, "a"), "doc_id": [1]}, r"doc_id is \[1\]"),
    "item as null": ({**lm_eval_text(0, "a"), "doc_id": None}, "doc_id is None"),
    "instance, input": (every_eval_ever(0, "a", input="q"), r"Every Eval Ever 0\.3\.0 .*input is a text"),
    "instance, choices": (
        every_eval_ever(0, "a", input={"raw": "q", "choices": "ABC"}),
        r"input\.choices is a text, 'ABC', and a list",
    ),
    "instance, output": (every_eval_ever(0, "a", output={"raw": [["a"]]}), r"output\.raw holds a list"),
    "instance, number": (every_eval_ever(0, "a", output={"raw": 3}), r"output\.raw is a number"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_field_of_another_type_is_refused_by_name_and_version(
    tmp_path: Path, engine: Engine, bad: str
) -> None:
    row, told = BAD[bad]
    with pytest.raises(ModelLoadError, match=f"line 1.*{told}"):
        engine.model(f"answers:{lines(tmp_path / 'samples.jsonl', [row])}")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"choices": "ABC"}, "choices is a text, 'ABC', and a list or null is read"),
        ({"choices": [1, 2, 3]}, "choices holds a number"),
        ({"output": "B"}, "output is a text"),
        ({"output": {"choices": "B", "completion": "B"}}, r"output\.choices is a text"),
        ({"output": {"choices": ["B"], "completion": "B"}}, r"output\.choices holds 'B'"),
        (
            {"output": {"choices": [{"stop_reason": 1}], "completion": "B"}},
            r"output\.choices\.stop_reason is a number",
        ),
        ({"output": {"choices": [{}], "completion": ["B"]}}, r"output\.completion is a list"),
        ({"input": 3}, "input is a number"),
        ({"error": ["x"]}, "error is a list"),
    ],
)
@pytest.mark.parametrize("form", ["json", "eval"])
def test_samples_of_inspect_with_fields_of_another_type(
    tmp_path: Path, engine: Engine, change: Any, told: str, form: str
) -> None:
    sample, header = (
        {**inspect(0, "B"), **change},
        {"version": 2, "eval": {"packages": {"inspect_ai": "0.3.99"}}},
    )
    path = tmp_path / f"x.{form}"
    if form == "json":
        path.write_text(json.dumps({**header, "samples": [sample]}))
    else:
        archive(path, [sample], header=header)
    with pytest.raises(ModelLoadError, match=rf"no record of Inspect 0\.3\.99 that can be read: {told}"):
        engine.model(f"answers:{path}")


def test_an_answer_that_is_a_text_and_no_list_of_them(tmp_path: Path, engine: Engine) -> None:
    row = every_eval_ever(0, "x", output={"raw": "the boy"})
    with engine.model(f"answers:{lines(tmp_path / 'x_samples.jsonl', [row])}") as model:
        assert model.choose([asked("Age/0")])[0].chosen == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "its records are of no harness"),
        ('[{"a": 1}]', "its records are of no harness"),
        ('{"results": {}}', "is no log with samples"),
        ('{"samples": "x"}', "is no log with samples"),
        ('{"samples": {"one": [], "two": []}}', "samples are of 'one', 'two': give those of one"),
        ('"x"', "is no log with samples"),
        ("3", "is no log with samples"),
    ],
)
def test_json_that_is_no_log_says_what_to_give(
    tmp_path: Path, engine: Engine, content: str, told: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(
        ModelLoadError, match=rf"{told}.*--log_samples.*table with the columns item and answer"
    ):
        engine.model(f"answers:{path}")


@pytest.mark.parametrize(
    ("labels", "order", "said", "chosen"),
    [
        ("123", (0, 1, 2), "2", 1),
        ("012", (0, 1, 2), "0", 0),
        ("012", (2, 0, 1), "The answer is 0.", 2),
        ("ABC", (2, 0, 1), "A", 2),
        ("abc", (0, 1, 2), "(b)", 1),
    ],
)
@pytest.mark.parametrize("put", ["text", "messages"])
def test_options_go_by_what_the_prompt_in_the_log_calls_them(
    tmp_path: Path, engine: Engine, labels: str, order: tuple[int, ...], said: str, chosen: int, put: str
) -> None:
    rows = [f"{label}) {OPTIONS[place]}" for label, place in zip(labels, order, strict=True)]
    prompt = "\n".join(["1) a shot that came before", PROMPT, *rows, "Answer:"])
    prompt = prompt if put == "text" else json.dumps([{"role": "user", "content": prompt}])
    row = lm_eval_text(0, said)
    row["arguments"]["gen_args_0"]["arg_0"] = prompt
    with engine.model(f"answers:{lines(tmp_path / 'samples.jsonl', [row])}") as model:
        assert model.choose([asked("0")])[0].chosen == chosen


def test_a_table_says_what_its_answers_call_the_options(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "said.csv"
    path.write_text("item,answer\n0,ans1\n1,ans2\n2,boy\n", encoding="utf-8")
    items = [asked(str(i)) for i in range(3)]
    with engine.model(f"answers:{path}") as model:
        assert {one.outcome for one in model.choose(items)} == {"unreadable"}
        assert model.outcomes.quotes == ["ans1", "ans2", "boy"]
    with engine.model(f"answers:{path}", labels=["ans0", "ans1", "ans2"]) as model:
        assert [one.chosen for one in model.choose(items)] == [1, 2, None]
    with (
        engine.model(f"answers:{path}", labels=["ans0", "ans1"]) as model,
        pytest.raises(QuestionError, match="names 2"),
    ):
        model.choose(items)
    with pytest.raises(OptionsError, match="each option has a label of its own"):
        engine.model(f"answers:{path}", labels=["0", "0"])
