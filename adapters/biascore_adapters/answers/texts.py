"""The texts that one record of a harness's log holds, with the prompt that they were written to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from biascore.api.support import quoted
from biascore.api.writing import Finish
from biascore_adapters.answers.records import asked_in, field_of, texts_of

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
}
"""Of Inspect."""


class Put(NamedTuple):
    """A prompt as it was put; ``system`` is None where nothing says whether there was a system prompt."""

    text: str
    system: str | None


class Text(NamedTuple):
    """A text, why it ends, and the number of the sample that it is."""

    said: str
    finish: Finish = "unknown"
    sample: int = 0


def put_of(prompt: object) -> Put:
    """One message of a user, after a system prompt if there is one; raises ValueError for several turns."""
    if isinstance(prompt, str) and prompt.startswith("[{"):  # messages, written as JSON
        with suppress(ValueError):
            prompt = json.loads(prompt)
    if isinstance(prompt, str):
        return Put(prompt, None)
    if not isinstance(prompt, list) or not all(isinstance(one, dict) for one in prompt):
        raise ValueError(f"its prompt is {quoted(str(prompt))}, and a text or messages are read")
    said: dict[str, list[str]] = {"system": [], "user": []}
    for one in prompt:
        said.setdefault(str(one.get("role")), []).append(_content(one.get("content")))
    if len(said["user"]) != 1 or any(said.keys() - {"system", "user"}) or len(said["system"]) > 1:
        raise ValueError(
            f"its prompt has {len(prompt)} messages, and one of a user, after a system's, is read"
        )
    return Put(said["user"][0], next(iter(said["system"]), ""))


def _content(content: object) -> str:
    """Of a message: its text, or those of its parts, without thoughts, which are parts of another type."""
    if isinstance(content, list):
        parts = [one for one in content if isinstance(one, dict) and one.get("type") == "text"]
        return "".join(texts_of([one.get("text") for one in parts], "a message"))
    if not isinstance(content, str):
        raise ValueError(f"a message is {quoted(str(content))}, and a text is read")
    return content


def _lm_eval(row: Mapping[str, Any]) -> tuple[object, list[Text]]:
    """All ``resps`` of the one request; a filter may keep a part of them, or of their text."""
    asked = asked_in(row)
    given = field_of(row, "resps", list)
    if len(asked) > 1 or len(given) != 1:
        raise ValueError(
            f"it has {len(asked)} requests and {len(given)} resps, and one with its texts is read"
        )
    some = given[0] if isinstance(given[0], list) else given
    return asked[0][0], _numbered(texts_of(some, "resps"))


def _inspect(sample: Mapping[str, Any]) -> tuple[object, list[Text]]:
    """Every choice of the output; epochs count from 1."""
    asked = field_of(sample, "input", str, list)
    output = field_of(sample, "output", dict, type(None)) or {}
    choices = field_of(output, "choices", list, type(None), within="output.") or []
    if field_of(sample, "error", dict, str, type(None)):
        return asked, []
    epoch = field_of(sample, "epoch", int, type(None)) or 1
    found = []
    for place, one in enumerate(choices):
        message = field_of(one, "message", dict, within="output.choices.") if isinstance(one, dict) else {}
        stopped = str(one.get("stop_reason")) if isinstance(one, dict) else ""
        said, finish = _content(message.get("content")), _FINISHES.get(stopped, "unknown")
        found.append(Text(said, finish, (epoch - 1) * len(choices) + place))
    return asked, found


def _every_eval_ever(row: Mapping[str, Any]) -> tuple[object, list[Text]]:
    asked = field_of(row, "input", dict)
    prompt = field_of(asked, "formatted", str, list, type(None), within="input.")
    prompt = prompt or field_of(asked, "raw", str, list, type(None), within="input.")
    if not prompt:
        raise ValueError(
            "its input has neither formatted nor raw, and without a prompt nobody knows what was asked"
        )
    output = field_of(row, "output", dict, type(None)) or {}
    given = field_of(output, "raw", list, str, type(None), within="output.") or []
    return prompt, _numbered((given,) if isinstance(given, str) else texts_of(given, "output.raw"))


def _numbered(texts: Sequence[str]) -> list[Text]:
    return [Text(said, sample=sample) for sample, said in enumerate(texts)]


READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[object, list[Text]]]]] = {
    "lm-evaluation-harness": _lm_eval,
    "Inspect": _inspect,
    "Every Eval Ever": _every_eval_ever,
}
"""By harness, what gives the prompt of a record and its texts; raises ValueError where there are none to read."""
