"""What another harness asked: its answers are found by item, read by its options' texts, and what is wrong is told."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.queries import Choice
from biascore.errors import CapabilityError, MissingExtraError, ModelLoadError, OptionsError, QuestionError

from .harnesses import OPTIONS, archive, every_eval_ever, inspect, lines, lm_eval, lm_eval_text, log


def asked(item: str, options: tuple[str, ...] = OPTIONS) -> Choice:
    return Choice("A grandfather and a boy met. Who was late?", options, item=item)


def test_log_likelihoods_of_lm_eval_are_found_by_document_and_compared_by_text(
    tmp_path: Path, engine: Engine
) -> None:
    rows = [lm_eval(0, (-2.0, -1.0, -3.0)), lm_eval(1, (-5.0, -4.0, -0.5))]
    with engine.model(f"answers:{lines(tmp_path / 'samples_bbq.jsonl', rows)}") as model:
        assert (model.capabilities, model.identity.ways) == ({"choose"}, ("likelihood",))
        turned = (OPTIONS[2], OPTIONS[0], OPTIONS[1])
        one, other, repeated = model.choose([asked("0"), asked("1", turned), asked("0")])
        assert (one.chosen, one.logprobs, one.way) == (1, (-2.0, -1.0, -3.0), "likelihood")
        assert (other.chosen, other.logprobs) == (0, (-0.5, -5.0, -4.0))
        assert repeated == one
        assert model.used().facts["answers"] == 2


def test_a_log_draws_nothing_with_a_seed(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "x_samples.jsonl", [every_eval_ever(0, "The boy.")])
    told = r"has the seed 1, and the file holds one answer to each item\. Leave seeds out"
    with engine.model(f"answers:{path}") as model, pytest.raises(QuestionError, match=told):
        model.choose([asked("Age/0"), replace(asked("Age/0"), seed=1)])


def test_items_are_found_by_fields_of_the_document(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "samples.jsonl", [lm_eval(7, (-2.0, -1.0, -3.0))])
    with engine.model(f"answers:{path}", item=["doc.category", "doc.example_id"]) as model:
        assert model.choose([asked("Age/7")])[0].chosen == 1
    with pytest.raises(ModelLoadError, match=r"line 1 has no 'doc.name': there is 'ans0', .*'category'"):
        engine.model(f"answers:{path}", item=["doc.name"])


@pytest.mark.parametrize("form", ["deflate", "zstandard", "json"])
def test_samples_of_inspect_are_read_by_their_letters(tmp_path: Path, engine: Engine, form: str) -> None:
    said = ["ANSWER: B", "ANSWER: C", "I'm sorry, I can't help with that.", "Hm.", "ANSWER: A"]
    samples = [inspect(i, text) for i, text in enumerate(said)]
    samples[4]["output"]["choices"][0]["stop_reason"] = "content_filter"
    if form == "zstandard":
        pytest.importorskip("zstandard", reason="needs biascore[inspect]")
    path = (
        log(tmp_path / "x.json", samples) if form == "json" else archive(tmp_path / "x.eval", samples, form)
    )
    with engine.model(f"answers:{path}") as model:
        turned = (OPTIONS[2], OPTIONS[0], OPTIONS[1])
        found = model.choose([asked(f"Age/{i}", turned) for i in range(5)])
    assert [one.chosen for one in found] == [2, 0, None, None, None]
    assert [one.outcome for one in found] == ["chosen", "chosen", "refused", "unreadable", "refused"]
    assert found[0].said == "ANSWER: B"


def test_a_sample_that_failed_is_missing_and_counted(tmp_path: Path, engine: Engine) -> None:
    failed = inspect(1, "", error={"message": "timeout"})
    failed["output"]["choices"] = []
    path = log(tmp_path / "x.json", [inspect(0, "ANSWER: A"), failed, inspect(8, "ANSWER: A")])
    told = r"no answer to 2 of 3 items, such as 'Age/1'; 1 of its .*'Age/8'"
    with engine.model(f"answers:{path}") as model:
        with pytest.warns(UserWarning, match=told):
            found = model.choose([asked(f"Age/{i}") for i in range(3)])
        assert model.used().facts["without an answer"] == 1
    assert [one.outcome for one in found] == ["chosen", "missing", "missing"]


def test_instances_of_every_eval_ever(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "x_samples.jsonl", [every_eval_ever(0, "The boy."), every_eval_ever(1, "B")])
    with engine.model(f"answers:{path}") as model:
        assert [one.chosen for one in model.choose([asked("Age/0"), asked("Age/1")])] == [1, 1]


def test_a_table_of_what_was_said(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "said.csv"
    path.write_text("item,answer,model\n1,the boy,a\n1,Not known.,b\n2,,a\n", encoding="utf-8")
    with engine.model(f"answers:{path}", only={"model": "a"}) as model:
        with pytest.warns(UserWarning, match="no answer to 1 of 2 items, such as '2'"):
            one, other = model.choose([asked("1"), asked("2")])
        assert (one.chosen, other.outcome) == (1, "missing")
        assert model.identity.conventions == {"answers read from": "a table, by item"}
    with pytest.raises(ModelLoadError, match=r"line 3: the item '1' is answered twice.*only"):
        engine.model(f"answers:{path}")
    path.write_text("n,said\n1,B\n", encoding="utf-8")
    with engine.model(f"answers:{path}", item=["n"], answer="said") as model:
        assert model.choose([asked("1")])[0].chosen == 1


def test_letters_need_the_texts_that_they_stand_for(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "samples.jsonl", [lm_eval(0, (-2.0, -0.5, -3.0), "ABC")])
    with pytest.raises(ModelLoadError, match=r"asked with the letters A, B, C.*option choices"):
        engine.model(f"answers:{path}")
    with engine.model(f"answers:{path}", choices=["doc.ans0", "doc.ans1", "doc.ans2"]) as model:
        (found,) = model.choose([asked("0")])
        assert (found.way, found.chosen) == ("letters", 1)
        assert found.outside == pytest.approx(1 - math.exp(-2) - math.exp(-0.5) - math.exp(-3))


def test_phrases_that_mean_the_same_stand_for_one_option(tmp_path: Path, engine: Engine) -> None:
    phrases = ("Not enough information", "not known", "Cannot be told")
    path = lines(
        tmp_path / "samples.jsonl", [lm_eval(0, (-2.0, -3.0, -9.0, -8.0, -1.0), (*OPTIONS[:2], *phrases))]
    )
    with (
        engine.model(f"answers:{path}") as model,
        pytest.raises(QuestionError, match=r"item '0' was asked with .*Cannot be told, and has .*alike"),
    ):
        model.choose([asked("0")])
    with engine.model(f"answers:{path}", alike=phrases) as model:
        (found,) = model.choose([asked("0")])
        assert (found.chosen, found.logprobs) == (2, (-2.0, -3.0, -1.0))


def test_another_version_of_the_benchmark(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "samples.jsonl", [lm_eval(0, (-2.0, -1.0, -3.0))])
    with engine.model(f"answers:{path}") as model:
        with pytest.raises(
            QuestionError, match=r"item '0' was asked with .* Give the answers to this version"
        ):
            model.choose([asked("0", ("the grandmother", "the girl", "not known"))])
        with pytest.raises(
            QuestionError, match=r"no answer to 1 of 1 items, such as 'x'; 1 of .*option item"
        ):
            model.choose([asked("x")])
        with pytest.raises(QuestionError, match="has no item"):
            model.choose([Choice("Who?", OPTIONS)])
        with pytest.raises(CapabilityError, match="by text"):
            model.choose([asked("0")], "text")


def test_mutual_information_is_left_aside(tmp_path: Path, engine: Engine) -> None:
    row = lm_eval(0, (-2.0, -1.0, -3.0))
    plain = {f"gen_args_{3 + i}": {"arg_0": "", "arg_1": f" {text}"} for i, text in enumerate(OPTIONS)}
    row["arguments"] |= plain
    row["filtered_resps"] += [["-0.1", "False"]] * 3
    with engine.model(f"answers:{lines(tmp_path / 's.jsonl', [row])}") as model:
        assert model.choose([asked("0")])[0].logprobs == (-2.0, -1.0, -3.0)


BAD: dict[str, tuple[list[Any], str]] = {
    "twice": ([lm_eval(0, (-2.0, -1.0, -3.0))] * 2, r"line 2: the item '0' is answered twice"),
    "positive": ([lm_eval(0, (2.0, -1.0, -3.0))], r"line 1 is no record .*positive or no number"),
    "nan": ([lm_eval(0, (math.nan, -1.0, -3.0))], r"line 1 is no record .*positive or no number"),
    "a word": (
        [lm_eval(0, (-1.0,) * 3, filtered_resps=[["x", "y"]] * 3)],
        r"line 1 .*filtered_resps holds \['x', 'y'\]",
    ),
    "fewer": ([lm_eval(0, (-1.0,) * 3, filtered_resps=[["-1", "y"]] * 2)], "2 log-likelihoods for 3 options"),
    "none": ([lm_eval(0, (), filtered_resps=[])], "line 1 .*filtered_resps is an empty list"),
    "kinds": ([lm_eval(0, (-1.0,) * 3), lm_eval_text(1, "B")], r"of 2 kinds \(likelihood, text\)"),
    "several": ([every_eval_ever(0, "A", output={"raw": ["A", "B"]})], "holds 2 answers"),
    "no answer": ([every_eval_ever(0, "A", output=None)], "holds no answer"),
    "a list": ([lm_eval(0, (-1.0,) * 3), [1]], r"line 2 is .* and no record"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_log_that_is_wrong_is_named_by_its_line(tmp_path: Path, engine: Engine, bad: str) -> None:
    rows, said = BAD[bad]
    with pytest.raises(ModelLoadError, match=said):
        engine.model(f"answers:{lines(tmp_path / 'samples.jsonl', rows)}")


def test_files_that_are_no_logs(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    for content, said in (("[1]", "no record"), ("{}", "no log with samples"), ("{", "no JSON")):
        path.write_text(content)
        with pytest.raises(ModelLoadError, match=said):
            engine.model(f"answers:{path}")
    broken = tmp_path / "x.eval"
    broken.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ModelLoadError, match="is damaged"):
        engine.model(f"answers:{broken}")
    monkeypatch.setenv("BIASCORE_MAX_FILE_MB", "1")
    for form in ("deflate", "zstandard"):
        for samples in ([inspect(0, "x" * 3_000_000)], [inspect(i, "x" * 900_000) for i in range(3)]):
            archive(broken, samples, form)
            with pytest.raises(ModelLoadError, match="unpacks to more than 1 MB"):
                engine.model(f"answers:{broken}")


def test_an_archive_that_cannot_be_unpacked_here_names_what_to_install(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path / "x.eval", [inspect(0, "ANSWER: A")], "zstandard")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"inspect log convert.*pip install .*inspect"):
        engine.model(f"answers:{path}")


def test_options_of_two_kinds_are_refused(tmp_path: Path, engine: Engine) -> None:
    path = lines(tmp_path / "samples.jsonl", [lm_eval(0, (-2.0, -1.0, -3.0))])
    with pytest.raises(OptionsError, match=r"'item' are of questions with options.*Leave out"):
        engine.model(f"answers:{path}", item=["doc_id"], unit="nats")
    with pytest.raises(OptionsError, match="option text is of sentences"):
        engine.model(f"answers:{path}", text="doc")


def test_json_lines_that_are_no_log_stay_a_table(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps({"sentence": "He is.", "joy": 0.5}) + "\n")
    assert engine.model(f"answers:{path}").score(["He is."], "joy") == [0.5]
