"""The option of an equivalence bound, within which an effect is negligible."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, Field

NO_BOUND: Final = "none"


def _no_bound(value: object) -> object:
    if isinstance(value, str) and value != NO_BOUND and not value.replace(".", "", 1).isdigit():
        raise ValueError(f'must be a number above 0, or "{NO_BOUND}" for no bound')
    return None if value == NO_BOUND else value


Bound: TypeAlias = Annotated[float | None, Field(gt=0), BeforeValidator(_no_bound)]
"""An option: "none" states no bound, also where there is no null to write, as in TOML."""
