"""Grounds of discrimination, and mappings from them to the articles of a regulation: TOML files that plugins bring."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import problems_of
from biascore.errors import StimuliError
from biascore.files.reading import read_toml


class Ground(StrEnum):
    """The grounds of discrimination that a scenario may name: those of Article 21 of the EU Charter, and gender identity."""

    SEX = "sex"
    GENDER_IDENTITY = "gender identity"
    RACE = "race"
    COLOUR = "colour"
    ETHNIC_ORIGIN = "ethnic origin"
    SOCIAL_ORIGIN = "social origin"
    GENETIC_FEATURES = "genetic features"
    LANGUAGE = "language"
    RELIGION_OR_BELIEF = "religion or belief"
    OPINION = "political or other opinion"
    NATIONAL_MINORITY = "national minority"
    PROPERTY = "property"
    BIRTH = "birth"
    DISABILITY = "disability"
    AGE = "age"
    SEXUAL_ORIENTATION = "sexual orientation"
    NATIONALITY = "nationality"


class Mapping(Frozen):
    """Which articles of a text name which ground; ``version`` is that of the text, ``source`` where it is published.

    ``sha256`` is of the file, filled in when it is read.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    source: str = Field(min_length=1)
    grounds: FrozenMap[tuple[str, ...]]
    sha256: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a mapping; raises StimuliError naming file and key, also for a ground that is none."""
        toml = read_toml(path, str(path), StimuliError)
        try:
            found = cls.model_validate({**toml.document, "sha256": toml.sha256})
        except ValidationError as error:
            raise StimuliError(
                f"{path}: " + "; ".join(one.text for one in problems_of(error, cls))
            ) from error
        known = {ground.value for ground in Ground}
        unknown = [name for name in found.grounds if name not in known]
        if unknown:
            raise StimuliError(f"{path}: {unknown[0]!r} is no ground. Grounds are: {', '.join(Ground)}")
        return found
