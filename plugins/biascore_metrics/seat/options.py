"""Options of SEAT: those of WEAT, where the sentences come from, and what counts as one observation."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from biascore.api.metrics import Model
from biascore.designs.options import WeatOptions

Unit = Literal["word", "sentence"]


class SeatOptions(WeatOptions):
    """Conventions of SEAT.

    ``templates``: the stimuli file, in the language of the test, whose template lists are used; a word goes
    into the list that is named as the word is tagged. ``unit``: what the statistics count as one observation.
    A word's sentences are no independent observations of a bias, so by default its associations are averaged
    over them; "sentence" takes each sentence for an element of X, Y, A and B, as the papers do.
    ``level``: the vector of the whole sentence, or of the word within it.
    """

    templates: str = "seat"
    unit: Unit = "word"

    @field_validator("templates")
    @classmethod
    def _names_a_file(cls, file: str) -> str:
        if not file.strip():
            raise ValueError("is empty; name the stimuli file that holds the templates, such as 'seat'")
        return file

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of SEAT; the level tells on static models too."""
        return ", ".join([f"{self.level} level", *self.changed("level")])
