"""Persons of BBQ's two intersections, Race_x_gender and Race_x_SES: their race, and their gender or class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

INTERSECTIONS: Final = ("Race_x_gender", "Race_x_SES")
_SECONDS: Final = {
    "Race_x_gender": {"m": "M", "man": "M", "men": "M", "f": "F", "woman": "F", "women": "F"},
    "Race_x_SES": {"lowses": "lowSES", "low ses": "lowSES", "highses": "highSES", "high ses": "highSES"},
}
_GENDERS: Final = ("m", "f")
_HISPANIC: Final = ("hispanic", "latino")
_APART: Final = re.compile(r"[-_]")


class Person(NamedTuple):
    """The gender or class of an option, and its race; empty where the file does not say."""

    second: str
    race: str


def person(category: str, text: str, info: str, answer: str) -> Person:
    """Of an option with this text, group (``F-Black``, ``lowSES-M-Black``) and answer; "unknown" has neither."""
    if info.lower() == "unknown":
        return Person("", "")
    known = _SECONDS[category]
    parts = [part for part in _APART.split(info) if part]
    second = next((known[part.lower()] for part in parts if part.lower() in known), "")
    race = " ".join(part for part in parts if part.lower() not in (*known, *_GENDERS))
    if category == "Race_x_gender":
        words = f"{text} {answer if not second else ''}".lower().split()
        second = "M" if "man" in words else "F" if "woman" in words else second
        race = race or "Latino"  # the file leaves it out for Latino men and Latina women
    return Person(second, race)


def seconds(category: str, known: Sequence[str]) -> frozenset[str]:
    """The genders or classes that the stereotyped groups name themselves, as in ``F-Black``; in the published files none."""
    parts = [part.lower() for one in known for part in (one, *_APART.split(one))]
    return frozenset(_SECONDS[category][part] for part in parts if part in _SECONDS[category])


def race_hits(persons: Sequence[Person], known: Sequence[str]) -> tuple[bool, ...]:
    """Whether each person is of a stereotyped race: part of its name, but "African" is not African American.

    Where Black and Hispanic people are meant both, and one person is Hispanic, only those are.
    """
    names = [_plain(_race(one)) for one in known]
    races = [_plain(one.race) for one in persons]
    if any(race in _HISPANIC for race in races) and {*_HISPANIC} & {*names}:
        names = [name for name in names if name in _HISPANIC]
    joined = ", ".join(names)
    return tuple(
        race != "" and race in joined and not (race == "african" and "africanamerican" in joined)
        for race in races
    )


def _race(group: str) -> str:
    known = {key for keys in _SECONDS.values() for key in keys}
    return " ".join(part for part in _APART.split(group) if part.lower() not in known)


def _plain(race: str) -> str:
    return race.lower().replace(" ", "").replace("-", "")
