"""What an answer in words chooses of the options of a question, by rules that need no judgement."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from biascore.models.questions.other_language import other_language, refuses
from biascore.models.questions.questions import Choice, Outcome
from biascore.models.questions.reasoning import answer_in, before_next_turn

LETTERS: Final = ascii_uppercase
"""By which options are listed: A, B, C, ..."""
_QUOTES: Final = "\"'“”‘’«» \t\r\n"
_EMPHASIS: Final = re.compile(r"\*+|`+|\$|^#+\s*|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)", re.MULTILINE)
_BULLET: Final = re.compile(r"\A(?:[-–—•→]|[-=]>)\s+")
_BOXED: Final = re.compile(r"\\f?box(?:ed)?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEX: Final = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_KEYS: Final = re.compile(
    r"(?:(?:final|correct|selected)_?)?(?:answer|option|choice)s?|answer_choice|selected|selection|chosen|letter|label|"
    r"prediction|response"
)
"""Under which an object of JSON has an answer."""
_MOST_OBJECTS: Final = 100
_OPENING_BRACKETS: Final = r"[(\[（【「]{0,2}"
_VERB: Final = (
    r"[\"']?(?:\s+(?:is|are|would\s+be|should\s+be|must\s+be|es|est|ist|è|é|jest|is\s+dus))?\s*[:=：-]*\s*"
)
_ANSWER: Final = re.compile(
    rf"(?:\b(?:answer|respuesta|réponse|antwort|risposta|resposta|antwoord|odpowiedź|ответ|cevap|yanıt|svar|odpověď|"
    rf"odpoveď|odgovor)\b{_VERB}|(?:答案|正解|答え|정답|답|选择|选)(?:是|は|은|는)?\s*[:：]?\s*|"
    r"(?<!not )\b(?:choose|pick|select|go with|opt for)\s+)(?:(?:option|choice|letter)\s+)?",
    re.IGNORECASE,
)
_OPTION: Final = re.compile(rf"\b(?:option|choice)\b{_VERB}", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?]\s|\n")
_NEGATION: Final = re.compile(
    r"\b(?:not|nor|neither|never|except|rather|wrong|unlike|besides|instead|(?:any|every)(?:thing|one)?\s+but)\b|n['’]t\b",
    re.IGNORECASE,
)
_NEGATION_AFTER: Final = re.compile(r"\s*(?:\w+\s+)?(?:not|never)\b|\s*\w+n['’]t\b")
"""Behind an option: it is said not to be the answer."""
_AFTER_LABEL: Final = (
    r"(?=[)\].:,;!/。，、：；！）】」]|[\"'’”}](?!\w)|\s*$|\s*\n|\s+[-–—=]|\s+\([^()]{3,}\)\W*(?:$|\n)|\s+(?:or|and|because|since)\b|"
    r"\s+is\b(?!\s+(?:not|wrong|incorrect|false)\b))"
)
"""What follows a label at the start of an answer; "A man" is none."""
_CHARACTERS_AFTER: Final = 1000
"""Characters behind a word such as "answer is" in which an option stands."""
_BETWEEN_LABELS: Final = (
    r"(?:[\s(]*(?:,|/|&|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b)|"
    r"[ \t]*\n[ \t]*(?:[-–—•][ \t]+)?(?=[(\[]?\w{1,2}[)\].]*[ \t]*(?:\n|\Z)))+\s*"
    r"(?:(?:maybe|perhaps|possibly|even|also|both)\s+)*"
)
_HALF_WIDTH: Final = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}
"""Full-width letters and marks as the others."""


class Read(NamedTuple):
    """Which option was chosen, or none and why, in a few words."""

    chosen: int | None
    outcome: Outcome
    why: str = ""


class _Options(NamedTuple):
    """Options as an answer is compared with them: their texts, and the place that each label represents.

    ``denied``: the question itself denies something, so that an answer may, too.
    """

    texts: tuple[str, ...]
    places: dict[str, int]
    denied: bool

    @property
    def label(self) -> str:
        """A pattern of any label."""
        return rf"(?:{'|'.join(map(re.escape, sorted(self.places, key=len, reverse=True)))})"


def read(question: Choice, said: str, order: Sequence[int], labels: Sequence[str]) -> Read:
    """What was chosen: see `by_text`."""
    about = "\n".join((question.prompt, *question.options, question.instruction)).translate(_HALF_WIDTH)
    text, problem = answer_in(said.translate(_HALF_WIDTH), about)
    if problem:
        return Read(None, "unreadable", problem)
    whole = _normalized(text)
    options = _Options(
        tuple(map(_normalized, question.options)),
        dict(zip(labels, order, strict=False)),
        bool(_NEGATION.search(question.prompt)),
    )
    if not whole:
        return Read(None, "unreadable", "it is empty")
    if whole in options.texts:
        return Read(options.texts.index(whole), "chosen")
    text = before_next_turn(_without_markup(text))
    start, stated = _at_start(text, options), _named_options(text, options, _ANSWER)
    if start and stated and len(start) == 1 and start != stated:
        return Read(None, "undetermined", "it begins with one option and answers with another")
    found = stated or start
    if not found and refuses(_ANSWER.sub("", text, count=1) if _ANSWER.match(text) else text):
        return Read(None, "refused")
    found = found or _named_options(text, options, _OPTION) or _at_end(text, options)
    if found:
        one = next(iter(found)) if len(found) == 1 else None
        return Read(one, "undetermined", "it names several options") if one is None else Read(one, "chosen")
    if any(_named(text, option) for option in options.texts):
        return Read(None, "undetermined", "it names an option, and does not say that it is the answer")
    other = other_language(text, about)
    return Read(None, "unreadable", f"it is in another language ({other})" if other else "it names no option")


def _named_options(text: str, options: _Options, where: re.Pattern[str]) -> set[int]:
    """The options that are named right behind a word such as "answer is"."""
    after = (
        _at_start(text[one.end() : one.end() + _CHARACTERS_AFTER].lstrip(_QUOTES), options)
        for one in where.finditer(text)
    )
    return {place for some in after for place in some}


def _at_end(text: str, options: _Options) -> set[int]:
    """The option whose label a text ends with, if it is the only one in it, and nothing is denied: "therefore, C"."""
    alone = rf"(?<![\w'’])({options.label})(?![\w'’])"
    there, last = {*re.findall(alone, text)}, re.search(rf"(?:[:,=]|\b\w+)\s+[(\[]?{alone}[)\].!]*\s*$", text)
    if (
        last is None
        or len(there) > 1
        or _NEGATION.search(text)
        or any(_named(text, one) for one in options.texts)
    ):
        return set()
    return {options.places[last[1]]}


def _at_start(text: str, options: _Options) -> set[int]:
    """The options that a text begins with: those of its labels, or those of its first sentence, if that is no question."""
    named, rest = _labels(text, options)
    if named == {next(iter(options.places.values()))} and len(listed := _listed(text, options)) > 1:
        return listed
    low = rest.lstrip(_QUOTES + "([-–—:").casefold()
    starts = [
        (i, found) for i, option in enumerate(options.texts) if (found := _named(low, option, begins=True))
    ]
    if not starts:
        return named
    longest, found = max(starts, key=lambda one: one[1].end())
    rest = low[found.end() :]
    if _NEGATION_AFTER.match(rest) and not options.denied:
        return named
    if named:
        return {*named, longest}
    if rest.lstrip(_QUOTES).startswith("?"):
        return set()
    first = _SENTENCE.split(rest, maxsplit=1)[0]
    return {longest} | {i for i, option in enumerate(options.texts) if _named(first, option)}


def _listed(text: str, options: _Options) -> set[int]:
    """The options that are in a text after their labels, as in a list of them all."""
    low = text.casefold()
    return {
        place
        for label, place in options.places.items()
        if all(word in low for word in options.texts[place].split())
        and re.search(
            rf"(?<!\w){re.escape(label.casefold())}[)\].:]\s*{_any_spaces(options.texts[place])}(?!\w)", low
        )
    }


def _labels(text: str, options: _Options) -> tuple[set[int], str]:
    """The options whose labels a text begins with, one or a list of several, and what follows."""
    label = options.label
    first = re.match(rf"{_OPENING_BRACKETS}({label}){_AFTER_LABEL}", text)
    if not first and set(options.places) <= set(LETTERS):  # a small letter may be a word
        small = rf"(?:{_OPENING_BRACKETS}(?={label}[)\]）】」])|(?={label}\s*$))({label})"
        first = re.match(small, text, re.IGNORECASE)
    if not first:
        return set(), text
    own = first[1] if first[1] in options.places else first[1].upper()
    named, at = {options.places[own]}, first.end(1)
    also = re.compile(rf"[)\]）】」]*{_BETWEEN_LABELS}{_OPENING_BRACKETS}({label})(?![\w’'])")
    while more := also.match(text, at):
        named.add(options.places[more[1]])
        at = more.end()
    return named, text[at:].lstrip(").:,;!]。，、：；！）】」 \t\r\n")


def _without_markup(text: str) -> str:
    """Without marks of type, and with what is boxed, or under a key of JSON, behind the word answer."""
    text = _BOXED.sub(lambda one: f"\nAnswer: {_TEX.sub(lambda inner: inner[1], one[1])}\n", text)
    for whole, value in _objects(text):
        answers = "".join(f"\nAnswer: {one}\n" for one in _values(value))
        text = text.replace(whole, answers)
    return _BULLET.sub("", _EMPHASIS.sub("", text).strip(_QUOTES))


def _objects(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of JSON in a text, and how they stand there."""
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return
        try:
            value, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end], value
        at = text.find("{", end)


def _values(value: dict[str, Any]) -> Iterator[str]:
    """What stands under the keys of an answer."""
    for key, one in value.items():
        if not _KEYS.fullmatch(key.strip().casefold().replace(" ", "_")):
            continue
        for part in one if isinstance(one, list) else [one]:
            if isinstance(part, dict):
                yield from _values(part)
            elif isinstance(part, str | int) and not isinstance(part, bool):
                yield str(part)


def _named(text: str, option: str, *, begins: bool = False) -> re.Match[str] | None:
    text = text if begins else text.casefold()
    if not all(word in text for word in option.split()):
        return None  # of most options, and to compile a pattern takes longer than all else
    pattern = _as_words(option)
    return pattern.match(text) if begins else pattern.search(text)


@lru_cache(maxsize=4096)
def _as_words(option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_any_spaces(option)}(?!\w)")


def _any_spaces(option: str) -> str:
    return r"\s+".join(map(re.escape, option.split()))


def _normalized(text: str) -> str:
    """Without case, marks of type, white space and marks around it."""
    text = text.translate(_HALF_WIDTH)
    return " ".join(_EMPHASIS.sub("", text).strip(_QUOTES + ".!?,;:()").casefold().split())
