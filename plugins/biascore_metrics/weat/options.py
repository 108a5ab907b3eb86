"""Options of SC-WEAT."""

from __future__ import annotations

from typing import Final

from pydantic import field_validator

from biascore.designs.options import VectorOptions

POOL: Final = "neutral/words"


def names_a_list(pool: str) -> str:
    """A list by its file and name; raises ValueError for another form."""
    if pool.count("/") != 1 or not all(map(str.strip, pool.split("/"))):
        raise ValueError(f"is {pool!r}; name a list as file/list, without its language, such as {POOL!r}")
    return pool


class ScWeatOptions(VectorOptions):
    """Conventions of SC-WEAT.

    ``control_pool``: the list of neutral words, in the language of the test, that its words are compared with.
    """

    control_pool: str = POOL

    _names_a_list = field_validator("control_pool")(names_a_list)
