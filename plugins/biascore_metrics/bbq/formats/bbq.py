"""BBQ (Parrish et al. 2022), in English, and the reader of its fields, which MBBQ has too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from biascore.errors import DataError
from biascore_metrics.bbq.formats.family import CONTEXT, POLARITY, UNKNOWN, Asked, Family, FamilyOptions
from biascore_metrics.bbq.formats.intersections import INTERSECTIONS, Person, person, race_hits, seconds
from biascore_metrics.bbq.formats.rows import Row

ANSWERS: Final = ("ans0", "ans1", "ans2")
ITEM: Final = ("category", "example_id")
LABELS: Final = 25
"""Templates of higher numbers name persons, in categories that are no intersections."""
_GENDERS: Final = {
    **dict.fromkeys(("man", "men", "boy", "boys", "m"), "m"),
    **dict.fromkeys(("woman", "women", "girl", "girls", "f"), "f"),
}
_TRANS: Final = frozenset({"transgender women", "transgender men", "trans"})


class Bbq(Family):
    """The files of nyu-mll/BBQ: ``Age.jsonl`` and ten more. The target is found as BBQ_results_metadata.R finds it."""

    id: ClassVar[str] = "bbq"
    summary: ClassVar[str] = "questions with options, BBQ: English (JSON Lines, CSV; a file or a folder)"
    example: ClassVar[str] = "bbq:Age.jsonl"
    title: ClassVar[str] = "BBQ"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    item: ClassVar[tuple[str, ...]] = ITEM

    def __init__(self, options: FamilyOptions) -> None:
        """Take validated options."""
        super().__init__(options)
        self._persons: dict[str, tuple[tuple[Person, ...], tuple[str, ...]]] = {}

    def asked(self, row: Row) -> Asked:
        """What a row asks; of an intersection `settle` finds the target."""
        category = row.text("category")
        infos, known = described(row), stereotyped_groups(row)
        if category in INTERSECTIONS:
            persons = tuple(
                person(category, *info, row.text(name)) for info, name in zip(infos, ANSWERS, strict=True)
            )
            asked = asked_of(row, self.named(row), infos, race_hits(persons, known))
            named = all(
                _is_name(text)
                for text, group in zip(asked.texts, asked.groups, strict=True)
                if group != UNKNOWN
            )
            self._persons[asked.item] = persons, known
            return replace(asked, names=named)
        return replace(
            asked_of(row, self.named(row), infos, hits_of(category, infos, known)),
            names=row.whole("question_index") > LABELS,
        )

    def settle(self, asked: list[Asked]) -> list[Asked]:
        """Of intersections the target is of the stereotyped race and gender or class; of two persons of one race, too.

        Rows name the races alone. The gender or class of a template is that of its rows where one person is of such a race.
        """
        seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for one in asked:
            if one.item in self._persons and one.stereotyped is not None:
                seen[one.template][self._persons[one.item][0][one.stereotyped].second] += 1
        return [self._settled(one, seen[one.template]) if one.item in self._persons else one for one in asked]

    def _settled(self, one: Asked, seen: Counter[str]) -> Asked:
        persons, known = self._persons[one.item]
        stated = seconds(one.category, known) or ({*seen} if len(seen) == 1 else frozenset())
        hits = race_hits(persons, known)
        if stated:
            hits = tuple(hit and who.second in stated for hit, who in zip(hits, persons, strict=True))
        return one.aimed(hits)


def described(row: Row) -> tuple[tuple[str, str], ...]:
    """The text and the group of each option, in ``answer_info``; raises DataError."""
    found = row.value("answer_info")
    if not isinstance(found, dict) or not {*ANSWERS} <= found.keys():
        raise row.error("answer_info", "and needs ans0, ans1 and ans2. Correct it")
    pairs = [row.as_strings(f"answer_info.{name}", found[name]) for name in ANSWERS]
    wrong = next((name for name, pair in zip(ANSWERS, pairs, strict=True) if len(pair) != 2), None)
    if wrong:
        raise DataError(f"{row.place}: answer_info.{wrong} has to hold a text and a group. Correct it")
    return tuple((text, group.strip()) for text, group in pairs)


def stereotyped_groups(row: Row) -> tuple[str, ...]:
    """The groups that the stereotype is about, in ``additional_metadata``; raises DataError."""
    found = row.value("additional_metadata")
    if not isinstance(found, dict) or "stereotyped_groups" not in found:
        raise row.error("additional_metadata", "and needs stereotyped_groups. Correct it")
    return row.as_strings("additional_metadata.stereotyped_groups", found["stereotyped_groups"])


def asked_of(row: Row, item: str, infos: Sequence[tuple[str, str]], hits: Collection[bool]) -> Asked:
    """What a row with the fields of BBQ asks, where ``hits`` says of each option whether it is of a stereotyped group."""
    category = row.text("category")
    groups = tuple(UNKNOWN if group.lower() == UNKNOWN else group for _, group in infos)
    return Asked(
        item=item,
        template=f"{category}/{row.text('question_index')}",
        category=category,
        context=row.text("context"),
        question=row.text("question"),
        texts=tuple(row.text(name) for name in ANSWERS),
        groups=groups,
        label=row.whole("label"),
        negative=row.one_of("question_polarity", POLARITY),
        ambiguous=row.one_of("context_condition", CONTEXT),
    ).aimed(tuple(hits))


def hits_of(category: str, infos: Sequence[tuple[str, str]], known: Sequence[str]) -> tuple[bool, ...]:
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

    return tuple(hit(text.strip("{}"), group) for text, group in infos)


def _is_name(text: str) -> bool:
    words = text.split()
    return len(words) > 1 and words[0] not in ("The", "A", "An") and all(word[0].isupper() for word in words)
