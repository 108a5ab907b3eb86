"""The words of a text; what is written for both genders is one: *cansado/a*, *cansado o cansada*, *Byłem/am*, *cansad@*.

What a notation may represent is spelled out, and counts where the grammar knows one spelling as the masculine and the
other as the feminine of a form; a slash or a bracket between other words stays what it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Final

from biascore.languages.gender import Gender
from biascore.models.questions.questions import Span

NOUN: Final = "noun"
"""The form that says what may be a noun, for ``not_attributive``."""
OR: Final = "or"
"""The list of words that join the two: *cansado o cansada*."""
NEUTRAL: Final = "neutral"
"""The list of words whose last letter represents either ending: *cansade*."""

_TOKEN: Final = re.compile(
    r"[^\W_][\w\u0300-\u036f]*(?:['’ʼ‘‑-][^\W_][\w\u0300-\u036f]*)*|[.,;:!?…()\[\]/—–-]"
)
_L: Final = r"[^\W\d_]\u0300?\u0301?\u030c?"
_NOTATION: Final = re.compile(
    rf"""(?<![\w\u0300\u0301\u030c])(?P<stem>(?:{_L})++)(?:
    \s?[/|∕⁄]\s?[-–]?(?P<slash>(?:{_L})+)                                      # cansado/a, cansado / cansada, cansado/-a
    | ,\s[-–](?P<comma>(?:{_L})+)                                              # cansado, -a
    | \s?[(\[{{]\s?[-–/]?(?:{_L}+\s)?(?P<bracket>(?:{_L})+)(?:[/|]-?(?P<other>(?:{_L})+))?\s?[)\]}}](?P<tail>(?:{_L})*)
    | (?P<sign>[_*·•:.@’'–-])(?P<gap>(?:{_L})*)                         # устал_а, stanc*, cansad@, był*m
    )""",
    re.VERBOSE,
)
_ELISION: Final = re.compile(r"(\w+)['’ʼ‘]")
_MAY_HOLD: Final = re.compile(r"\w[_*·•:.@’'–-]|[/|∕⁄(\[{]|,\s[-–]")
_OPENED: Final = re.compile(r"(?<!\w)[*_]+\w")  # emphasis: *уставший*
_LETTER: Final = re.compile(r"(.{2,})[xəǝæ]([ms]?)", re.IGNORECASE)
_ENDINGS: Final = (
    *(
        "/a",
        "o/a",
        "e/a",
        "y/a",
        "i/a",
        "i/ia",
        "ý/á",
        "í/á",
        "/á",
        "y/á",
        "or/ora",
        "en/na",
        "an/na",
        "ar/ra",
    ),
    *("ao/la", "o/la", "l/la", "el/la", "/а", "/я", "ый/ая", "ий/ая", "ой/ая", "ы/ая", "і/ая", "ий/а"),
    *("ен/на", "ан/на", "ар/ра", "ао/ла", "о/ла"),
)
_CUT: Final = 5
"""How many letters of the first spelling the second may replace: *umoran/na*, *уставший/ая*."""
_KNOWN_WORDS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark as it is written, its span, and how it reads: in the masculine and the feminine if for both."""

    written: str
    span: Span
    spellings: tuple[str, ...]


Genders = Callable[[str], Mapping[str, Gender]]
"""The gender of a word as each form of the grammar."""
Lists = Callable[[str], frozenset[str]]
"""The lists and forms that a word is in."""


class Tokens:
    """Cuts texts of one language into words and marks."""

    def __init__(
        self, genders: Genders, lists: Lists, endings: Iterable[str], elided: Iterable[str] = ()
    ) -> None:
        self._genders = genders
        self._lists = lists
        self._endings = [tuple(pair.split("/")) for pair in dict.fromkeys((*_ENDINGS, *endings))]
        self._elided = frozenset(elided)
        self._spelled = lru_cache(maxsize=_KNOWN_WORDS)(self._letter)

    def __call__(self, text: str) -> list[Token]:
        """The words and marks of a text, in reading order."""
        tokens: list[Token] = []
        at = 0
        for both in (*self._written(text), Token("", (len(text), len(text)), ())):
            for match in _TOKEN.finditer(text, at, both.span[0]):
                tokens += self._words(match.group(), match.start())
            if both.written:
                tokens.append(both)
            at = both.span[1]
        return self._joined(text, tokens)

    def _words(self, word: str, start: int) -> Iterator[Token]:
        """A word, or two where the first is elided: *un'* and *amica*."""
        if self._elided and (cut := _ELISION.match(word)) and cut[1].lower() in self._elided:
            yield Token(cut[0], (start, start + cut.end()), (cut[0],))
            word, start = word[cut.end() :], start + cut.end()
        yield Token(word, (start, start + len(word)), self._spelled(word) or (word,))

    def _joined(self, text: str, tokens: list[Token]) -> list[Token]:
        """The two words of "cansado o cansada", "el único o la única" as one."""
        at = 1
        while at < len(tokens) - 1:
            if any(OR in self._lists(spelling) for spelling in tokens[at].spellings):
                first = tokens[at - 1]
                for end in range(at + 1, min(at + 3, len(tokens))):
                    last = tokens[end]
                    if two := self._first([(first.spellings[0], last.spellings[0])]):
                        span = first.span[0], last.span[1]
                        tokens[at - 1 : end + 1] = [Token(text[slice(*span)], span, two)]
                        break
                    if self._genders(last.spellings[0]).keys() - {NOUN}:
                        break
            at += 1
        return tokens

    def _written(self, text: str) -> list[Token]:
        """What a sign, a slash or a bracket writes for both genders."""
        found: list[Token] = []
        at = 0
        emphasis = _OPENED.search(text)
        while _MAY_HOLD.search(text, at) and (match := _NOTATION.search(text, at)):
            opened = emphasis is not None and emphasis.start() < match.end("stem")
            two = None if opened and match["sign"] in ("*", "_") else self._two(match)
            at = match.end() if two else match.end("stem")
            if two:
                found.append(Token(match.group(), match.span(), two))
        return found

    def _letter(self, word: str) -> tuple[str, str] | None:
        """Both spellings of a word with a letter for either ending: *cansadx*, *stancə*, *cansade*."""
        if match := _LETTER.fullmatch(word):
            return self._first(self._marked(match[1], match[2]), nouns=False)
        neutral = len(word) > 3 and NEUTRAL in (known := self._lists(word)) and known <= {NEUTRAL, NOUN}
        return self._first([(f"{word[:-1]}o", f"{word[:-1]}a")], nouns=False) if neutral else None

    def _two(self, match: re.Match[str]) -> tuple[str, str] | None:
        stem, sign, tail = match["stem"], match["sign"], match["tail"] or ""
        ending = match["slash"] or match["comma"] or match["bracket"] or match["gap"] or ""
        spelled = self._pairs(stem, ending, tail, match["other"])
        if sign and sign in "*_@" and (two := self._first(self._marked(stem, ending))):
            return two
        return self._first(spelled) or (
            self._same_list(stem, ending) if match["slash"] or match["bracket"] else None
        )

    def _pairs(self, stem: str, ending: str, tail: str, other: str | None) -> Iterator[tuple[str, str]]:
        if not ending:
            return
        if other:
            yield stem + ending + tail, stem + other + tail
        yield stem, ending
        for cut in range(min(_CUT, len(stem) - 1) + 1):
            yield stem + tail, stem[: len(stem) - cut] + ending + tail
        if tail:
            yield from ((stem + m + tail, stem + f + tail) for m, f in self._endings if f == ending)

    def _marked(self, stem: str, tail: str) -> Iterator[tuple[str, str]]:
        """With a mark for either ending; *umorn** is *umoran* and *umorna*."""
        for masculine, feminine in self._endings:
            yield stem + masculine + tail, stem + feminine + tail
            kept = feminine[:-1]
            if kept and stem.endswith(kept):
                yield stem.removesuffix(kept) + masculine + tail, stem + feminine[-1] + tail

    def _first(self, candidates: Iterable[tuple[str, str]], nouns: bool = True) -> tuple[str, str] | None:
        """The first two of one form; else, where asked for, two nouns, or words of two forms: ходив, ходила."""
        some = [
            (one, two)
            for one, other in candidates
            for two in (other, _plain(other))
            if _same_beginning(one, two)
        ]
        for shown in (self._in_one_form, self._as_nouns, self._in_two_forms)[: None if nouns else 1]:
            for one, other in some:
                genders = shown(self._genders(one), self._genders(other))
                if (Gender.MASCULINE, Gender.FEMININE) in genders:
                    return one, other
                if (Gender.FEMININE, Gender.MASCULINE) in genders:
                    return other, one
        return None

    @staticmethod
    def _in_one_form(one: Mapping[str, Gender], other: Mapping[str, Gender]) -> set[tuple[Gender, Gender]]:
        return {(one[form], other[form]) for form in one.keys() & other.keys() - {NOUN}}

    @staticmethod
    def _as_nouns(one: Mapping[str, Gender], other: Mapping[str, Gender]) -> set[tuple[Gender, Gender]]:
        return {(one[NOUN], other[NOUN])} if NOUN in one and NOUN in other else set()

    @staticmethod
    def _in_two_forms(one: Mapping[str, Gender], other: Mapping[str, Gender]) -> set[tuple[Gender, Gender]]:
        return {(one[a], other[b]) for a in one.keys() - {NOUN} for b in other.keys() - {NOUN}}

    def _same_list(self, one: str, ending: str) -> tuple[str, str] | None:
        """Both words of one list: *el/la*, *un(a)*."""
        for other in (ending, one + ending, one[:-1] + ending):
            if self._lists(one) & self._lists(other):
                return one, other
        return None


def _same_beginning(one: str, other: str) -> bool:
    """Whether two words begin with the same two letters; of short ones with the same letter (шёл, шла)."""
    common = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.lower(), other.lower(), strict=False))
    )
    return common >= max(1, min(2, len(one) - 2, len(other) - 2))


def _plain(word: str) -> str:
    """Without the accents that one gender alone has: *rád/a*, and the feminine is *rada*."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
