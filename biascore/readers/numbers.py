"""Which number a text gives: one, a range, several, none, or a refusal; nothing is imputed or averaged.

Numbers have a kind by what stands next to them: ``money``, ``counted`` (hours, points), ``bare``, ``percent``, ``year``
(bare, 1900 to 2099). Where the question of the prompt names a currency or percent, these count, or else numbers without a
unit. Where neither it nor the caller asks for a kind, the first of these that the text has counts: years and percentages are
no amounts where there is a sum of money. Numbers of a list ("1."), ordinals, dates, times, and what describes
("three-year-old") never count.

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
from biascore.models.questions.other_language import declines
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
_PLAIN: Final = str.maketrans("ſıİ\u212a", "siIK")
"""Letters that an expression takes for others, whatever their case, and that lower case leaves as they are."""
_NEAR: Final = 40
"""How many characters before a number its sign of money, its minus and "between" are looked for."""
_BESIDE: Final = frozenset({"per", "a", "an", "ish", "plus", "max"})
"""Words that a hyphen may join to an amount: *40-per-hour*."""
_FEW_WORDS: Final = 4
"""A text of no more gives a number like a year as its answer: *2000*."""
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
    describes: bool = False
    """It is joined to a word that is no unit: *3-year-old*, *two-room*."""
    high: float | None = None
    currencies: frozenset[int] = frozenset()
    """Which of the file's it may be of, where it is money."""

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
        money = [word for some in words.currencies for word in some]
        before, after = _any(money), _any(money)
        self._money_before = re.compile(rf"({before})\s?[-−]?\Z", re.IGNORECASE)
        self._after: list[tuple[Kind, re.Pattern[str]]] = [
            ("money", re.compile(rf"\.?[\s-]?(?:(?:{_any(words.of)})\s?)?({after})", re.IGNORECASE)),
            ("percent", re.compile(rf"[\s-]?({_any(words.percent)})", re.IGNORECASE)),
            ("counted", re.compile(rf"[\s-]?({_any(words.counted)})", re.IGNORECASE)),
        ]
        short = [one for one in words.scales if len(one) <= 2]
        long = [one for one in words.scales if len(one) > 2]
        self._scale = re.compile(rf"(?:(?:{_any(short)})|[\s-]?(?:{_any(long)}))", re.IGNORECASE)
        self._minus = re.compile(
            rf"(?:(?<![\w%)€$£])(?<![\d%)€$£]\s)[-−]|\b(?:{_any(words.minus)})\s)\Z", re.IGNORECASE
        )
        self._to = re.compile(rf"\s?(?:[-–—−]|-?\s?(?:{_any(words.ranges)})-?)\s?", re.IGNORECASE)
        self._and = re.compile(rf"\s?(?:{_any(words.and_)})\s?", re.IGNORECASE)
        self._or = re.compile(rf"\s?(?:{_any(words.or_)})\s?", re.IGNORECASE)
        self._of_word: dict[str, frozenset[int]] = {
            word.lower(): frozenset(n for n, some in enumerate(words.currencies) if word in some)
            for word in money
        }
        self._names_money, self._names_percent = (
            re.compile(rf"(?<![^\W\d_])({_any(some)})(?![^\W\d_])", re.IGNORECASE)
            for some in (money, words.percent)
        )
        self._between = re.compile(rf"(?:{_any(words.between)})\W{{0,3}}(?:{before})?\s?\Z", re.IGNORECASE)

    def read(self, text: str, kind: Kind | None = None, *, prompt: str = "") -> NumberReading:
        """The number of a text, of one ``kind``, of that which its ``prompt`` asks for, or of the first that there is.

        Raises ValueError for another kind.
        """
        if kind is not None and kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; pass one of: {', '.join(KINDS)}, or None")
        text, prompt = text.translate(_PLAIN), prompt.translate(_PLAIN)
        kinds, currencies = self._asked(prompt) if prompt and kind is None else ((), frozenset())
        kinds = (kind,) if kind else kinds or KINDS
        found = self._joined(
            text, sorted([*self._digits(text), *self._in_words(text)], key=lambda one: one.start)
        )
        for wanted in kinds:
            chosen = [
                one for one in found if one.kind == wanted and (not currencies or self._is(one, currencies))
            ]
            if not chosen or (prompt and wanted == "year" and len(_WORD.findall(text)) > _FEW_WORDS):
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
        return NumberReading(REFUSED if declines(text) else NONE)

    def _asked(self, prompt: str) -> tuple[tuple[Kind, ...], frozenset[int]]:
        """The kinds that count by what its last question names, and the currencies; none where it names none, or both."""
        questions = [one for one in re.split(r"(?<=[.!?])\s", prompt) if one.endswith("?")]
        asks = questions[-1] if questions else prompt
        money = [self._of_word[match[1].lower()] for match in self._names_money.finditer(asks)]
        percent = self._names_percent.search(asks)
        if bool(money) == bool(percent):
            return (), frozenset()
        return ("money" if money else "percent", "bare", "year"), frozenset[int]().union(*money)

    def _is(self, number: _Number, currencies: frozenset[int]) -> bool:
        """Whether it may be of one of the currencies."""
        return number.kind != "money" or not number.currencies.isdisjoint(currencies)

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
                yield self._with_unit(text, _Number(start, end, round(value * factor, 9), scale=factor))

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
                yield self._with_unit(text, number)
            at = max(end, at + 1)

    def _unit(self, text: str, end: int) -> tuple[Kind, int, str] | None:
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
                return kind, match.end(), match[1].lower()
        return None

    def _with_unit(self, text: str, number: _Number) -> _Number:
        unit = self._unit(text, number.end)
        before = text[max(0, number.start - _NEAR) : number.start]
        sign = self._money_before.search(before)
        if sign is not None and not (sign.group()[0].isalpha() and before[: sign.start()][-1:].isalpha()):
            behind = unit if unit and unit[0] == "money" else None
            end = behind[1] if behind else number.end
            word = behind[2] if behind else sign[1].lower()
            negative = sign.group()[-1] in "-−"
            value = -number.value if negative else number.value
            return self._signed(
                text,
                replace(
                    number,
                    start=number.start - len(sign.group()),
                    kind="money",
                    end=end,
                    value=value,
                    currencies=self._of_word[word],
                ),
            )
        number = replace(self._signed(text, number), describes=self._describes(text, number.end, unit))
        if unit is not None:
            currencies = self._of_word[unit[2]] if unit[0] == "money" else frozenset[int]()
            return replace(number, kind=unit[0], end=unit[1], currencies=currencies)
        year = number.value in range(1900, 2100) and number.end - number.start == 4
        return replace(number, kind="year") if year else number

    def _describes(self, text: str, end: int, unit: tuple[Kind, int, str] | None) -> bool:
        """Whether a hyphen joins what ends here to a word that is no money, percent, range or amount of something."""
        joined = re.compile(r"[-\u2010\u2011]([^\W\d_]+)").match(text, end)
        beside = {*_BESIDE, *self.words.ranges, *self.words.or_, *self.words.and_}
        return bool(
            joined and joined[1].lower() not in beside and not (unit and unit[0] in ("money", "percent"))
        )

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
                low = replace(
                    low,
                    value=low.value * scale,
                    kind=kind,
                    small=low.small and high.small,
                    describes=high.describes,
                    currencies=low.currencies or high.currencies,
                )
                high = replace(high, kind=kind, small=low.small, currencies=high.currencies or low.currencies)
                if both and low.value < high.value:
                    found[-1] = replace(low, end=high.end, high=high.value)
                    continue
                found[-1] = low
            found.append(high)
        return [one for one in found if not one.describes and not (one.small and one.kind == "bare")]


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
