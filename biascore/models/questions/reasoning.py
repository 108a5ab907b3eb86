"""What a model thinks aloud before it answers, in the formats of the families of models that do, is not its answer."""

from __future__ import annotations

import re
from html import unescape
from typing import Final, NamedTuple

_NAMES: Final = (
    "think|thinking|thoughts?|thinking_process|reason|reasoning|reflection|analysis|scratchpad|inner_monologue|"
    "seed:think|mm:think|longcat_think|antml:thinking"
)
_PAIRS: Final = (
    (rf"<(?P<tag>{_NAMES})>", rf"</(?:{_NAMES})>"),
    (r"<ifm\|think\w*>", r"</ifm\|think\w*>"),
    (rf"<\|(?:{_NAMES})\|>", rf"<\|/(?:{_NAMES})\|>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"◁think▷", r"◁/think▷"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<unused94>", r"<unused95>"),
    (r"\[unused16\]", r"\[unused17\]"),
    (r"<\|channel>", r"<channel\|>"),
    (r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    (r"<\|channel\|>(?:analysis|commentary)", r"<\|channel\|>final[^<]*(?:<\|constrain\|>\w+)?<\|message\|>"),
    (r"\A\s*(?-i:analysis|commentary)(?=[A-Z\s])", r"(?-i:assistant\s*final)"),
    (r"\A\s*here(?:'s|’s| is) my thought process:", r"here(?:'s|’s| is) my response:"),
    (r"\A\s*Thinking\.\.\.(?=\s)", r"\.\.\.done thinking\."),
    (r"\A\s*/think\n", r"<\|im_end\|>\s*<\|im_start\|>assistant"),
)
"""What opens thoughts and what closes them: of DeepSeek, Qwen and most others; K2; Reka; Magistral; Kimi; OpenThoughts;
Command; Apertus; MedGemma; Pangu; Gemma; Kimi K3; gpt-oss, with its marks and without; Granite; Ollama; HyperCLOVA."""
_OPENS: Final = re.compile("|".join(f"(?:{opens})" for opens, _ in _PAIRS), re.IGNORECASE)
_CLOSES: Final = re.compile("|".join(f"(?:{closes})" for _, closes in _PAIRS), re.IGNORECASE)
_ANSWERS: Final = re.compile(
    r"<(?:final_?)?(?:answer|response|solution|output)>|<final>|<\|begin_of_solution\|>|<\|START_(?:RESPONSE|TEXT)\|>|"
    r"<\|open\|>response<\|sep\|>|<\|channel\|>final[^<]*(?:<\|constrain\|>\w+)?<\|message\|>|\A\s*(?-i:final)(?=[A-Z(\\])",
    re.IGNORECASE,
)
_TURNS: Final = re.compile(
    r"</(?:final_?)?(?:answer|response|solution|output)>|</final>|<\|end_of_solution\|>|<\|END_(?:RESPONSE|TEXT)\|>|"
    r"<\|close\|>response<\|sep\|>|"
    r"</?s>|<(?:bos|eos|pad|end_of_turn|start_of_turn|turn\|)>|<\|(?:im_start\|>assistant|im_end\|>|end\|>|return\|>|"
    r"start\|>assistant|eot_id\|>|eom\|>|eot\|>|end_?of_?text\|>|end_?of_?turn\|>)|<｜[^｜]*｜>",
    re.IGNORECASE,
)
"""What closes an answer, or ends a turn."""
_ENDS: Final = re.compile(
    rf"{_TURNS.pattern}|</?(?:b|i|u|p|br|em|strong|code|pre|span|div|center|h[1-6]|ul|ol|li)\s*/?>",
    re.IGNORECASE,
)
"""These, and what sets type."""
_NEXT_TURN: Final = re.compile(
    r"(?<!\A)^[ \t]*(?:question|q|context|passage|user|human)[ \t]*\d*[ \t]*:", re.IGNORECASE | re.MULTILINE
)
"""Where a model goes on with another question, which is not the one that it was asked."""
_MARK: Final = re.compile(
    r"<{1,2}\|?(?P<slash>/?)[^\W\d][\w:.|-]{0,40}\|?>{1,2}|\[{1,2}(?P<other>/?)[A-Z][A-Z_]{2,40}\]{1,2}|◁(?P<third>/?)\w+▷"
)
_WORDS: Final = re.compile(
    r"think|thought|reason|reflect|analy|ponder|deliberat|monologue|scratch|cot\b|plan\b", re.IGNORECASE
)


_PARTS: Final = re.compile(
    r"<\|(?:channel|message|start|end|constrain|open|close|sep|im_start)\|>|<\|channel>|<channel\|>",
    re.IGNORECASE,
)
_LED_IN: Final = re.compile(r"\s*(?:thought)?\s*(?:<\|message\|>)?\s*")


class Answer(NamedTuple):
    """What is said after all thoughts; ``problem``: why nothing is, in a few words, or ""."""

    text: str
    problem: str = ""


def without_reasoning(said: str) -> Answer:
    """What stands behind the last mark that closes thoughts; nothing where they are opened and not closed."""
    text = unescape(said) if "&lt;" in said else said
    closed = max((one.end() for one in _CLOSES.finditer(text)), default=0)
    rest = text[closed:]
    opened = next(_OPENS.finditer(text, closed), None) if closed else _OPENS.search(text)
    if opened:
        return Answer("", f"its thoughts do not end ({opened[0].strip()})")
    return Answer(rest)


def answer_in(said: str, about: str = "") -> Answer:
    """The answer in what a model said: what stands behind its thoughts.

    None where marks are left that are not known here, neither in the question, ``about``: thoughts may stand between them.
    Marks of the answer itself are written as "Answer:".
    """
    rest, problem = without_reasoning(said)
    if problem:
        return Answer("", problem)
    marked = _ANSWERS.search(rest)
    if marked:
        rest = _ANSWERS.sub("\nAnswer: ", rest[marked.start() :])
    closed = {*re.findall(r"</([A-Z])>", rest)}
    rest = re.sub(r"<([A-Z])>", lambda one: one[0] if one[1] in closed else f"({one[1]})", rest)
    rest = _ENDS.sub("\n", rest).strip()
    unknown = None if marked else _unknown(rest, about)
    return Answer("", f"marks that are not known ({unknown})") if unknown else Answer(rest)


def text_in(said: str, about: str = "", *, ended: bool = True) -> Answer:
    """A text that a model wrote for a reader: what stands behind its thoughts, as `answer_in` distinguishes them.

    Other marks are its own, as a letter's [DATE]; only those that speak of thoughts leave nothing. What ``ended`` by itself
    is whole; else the text ends where another question begins.
    """
    rest, problem = without_reasoning(said)
    if problem:
        return Answer("", problem)
    marked = _ANSWERS.search(rest)
    if marked:
        rest = _ANSWERS.sub("", rest[marked.start() :])
    rest = _TURNS.sub("\n", rest).strip()
    unknown = [one for one in _MARK.finditer(rest) if _WORDS.search(one[0]) and one[0] not in about]
    if not marked and any(_closes(one) or not rest[: one.start()].strip() for one in unknown):
        return Answer("", f"marks that are not known ({unknown[0][0]})")
    return Answer(rest if ended else before_next_turn(rest).strip())


def before_next_turn(text: str) -> str:
    """The part of an answer before the model goes on with another question."""
    return _NEXT_TURN.split(text, maxsplit=1)[0]


def _unknown(text: str, about: str) -> str | None:
    """The first mark between which, or behind which, thoughts may stand."""
    marks = [one for one in _MARK.finditer(text) if one[0] not in about]
    for place, one in enumerate(marks):
        if _closes(one) or (not place and not text[: one.start()].strip()) or _WORDS.search(one[0]):
            return one[0]
    return None


def _closes(mark: re.Match[str]) -> bool:
    return bool(mark["slash"] or mark["other"] or mark["third"])


def opened_by(prompt: str) -> str:
    """The mark by which a prompt that is put already opens thoughts at its end, with what follows it, or ""."""
    last = next(reversed([*_OPENS.finditer(prompt)]), None)
    return prompt[last.start() :] if last and _LED_IN.fullmatch(prompt, last.end()) else ""


def is_mark(token: str) -> bool:
    """Whether a special token is a mark of thoughts or of the answer behind them, or a part of one."""
    return any(of.search(token) for of in (_OPENS, _CLOSES, _ANSWERS, _PARTS, _WORDS))
