"""The options of translation services."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biascore.api.adapters import ServiceOptions


class DeepLOptions(ServiceOptions):
    """``server``: instead of DeepL's own, which follows from the key (free or pro).

    ``formality`` where the target language has it, ``model_type`` and ``context`` (text around the
    sentence that is not translated and not charged) are those of DeepL's API.
    """

    server: str | None = None
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] | None = None
    model_type: Literal["quality_optimized", "latency_optimized", "prefer_quality_optimized"] | None = None
    context: str | None = Field(default=None, min_length=1, max_length=4000)


class GoogleOptions(ServiceOptions):
    """``server``: instead of Google's own. ``model``: that of Google's API, which chooses where none is named."""

    server: str | None = None
    model: Literal["nmt", "base"] | None = None


class AmazonOptions(ServiceOptions):
    """``region``: of AWS, or what ``AWS_DEFAULT_REGION`` or the profile says. ``server``: instead of AWS's own.

    ``formality`` is that of Amazon's API, for target languages that have it.
    """

    region: str | None = Field(default=None, min_length=1)
    server: str | None = None
    formality: Literal["FORMAL", "INFORMAL"] | None = None
