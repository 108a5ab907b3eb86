"""Which number a text gives: one, a range, several, none, or a refusal; nothing is imputed or averaged.

Numbers have a kind by what stands next to them: ``money``, ``counted`` (hours, points), ``bare``, ``percent``, ``year``
(bare, 1900 to 2099). Where the prompt asks for money or percent, these count, or else numbers without a unit. Where neither
it nor the caller asks for a kind, the first of these that the text has counts: years and percentages are no amounts where
there is a sum of money. Numbers of a list ("1."), ordinals, dates, times, and what describes ("three-year-old") never count.

Rule of the locale. The file of a language says which sign is decimal. A sign that stands twice, or before the other one, is
between thousands, and the last of two different signs is decimal. A single sign before exactly three digits is between
thousands if it is the language's sign for them, else decimal: "1,500" is 1500 in English and 1.5 in
German, where "1.500" is 1500.
Any single sign before another number of digits is decimal; spaces and apostrophes are between groups of three digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from biascore.basics.tags import canonical_tag
from biascore.errors import UnknownNameError
from biascore.languages.language import Language, shorter_tags
from biascore.models.questions.other_language import refuses
from biascore.readers.reading import Evidence, Reading
from biascore.readers.words import NumberWords, reader_words

ONE: Final = "one number"
RANGE: Final = "range"
SEVERAL: Final = "several"
NONE: Final = "none"
REFUSED: Final = "refused"
NUMBERS: Final = (ONE, RANGE, SEVERAL, NONE, REFUSED)
"""The outcomes: *refused* is a text that declines and has no number."""
Kind = Literal["money", "counted", "bare", "percent", "year"]
KINDS: Final[tuple[Kind, ...]] = ("money", "counted", "bare", "percent", "year")

_DIGITS: Final = re.compile(
    r"(?<![\w.,])(?<!\d[:/])(?:\.\d+|\d(?:\d*(?:[.,]\d+)+|\d{0,2}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d*))(?![\d])"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_NO_AMOUNT: Final = re.compile(
    r"^[ \t]*(?:[-*•]\s*)?\d{1,2}[.)](?=\s)|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[:h]\d{2}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b",
    re.MULTILINE,
)
_NEAR: Final = 40
"""How many characters before a number its sign of money, its minus and "between" are looked for."""
_SMALL: Final = 10
"""A number in words below it counts only with a unit, or alone: "one of them" is no amount."""


@dataclass(frozen=True, slots=True)
class NumberReading(Reading):
    """``values``: the number; the two ends of a range; several distinct numbers in reading order; else empty."""

    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Number:
    start: int
    end: int
    value: float
    kind: Kind = "bare"
    scale: float = 1.0
    """The one scale that it is written with: 1000 in 10k."""
    small: bool = False
    high: float | None = None

    @property
    def values(self) -> tuple[float, ...]:
        return (self.value,) if self.high is None else (self.value, self.high)


class NumberReader:
    """Reads texts of one language, or region of it (``es-MX``), as its file says."""

    outcomes: Final = NUMBERS

    def __init__(self, words: NumberWords, tag: str) -> None:
        self.words = words
        regions = {canonical_tag(region): sign for region, sign in words.regions.items()}
        self.decimal = next((regions[one] for one in shorter_tags(tag) if one in regions), words.decimal)
        before, after = _any(words.currencies), _any(words.currencies)
        self._money_before = re.compile(rf"(?:{before})\s?[-−]?\Z", re.IGNORECASE)
        self._after: list[tuple[Kind, re.Pattern[str]]] = [
            ("money", re.compile(rf"\.?[\s-]?(?:(?:{_any(words.of)})\s?)?(?:{after})", re.IGNORECASE)),
            ("percent", re.compile(rf"\s?(?:{_any(words.percent)})", re.IGNORECASE)),
            ("counted", re.compile(rf"[\s-]?(?:{_any(words.counted)})", re.IGNORECASE)),
        ]
        short = [one for one in words.scales if len(one) <= 2]
        long = [one for one in words.scales if len(one) > 2]
        self._scale = re.compile(rf"(?:(?:{_any(short)})|[\s-]?(?:{_any(long)}))", re.IGNORECASE)
        self._minus = re.compile(
            rf"(?:(?<![\w%)€$£])(?<![\d%)€$£]\s)[-−]|\b(?:{_any(words.minus)})\s)\Z", re.IGNORECASE
        )
        self._to = re.compile(rf"\s?(?:[-–—−]|{_any(words.ranges)})\s?", re.IGNORECASE)
        self._and = re.compile(rf"\s?(?:{_any(words.and_)})\s?", re.IGNORECASE)
        self._or = re.compile(rf"\s?(?:{_any(words.or_)})\s?", re.IGNORECASE)
        units: dict[Kind, Sequence[str]] = {"money": words.currencies, "percent": words.percent}
        self._named = {
            kind: re.compile(rf"(?<!\w)(?:{_any(some)})(?!\w)", re.IGNORECASE) for kind, some in units.items()
        }
        self._between = re.compile(rf"(?:{_any(words.between)})\W{{0,3}}(?:{before})?\s?\Z", re.IGNORECASE)

    def read(self, text: str, kind: Kind | None = None, *, prompt: str = "") -> NumberReading:
        """The number of a text, of one ``kind``, of that which its ``prompt`` asks for, or of the first that there is.

        Raises ValueError for another kind.
        """
        if kind is not None and kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; pass one of: {', '.join(KINDS)}, or None")
        asked = [one for one, pattern in self._named.items() if pattern.search(prompt)]
        kinds: Sequence[Kind] = (kind,) if kind else (*asked, "bare", "year") if len(asked) == 1 else KINDS
        found = self._joined(
            text, sorted([*self._digits(text), *self._in_words(text)], key=lambda one: one.start)
        )
        for wanted in kinds:
            chosen = [one for one in found if one.kind == wanted]
            if not chosen:
                continue
            evidence = tuple(
                Evidence(one.start, one.end, f"{one.kind} {RANGE if one.high is not None else 'number'}")
                for one in chosen
            )
            distinct = tuple(dict.fromkeys(one.values for one in chosen))
            if len(distinct) == 1:
                return NumberReading(RANGE if len(distinct[0]) == 2 else ONE, evidence, distinct[0])
            return NumberReading(
                SEVERAL, evidence, tuple(dict.fromkeys(value for values in distinct for value in values))
            )
        return NumberReading(REFUSED if refuses(text) else NONE)

    def _digits(self, text: str) -> Iterator[_Number]:
        never = [match.span() for match in _NO_AMOUNT.finditer(text)]
        for match in _DIGITS.finditer(text):
            start, end = match.span()
            if any(start < last and end > first for first, last in never):
                continue
            value = self._value(match.group())
            scale = self._scale.match(text, end)
            factor = 1.0
            if scale is not None and not text[scale.end() : scale.end() + 1].isalpha():
                factor = self.words.scales[scale.group().strip(" -\u00a0\u202f").lower()]
                end = scale.end()
            elif text[end : end + 1].isalpha() and not self._unit(text, end):
                continue  # an ordinal, or a name such as 3D
            if math.isfinite(value * factor):
                number = self._with_unit(text, _Number(start, end, round(value * factor, 9), scale=factor))
                if not _describes(text, number, end):
                    yield number

    def _value(self, written: str) -> float:
        digits = re.sub(r"[ \u00a0\u202f'’]", "", written)
        signs = [sign for sign in digits if sign in ".,"]
        if not signs:
            return float(digits)
        last = digits.rindex(signs[-1])
        several = len(signs) > 1 and len(set(signs)) == 1
        grouped = (
            len(digits) - last - 1 == 3
            and signs[-1] != self.decimal
            and len(set(signs)) == 1
            and digits[0] != "0"
        )
        if several or grouped:
            return float(re.sub("[.,]", "", digits))
        return float(re.sub("[.,]", "", digits[:last]) + "." + digits[last + 1 :])

    def _in_words(self, text: str) -> Iterator[_Number]:
        """Numbers in words: *fifteen hundred*, *two thousand and fifty*."""
        units, scales, joins = self.words.units, self.words.scales, self.words.joins
        words = [(match.group().lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
        at = 0
        while at < len(words):
            total, current, last, end = 0.0, 0.0, 0.0, at
            while end < len(words) and (
                end == at or re.fullmatch(r"[\s-]+", text[words[end - 1][2] : words[end][1]])
            ):
                word = words[end][0]
                following = words[end + 1][0] if end + 1 < len(words) else ""
                if word in units and (not last or (last >= 20 and last > units[word])):
                    current, last = current + units[word], units[word]
                elif word in scales and len(word) > 2 and end > at:
                    factor = scales[word]
                    if factor == 100:
                        current, last = (current or 1) * factor, factor
                    else:
                        total, current, last = total + (current or 1) * factor, 0.0, factor
                elif not (end > at and last >= 100 and word in joins and following in units) and not (
                    end == at and word in ("a", "an") and following in scales and len(following) > 2
                ):
                    break
                end += 1
            if end > at:
                start, stop, value = words[at][1], words[end - 1][2], total + current
                factor = scales.get(words[end - 1][0], 1.0) if end - at == 2 else 1.0
                alone = not re.search(r"\w", text[:start] + text[stop:])
                number = _Number(start, stop, value, scale=factor, small=value < _SMALL and not alone)
                number = self._with_unit(text, number)
                if not _describes(text, number, stop):
                    yield number
            at = max(end, at + 1)

    def _unit(self, text: str, end: int) -> tuple[Kind, int] | None:
        for kind, pattern in self._after:
            match = pattern.match(text, end)
            if match is None:
                continue
            last, following = match.group()[-1], text[match.end() : match.end() + 2]
            if not (
                following[:1].isalpha()
                if last.isalpha()
                else last not in "%" and following.strip()[:1].isdigit()
            ):
                return kind, match.end()
        return None

    def _with_unit(self, text: str, number: _Number) -> _Number:
        unit = self._unit(text, number.end)
        before = text[max(0, number.start - _NEAR) : number.start]
        sign = self._money_before.search(before)
        if sign is not None and not (sign.group()[0].isalpha() and before[: sign.start()][-1:].isalpha()):
            end = unit[1] if unit and unit[0] == "money" else number.end
            negative = sign.group()[-1] in "-−"
            value = -number.value if negative else number.value
            return self._signed(
                text,
                replace(number, start=number.start - len(sign.group()), kind="money", end=end, value=value),
            )
        number = self._signed(text, number)
        if unit is not None:
            return replace(number, kind=unit[0], end=unit[1])
        year = number.value in range(1900, 2100) and number.end - number.start == 4
        return replace(number, kind="year") if year else number

    def _signed(self, text: str, number: _Number) -> _Number:
        minus = self._minus.search(text[max(0, number.start - _NEAR) : number.start])
        if minus is None:
            return number
        return replace(number, start=number.start - len(minus.group()), value=-number.value)

    def _joined(self, text: str, numbers: Sequence[_Number]) -> list[_Number]:
        """The two ends of a range as one; a unit or a scale of one is that of both, as it is of two joined by "or"."""
        found: list[_Number] = []
        for number in numbers:
            low = found[-1] if found else None
            if low is not None and number.start < low.end:
                continue
            gap = text[low.end : number.start] if low is not None else ""
            if low is None or low.high is not None or not _alike(low.kind, number.kind):
                found.append(number)
                continue
            negative = gap == "" and number.value < 0 <= low.value  # the dash of "10-15" is no minus
            high = replace(number, value=-number.value) if negative else number
            both = (
                negative
                or self._to.fullmatch(gap)
                or (
                    self._and.fullmatch(gap)
                    and self._between.search(text[max(0, low.start - _NEAR) : low.start])
                )
            )
            if both or self._or.fullmatch(gap):
                kinds = [one for one in (high.kind, low.kind) if one not in ("bare", "year")]
                kind = kinds[0] if kinds else high.kind
                scale = high.scale if low.scale == 1 and low.value < high.value / high.scale * 10 else 1.0
                low = replace(low, value=low.value * scale, kind=kind, small=low.small and high.small)
                high = replace(high, kind=kind, small=low.small)
                if both and low.value < high.value:
                    found[-1] = replace(low, end=high.end, high=high.value)
                    continue
                found[-1] = low
            found.append(high)
        return [one for one in found if not (one.small and one.kind == "bare")]


def _describes(text: str, number: _Number, end: int) -> bool:
    """Whether a hyphen joins the number, written up to ``end``, to a word that is no money: *3-year-old*, *two-room*."""
    joined = text[end : end + 1] in [*"-\u2010\u2011"] and text[end + 1 : end + 2].isalpha()
    return joined and number.kind not in ("money", "percent")


def _alike(one: Kind, other: Kind) -> bool:
    return one == other or not {one, other}.isdisjoint({"bare", "year"})


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or r"(?!)"


def number_reader(languages: Mapping[str, Language], tag: str) -> NumberReader:
    """The reader of numbers in texts of a BCP 47 tag; raises UnknownNameError where no plugin has one."""
    words = reader_words(languages, tag)
    if words.numbers is None:
        raise UnknownNameError(
            f"the file of {words.language!r} says nothing of numbers. Add a table [numbers]: docs/readers.md"
        )
    return NumberReader(words.numbers, tag)
