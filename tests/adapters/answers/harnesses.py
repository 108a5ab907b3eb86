"""Logs as other harnesses write them, of answers that are made up here."""

from __future__ import annotations

import importlib
import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ITEM = {"category": "Age", "context": "A grandfather and a boy met.", "question": "Who was late?"}
OPTIONS = ("the grandfather", "the boy", "not known")


def lm_eval(number: int, logliks: Sequence[float], options: Sequence[str] = OPTIONS, **more: Any) -> Any:
    """A row of log-likelihoods."""
    prompt = f"{ITEM['context']} {ITEM['question']}"
    return {
        "doc_id": number,
        "doc": {**ITEM, "example_id": number, **{f"ans{i}": text for i, text in enumerate(OPTIONS)}},
        "arguments": {
            f"gen_args_{i}": {"arg_0": prompt, "arg_1": f" {text}"} for i, text in enumerate(options)
        },
        "resps": [[[str(value), "False"]] for value in logliks],
        "filtered_resps": [[str(value), "False"] for value in logliks],
        "filter": "none",
        "prompt_hash": f"hash {number}",
        **more,
    }


def lm_eval_text(number: int, said: str) -> Any:
    """A row of generated text."""
    asked = {"gen_args_0": {"arg_0": ITEM["context"], "arg_1": {"until": ["."]}}}
    return {**lm_eval(number, ()), "arguments": asked, "resps": [[said]], "filtered_resps": [said]}


def inspect(number: int, said: str, **more: Any) -> Any:
    """A sample of an Inspect log."""
    message = {"message": {"content": said, "role": "assistant"}, "stop_reason": "stop"}
    return {
        "id": f"Age/{number}",
        "epoch": 1,
        "input": f"{ITEM['context']} {ITEM['question']}",
        "choices": list(OPTIONS),
        "target": "C",
        "output": {"model": "m", "choices": [message], "completion": said},
        "metadata": {"category": "Age"},
        **more,
    }


def every_eval_ever(number: int, said: str, **more: Any) -> Any:
    """An instance of Every Eval Ever."""
    return {
        "schema_version": "0.3.0",
        "sample_id": f"Age/{number}",
        "input": {"raw": ITEM["question"], "reference": ["not known"], "choices": list(OPTIONS)},
        "output": {"raw": [said]},
        "answer_attribution": [{"turn_idx": 0, "extracted_value": said}],
        "evaluation": {"score": 0.0, "is_correct": False},
        **more,
    }


def lines(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def log(path: Path, samples: Sequence[Any]) -> Path:
    """An Inspect log in one JSON file."""
    path.write_text(json.dumps({"version": 2, "status": "success", "samples": samples}), encoding="utf-8")
    return path


def archive(path: Path, samples: Iterable[Any], form: str = "deflate", header: Any = None) -> Path:
    """An Inspect log as an archive, with the compression of any zip file or its own, which zipfile cannot write."""
    plain = form == "zstandard"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if plain else zipfile.ZIP_DEFLATED) as out:
        if header is not None:
            out.writestr("header.json", json.dumps(header))
        for sample in samples:
            text = json.dumps(sample).encode()
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            out.writestr(name, importlib.import_module("zstandard").compress(text) if plain else text)
    if plain:
        raw = bytearray(path.read_bytes())
        for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            start = raw.find(mark)
            while start >= 0:
                raw[start + at] = 93
                start = raw.find(mark, start + 1)
        path.write_bytes(raw)
    return path
