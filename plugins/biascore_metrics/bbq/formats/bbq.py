"""Three families with the fields of BBQ.

BBQ (Parrish et al. 2022), in English; MBBQ (Neplenbroek et al. 2024), in English, Spanish, Dutch and Turkish; EsBBQ and
CaBBQ (BSC 2025), written anew for Spain, in Spanish and in Catalan.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from biascore.errors import DataError
from biascore_metrics.bbq.formats.family import UNKNOWN, Family, FamilyOptions, aimed
from biascore_metrics.bbq.formats.languages import languages
from biascore_metrics.bbq.formats.rows import Row
from biascore_metrics.bbq.items import Question

ANSWERS: Final = ("ans0", "ans1", "ans2")
STEREOTYPED: Final = ("additional_metadata", "stereotyped_groups")
LABELS: Final = 25
"""Templates of higher numbers name persons, in categories that are no intersections."""
_GENDERS: Final = {
    **dict.fromkeys(("man", "men", "boy", "boys", "m"), "m"),
    **dict.fromkeys(("woman", "women", "girl", "girls", "f"), "f"),
}
_TRANS: Final = frozenset({"transgender women", "transgender men", "trans"})
_WOMEN: Final = ("f", "woman", "girl", "vrouw", "meisje", "kız", "kadın", "chica", "mujer", "maestra")
_MEN: Final = ("m", "man", "boy", "jongen", "erkek çocuk", "adam", "chico", "hombre", "maestro")
_SAME: Final = {
    **dict.fromkeys(_WOMEN, "F"),
    **dict.fromkeys(_MEN, "M"),
    "low ses": "lowSES",
    "high ses": "highSES",
}
"""What represents one group in a file of MBBQ: rows of one subset name groups in English, persons in their language."""
INTERSECTIONS: Final = ("Race_x_gender", "Race_x_SES")
_SECONDS: Final = {
    "Race_x_gender": {"m": "M", "man": "M", "men": "M", "f": "F", "woman": "F", "women": "F"},
    "Race_x_SES": {"lowses": "lowSES", "low ses": "lowSES", "highses": "highSES", "high ses": "highSES"},
}
_HISPANIC: Final = ("hispanic", "latino")
_APART: Final = re.compile(r"[-_]")


class _OfBbq(Family):
    """What the three share."""

    item: ClassVar[tuple[str, ...]] = ("category", "example_id")
    template: ClassVar[str] = "question_index"

    def of_row(
        self, row: Row, texts: Sequence[str], groups: Sequence[str], hits: Sequence[bool], names: bool
    ) -> Question:
        """The question of a row, where ``hits`` says of each option whether it is of a stereotyped group."""
        one = self.question(
            row,
            texts,
            groups,
            label=row.whole("label"),
            negative=row.one_of("question_polarity", {"neg": True, "nonneg": False}),
            ambiguous=row.one_of("context_condition", {"ambig": True, "disambig": False}),
            template=f"{row.text('category')}/{row.text(self.template)}",
            category=row.text("category"),
            names=names,
        )
        return aimed(one, hits)


def _described(row: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts and the groups of the options in ``answer_info``; raises DataError."""
    infos = row.lists("answer_info", *ANSWERS)
    for name, info in zip(ANSWERS, infos, strict=True):
        if len(info) != 2:
            raise DataError(f"{row.place}: answer_info.{name} has to hold a text and a group. Correct it")
    texts, groups = zip(*infos, strict=True)
    bare = (group.strip() for group in groups)
    return texts, tuple(UNKNOWN if group.lower() == UNKNOWN else group for group in bare)


class Bbq(_OfBbq):
    """The files of nyu-mll/BBQ: ``Age.jsonl`` and ten more. The target is found as BBQ_results_metadata.R finds it."""

    id: ClassVar[str] = "bbq"
    summary: ClassVar[str] = "questions with options, BBQ: English (JSON Lines, CSV; a file or a folder)"
    example: ClassVar[str] = "bbq:Age.jsonl"
    title: ClassVar[str] = "BBQ"
    languages: ClassVar[tuple[str, ...]] = ("en",)

    def __init__(self, options: FamilyOptions) -> None:
        """Take validated options."""
        super().__init__(options)
        self._persons: dict[str, tuple[list[Person], tuple[str, ...]]] = {}

    def asked(self, row: Row) -> Question:
        """What a row asks; of an intersection `settle` finds the target."""
        category, answers = row.text("category"), [row.text(name) for name in ANSWERS]
        (texts, groups), known = _described(row), row.lists(*STEREOTYPED)[0]
        if category not in INTERSECTIONS:
            hits = hits_of(category, texts, groups, known)
            return self.of_row(row, answers, groups, hits, row.whole("question_index") > LABELS)
        persons = [person(category, *told) for told in zip(texts, groups, answers, strict=True)]
        named = all(map(_is_name, (a for a, group in zip(answers, groups, strict=True) if group != UNKNOWN)))
        one = self.of_row(row, answers, groups, race_hits(persons, known), named)
        self._persons[one.item] = persons, known
        return one

    def settle(self, asked: list[Question]) -> list[Question]:
        """Of intersections the target is of the stereotyped race and gender or class; of two persons of one race, too.

        Rows name the races alone. The gender or class of a template is that of its rows where one person is of such a race.
        """
        seen: defaultdict[str, set[str]] = defaultdict(set)
        crossed = [one for one in asked if one.item in self._persons]
        for one in crossed:
            persons, known = self._persons[one.item]
            found = [who.second for who, hit in zip(persons, race_hits(persons, known), strict=True) if hit]
            if len(found) == 1:
                seen[one.template].update(found)
        return [self._settled(one, seen[one.template]) if one.item in self._persons else one for one in asked]

    def _settled(self, one: Question, seen: set[str]) -> Question:
        persons, known = self._persons[one.item]
        stated = seconds(one.category, known) or (seen if len(seen) == 1 else frozenset())
        hits = race_hits(persons, known)
        if stated:
            hits = [hit and who.second in stated for hit, who in zip(hits, persons, strict=True)]
        return aimed(one, hits)


class Mbbq(_OfBbq):
    """The files of Veranep/MBBQ: ``Age_nl.jsonl`` and so on, and the control set, where persons are named."""

    id: ClassVar[str] = "mbbq"
    summary: ClassVar[str] = (
        "questions with options, MBBQ: English, Spanish, Dutch, Turkish (a file or a folder)"
    )
    example: ClassVar[str] = "mbbq:Age_nl.jsonl"
    title: ClassVar[str] = "MBBQ"
    languages: ClassVar[tuple[str, ...]] = ("en", "es", "nl", "tr")
    several_prompts: ClassVar[bool] = True

    def asked(self, row: Row) -> Question:
        """What a row asks; the target is the one option whose group is one of the stereotyped ones."""
        texts, groups = _described(row)
        answers = [row.text(name) for name in ANSWERS]
        known = {self.same(one) for one in row.lists(*STEREOTYPED)[0]}
        hits = [
            any(self.same(one) in known for one in self.group_names(text, group))
            for text, group in zip(texts, groups, strict=True)
        ]
        persons = [told for told in zip(texts, answers, groups, strict=True) if told[2] != UNKNOWN]
        return self.of_row(row, answers, groups, hits, self.named(row, persons))

    def same(self, group: str) -> str:
        """What a group is called in all spellings of the files."""
        return _SAME.get(group.lower(), group)

    def group_names(self, text: str, group: str) -> tuple[str, ...]:
        """What an option, of a text and a group, may be called among the stereotyped groups."""
        return (group,)

    def named(self, row: Row, persons: Sequence[tuple[str, str, str]]) -> bool:
        """Whether the options, of a text, an answer and a group, name persons."""
        capitals = all(text == answer and text[:1].isupper() for text, answer, _ in persons)
        return capitals or row.whole("question_index") > LABELS


class EsBbqOptions(FamilyOptions):
    """As for ``bbq``; ``unknown``: the phrase in place of the word "unknown", by default the first of the language."""

    unknown: str = ""


class EsBbq(_OfBbq):
    """The files of langtech-bsc/EsBBQ-CaBBQ: ``Age.full.csv`` and so on."""

    id: ClassVar[str] = "esbbq"
    summary: ClassVar[str] = "questions with options, EsBBQ and CaBBQ: Spanish, Catalan (a file or a folder)"
    example: ClassVar[str] = "esbbq:Religion.full.csv"
    title: ClassVar[str] = "EsBBQ/CaBBQ"
    languages: ClassVar[tuple[str, ...]] = ("es", "ca")
    item: ClassVar[tuple[str, ...]] = ("category", "instance_id")
    template: ClassVar[str] = "template_id"
    option_type: ClassVar[type[FamilyOptions]] = EsBbqOptions
    options: EsBbqOptions

    def begin(self, language: str) -> tuple[str, ...]:
        """Choose the phrase that means "unknown"."""
        self._contradicting: list[str] = []
        known = languages()[language].unknown if language in languages() else ()
        self._phrase = self.options.unknown.strip() or next(iter(known), UNKNOWN)
        return (f'The option "unknown" of the file is asked as "{self._phrase}" (option unknown).',)

    def asked(self, row: Row) -> Question:
        """What a row asks; the target is the option whose group, after the last comma, is a stereotyped one."""
        groups = [
            info[-1].split(",")[-1].strip() if info else "" for info in row.lists("answer_info", *ANSWERS)
        ]
        known, answers = row.strings("stereotyped_groups"), [row.text(name) for name in ANSWERS]
        texts = [self._phrase if text == UNKNOWN else text for text in answers]
        names = row.optional("proper_nouns_only").lower() == "true"
        one = self.of_row(row, texts, groups, [group in known for group in groups], names)
        said, agrees = row.optional("question_type"), one.options[one.label % 3].role == "target"
        if said in ("pro-stereo", "anti-stereo") and agrees != (said == "pro-stereo"):
            self._contradicting.append(one.item)
        return one

    def noted(self) -> tuple[str, ...]:
        """How many rows call the right answer stereotyped, or not, against their groups."""
        many = len(self._contradicting)
        if not many:
            return ()
        return (
            f"question_type of {many} row(s) contradicts their stereotyped groups ({', '.join(self._contradicting[:3])}"
            f"{', …' if many > 3 else ''}): the groups are followed, and the authors' script follows question_type.",
        )


def hits_of(
    category: str, texts: Sequence[str], groups: Sequence[str], known: Sequence[str]
) -> tuple[bool, ...]:
    """Whether each option, of a text and a group, is of one of the ``known`` groups, by the rule of BBQ.

    Its group is part of their names, in lower case. Age: it is one of them, as "old" is part of "nonOld". Nationality: or
    its text is. "African" is none where African Americans are meant. Of trans people: its group begins with "trans".
    """
    names = [_GENDERS.get(one.lower(), one.lower().replace(" ses", "ses")) for one in known]
    if names and {*names} <= _TRANS:
        names = ["trans"]
    joined = ", ".join(names)

    def hit(text: str, group: str) -> bool:
        own = _GENDERS.get(group.lower(), group.lower()).removeprefix("m-").removeprefix("f-")
        if not own or own == UNKNOWN or (text == "African" and "african american" in joined):
            return False
        if category == "Age" or len(own) == 1:
            return own in names
        also = category == "Nationality" and text != "" and text.lower() in joined
        return own in joined or also or (names == ["trans"] and own.startswith("trans"))

    return tuple(hit(text.strip("{}"), group) for text, group in zip(texts, groups, strict=True))


def _is_name(text: str) -> bool:
    words = text.split()
    return len(words) > 1 and words[0] not in ("The", "A", "An") and all(word[0].isupper() for word in words)


class Person(NamedTuple):
    """The gender or class of an option, and its race; empty where the file does not say."""

    second: str
    race: str


def person(category: str, text: str, info: str, answer: str) -> Person:
    """Of an option with this text, group (``F-Black``, ``lowSES-M-Black``) and answer; UNKNOWN has neither."""
    if info == UNKNOWN:
        return Person("", "")
    known = _SECONDS[category]
    parts = [part for part in _APART.split(info) if part]
    second = next((known[part.lower()] for part in parts if part.lower() in known), "")
    race = " ".join(part for part in parts if part.lower() not in (*known, "m", "f"))
    if category == "Race_x_gender":
        words = f"{text} {answer if not second else ''}".lower().split()
        second = "M" if "man" in words else "F" if "woman" in words else second
        race = race or "Latino"  # the file leaves it out for Latino men and Latina women
    return Person(second, race)


def seconds(category: str, known: Sequence[str]) -> frozenset[str]:
    """The genders or classes that the stereotyped groups name themselves, as in ``F-Black``; in the published files none."""
    parts = [part.lower() for one in known for part in (one, *_APART.split(one))]
    return frozenset(_SECONDS[category][part] for part in parts if part in _SECONDS[category])


def race_hits(persons: Sequence[Person], known: Sequence[str]) -> list[bool]:
    """Whether each person is of a stereotyped race: part of its name, but "African" is not African American.

    Where Black and Hispanic people are meant both, and one person is Hispanic, only those are.
    """
    names = [_plain(_race(one)) for one in known]
    races = [_plain(one.race) for one in persons]
    if any(race in _HISPANIC for race in races) and {*_HISPANIC} & {*names}:
        names = [name for name in names if name in _HISPANIC]
    joined = ", ".join(names)
    return [
        race != "" and race in joined and not (race == "african" and "africanamerican" in joined)
        for race in races
    ]


def _race(group: str) -> str:
    known = {key for keys in _SECONDS.values() for key in keys}
    return " ".join(part for part in _APART.split(group) if part.lower() not in known)


def _plain(race: str) -> str:
    return race.lower().replace(" ", "").replace("-", "")
