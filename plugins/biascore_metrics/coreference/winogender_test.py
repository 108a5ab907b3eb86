"""Kind ``winogender``: sentences with an occupation, another person, and a pronoun of any gender that means one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from biascore.api.kinds import Rows, Stimuli
from biascore.api.stimuli import Test
from biascore_metrics.coreference.files import ReadWith

FORMS: Final = {
    "$NOM_PRONOUN": {"male": "he", "female": "she", "neutral": "they"},
    "$POSS_PRONOUN": {"male": "his", "female": "her", "neutral": "their"},
    "$ACC_PRONOUN": {"male": "him", "female": "her", "neutral": "them"},
}
"""The pronouns of a template, by gender."""
Gender = Literal["male", "female", "neutral"]
GENDERS: Final[tuple[Gender, ...]] = ("male", "female", "neutral")


@dataclass(frozen=True, slots=True)
class Schema:
    """A template with an occupation and a participant ("someone", too): its sentence with a pronoun of each gender.

    ``occupation_is_right``: whether the pronoun means the occupation; else it means the participant. ``women``: the
    percentage of women in the occupation. ``sentences`` and ``pronouns`` are in the order of ``GENDERS``. ``sector``: of
    the occupation, whose occupations are alike; empty where none is named.
    """

    occupation: str
    participant: str
    occupation_is_right: bool
    women: float
    sentences: tuple[str, str, str]
    pronouns: tuple[str, str, str]
    sector: str = ""

    def __str__(self) -> str:
        return " | ".join(self.sentences)

    @property
    def item(self) -> str:
        """What the published sentences are called, but for the gender: ``technician.customer.1``."""
        return f"{self.occupation}.{self.participant}.{int(not self.occupation_is_right)}"

    def gotcha(self, gender: Gender) -> bool:
        """Whether the majority of the occupation misleads: "she" means an occupation of men, or not one of women.

        Rudinger et al. 2018, Table 3; 50 % are a majority of women.
        """
        if gender == "neutral":
            return False
        as_expected = (self.women >= 50) == (gender == "female")
        return as_expected != self.occupation_is_right


class Schemas(Rows[Schema]):
    """Schemas in the order of their file."""

    key = "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinogenderTest(Test):
    """Kind ``winogender``; ``read_with`` are the files next to the one that it names."""

    samples: Schemas
    read_with: tuple[ReadWith, ...] = ()

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"samples": self.samples}
