"""What one record of a harness's log answers; the type of every field that is read is checked, and none is guessed."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from biascore.api.support import quoted

_KINDS: Final[Mapping[type, str]] = {
    str: "a text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_MISSING: Final = object()
_LISTED: Final = re.compile(r"^\s*[(\[]?([A-Za-z]|\d{1,2})[)\].:]\s+(\S.*?)\s*$", re.MULTILINE)
_MOST_LISTED: Final = 26
_DEEPEST: Final = 3
"""A prompt is a list of messages, each of parts."""
_GENERATED: Final = re.compile(r"(?:gen_args_)?(\d+)")


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to an item: log-probabilities of its options, or what was said. ``prompt``: a hash of what was
    asked. ``failed``: the model gave no answer. ``letters``: the log-probabilities are those of the options' letters.
    ``listed``: lines of the prompt that list something by letter or number, such as the options."""

    item: str
    options: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    said: str = ""
    declined: bool = False
    failed: bool = False
    letters: bool = False
    prompt: str = ""
    listed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """How the records of a harness are read: where its item is, what a record answers, and which version wrote it."""

    harness: str
    item: str
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    version: Callable[[Mapping[str, Any]], str] = lambda _row: ""

    def told(self, row: Mapping[str, Any]) -> str:
        """The harness with its version, as far as the record tells it."""
        return " ".join(filter(None, (self.harness, self.version(row))))


def field_of(record: Mapping[str, Any], name: str, *kinds: type, within: str = "") -> Any:
    """A field of one of these types, None also where it lacks if ``NoneType`` is one; raises ValueError for another."""
    value = record.get(name, _MISSING)
    shown = f"{within}{name}"
    if value is _MISSING and type(None) in kinds:
        return None
    if value is _MISSING:
        raise ValueError(f"it has no {shown}")
    if type(value) not in kinds:
        wanted = " or ".join(dict.fromkeys(_KINDS[kind] for kind in kinds))
        raise ValueError(
            f"{shown} is {_KINDS.get(type(value), 'something else')}, {quoted(value)}, and {wanted} is read"
        )
    return value


def texts_of(values: Sequence[Any], shown: str) -> tuple[str, ...]:
    """Values that are all texts; raises ValueError for another."""
    for value in values:
        if not isinstance(value, str):
            raise ValueError(
                f"{shown} holds {_KINDS.get(type(value), 'something else')}, {quoted(value)}, and texts are read"
            )
    return tuple(values)


def _lm_eval(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """``filtered_resps`` holds ``[log-likelihood, greedy]`` of each option, or the text that was generated; in lmms-eval
    it is the text."""
    given, asked = field_of(row, "filtered_resps", list, str), asked_in(row)
    hashed = field_of(row, "prompt_hash", str, type(None))
    prompt = {"prompt": hashed or _hash(asked[0][0])}
    given = [given] if isinstance(given, str) else given
    if not given:
        raise ValueError("filtered_resps is an empty list, and an answer is read")
    if all(isinstance(one, list) and len(one) == 1 for one in given):
        given = [one for some in given for one in some]
    if any(isinstance(one, str) for one in given):
        said = texts_of(given, "filtered_resps")
        if len(said) > 1:
            raise ValueError(
                f"filtered_resps holds {len(said)} texts, {quoted(said[0])} first, and one an item is read"
            )
        if len(asked) > 1:
            raise ValueError(
                f"filtered_resps is a text, {quoted(said[0])}, and arguments has {len(asked)} options"
            )
        return {"said": said[0], "listed": _listed(asked[0][0]), **prompt}
    values = [_likelihood(one) for one in given]
    if len(values) != len(asked):
        raise ValueError(
            f"filtered_resps holds {len(values)} log-likelihoods for {len(asked)} options in arguments"
        )
    # Those of an empty prompt are the second half of its "mutual information".
    kept = [(pair, one) for pair, one in zip(asked, values, strict=True) if pair[0] or not asked[0][0]]
    options = texts_of([pair[1] for pair, _ in kept], "arguments")
    return {"options": tuple(map(str.strip, options)), "logprobs": tuple(one for _, one in kept), **prompt}


def asked_in(row: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The prompt and what follows it, an option or how to generate, of each request, in their order."""
    asked = field_of(row, "arguments", list, dict)
    if isinstance(asked, dict):
        numbered = {name: _GENERATED.fullmatch(name) for name in asked}
        odd = next((name for name, number in numbered.items() if number is None), None)
        if odd is not None:
            raise ValueError(f"arguments has {quoted(odd)}, and gen_args_0, gen_args_1 and so on are read")
        ordered = sorted(asked, key=lambda name: int(numbered[name][1]))  # type: ignore[index]
        pairs = []
        for name in ordered:
            one = field_of(asked, name, dict, within="arguments.")
            within = f"arguments.{name}."
            first = field_of(one, "arg_0", str, list, within=within)
            pairs.append((first, field_of(one, "arg_1", str, dict, type(None), within=within)))
    else:
        for one in asked:
            if not isinstance(one, list) or not one or not isinstance(one[0], str | list):
                raise ValueError(
                    f"arguments holds {quoted(one)}, and a list of a prompt and an option is read"
                )
        pairs = [(one[0], one[1] if len(one) > 1 else None) for one in asked]
    if not pairs:
        raise ValueError("arguments is empty, and a prompt is read")
    return pairs


def _likelihood(value: Any) -> float:
    """Of ``[log-likelihood, greedy]``, as numbers or, from 0.4.3 on, as texts."""
    if (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str | int | float)
        and not isinstance(value[0], bool)
    ):
        with suppress(OverflowError, ValueError):
            return float(value[0])
    raise ValueError(
        f"filtered_resps holds {quoted(value)}, and a text or [log-likelihood, whether it is greedy] is read"
    )


def _lm_eval_version(row: Mapping[str, Any]) -> str:
    return "0.4.0 to 0.4.2" if isinstance(row.get("arguments"), list) else "0.4.3 or later"


def _inspect(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """The completion; letters in it are those of ``choices``."""
    output = field_of(sample, "output", dict, type(None)) or {}
    answers = field_of(output, "choices", list, type(None), within="output.") or []
    for one in answers:
        if not isinstance(one, dict):
            raise ValueError(f"output.choices holds {quoted(one)}, and objects are read")
    stopped = [field_of(one, "stop_reason", str, type(None), within="output.choices.") for one in answers]
    options = field_of(sample, "choices", list, type(None)) or []
    asked = field_of(sample, "input", str, list)
    return {
        "options": texts_of(options, "choices"),
        "said": field_of(output, "completion", str, type(None), within="output.") or "",
        "declined": "content_filter" in stopped,
        "failed": bool(field_of(sample, "error", dict, str, type(None))) or not answers,
        "prompt": _hash(asked),
        "listed": () if options else _listed(asked),
    }


def _every_eval_ever(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only answer of an instance; before 0.2 it was a text and no list."""
    asked = field_of(row, "input", dict)
    output = field_of(row, "output", dict, type(None)) or {}
    given = field_of(output, "raw", list, str, type(None), within="output.")
    said = (given,) if isinstance(given, str) else texts_of(given or (), "output.raw")
    if len(said) > 1:
        raise ValueError(f"output.raw holds {len(said)} answers, and one an item is read")
    options = field_of(asked, "choices", list, type(None), within="input.") or []
    prompt = field_of(asked, "formatted", str, list, type(None), within="input.")
    prompt = prompt or field_of(asked, "raw", str, list, within="input.")
    return {
        "options": texts_of(options, "input.choices"),
        "said": said[0] if said else "",
        "failed": not said or bool(row.get("error")),
        "prompt": _hash(prompt),
        "listed": () if options else _listed(prompt),
    }


def _schema_version(row: Mapping[str, Any]) -> str:
    version = row.get("schema_version")
    return version if isinstance(version, str) else ""


def _listed(prompt: Any) -> tuple[tuple[str, str], ...]:
    """The last lines of a prompt that are listed by letter or number; of messages, those of all their texts."""
    found = [(one[1], one[2]) for text in _texts(prompt) for one in _LISTED.finditer(text)]
    return tuple(found[-_MOST_LISTED:])


def _texts(prompt: Any, within: int = 0) -> Iterator[str]:
    if isinstance(prompt, str) and prompt.startswith("[{"):  # messages, written as JSON
        with suppress(ValueError):
            prompt = json.loads(prompt)
    if isinstance(prompt, str):
        yield prompt
    for one in prompt if isinstance(prompt, list) and within < _DEEPEST else ():
        yield from _texts(one.get("content") or one.get("text") if isinstance(one, dict) else one, within + 1)


def _read(
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]], row: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What a record answers; raises ValueError where a log-likelihood is none."""
    found = read(row)
    values: Sequence[float] = found.get("logprobs", ())
    if any(not value <= 1e-6 or math.isinf(value) for value in values):
        raise ValueError(f"filtered_resps holds a log-likelihood that is positive or no number: {values}")
    return found


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


LM_EVAL: Final = Log("lm-evaluation-harness", "doc_id", partial(_read, _lm_eval), _lm_eval_version)
EVERY_EVAL_EVER: Final = Log(
    "Every Eval Ever", "sample_id", partial(_read, _every_eval_ever), _schema_version
)
_BY_KEY: Final = {"filtered_resps": LM_EVAL, "answer_attribution": EVERY_EVAL_EVER}
"""Logs of records, by a field that no other has."""


def inspect(version: str) -> Log:
    """Logs of Inspect, as this version wrote them."""
    return Log("Inspect", "id", partial(_read, _inspect), lambda _row: version)


def log_of(record: Mapping[str, Any]) -> Log | None:
    """The log that a record is of, by its fields; None of none that is known here."""
    return next((log for key, log in _BY_KEY.items() if key in record), None)
