"""Base of every class of options: of adapters, metrics and data formats."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Options(BaseModel):
    """Base of all option models: frozen, strict (no value is coerced), and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
