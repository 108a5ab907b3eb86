"""``planted:`` a model whose bias is known because it is declared: the yardstick of every metric.

``planted:gender=0.5`` plants an effect size of 0.5 in every test of the concept *gender*;
``planted:en/weat6=1,en/weat7=0`` plants test by test. Nothing is trained or downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from biascore.plugins_api import Adapter, Backend, LoadContext, ModelRef, Options, hookimpl
from biascore_adapters.planted.backend import PlantedBackend
from biascore_adapters.planted.lexicon import parse_declaration, plant


class PlantedOptions(Options):
    """``seed`` draws another model with the same declared bias."""

    seed: int = Field(default=0, ge=0)


class PlantedAdapter(Adapter):
    """Opens planted models; the locator declares concepts or tests and their effect sizes."""

    id: ClassVar[str] = "planted"
    summary: ClassVar[str] = "a model with a declared bias, for calibration and examples"
    example: ClassVar[str] = "planted:gender=0.5"
    answers_version: ClassVar[str | None] = "1"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed", "mask_logprob", "translate", "score"})
    options: ClassVar[type[Options]] = PlantedOptions

    def check(self, ref: ModelRef, options: Options, context: LoadContext) -> None:  # noqa: ARG002
        """Raise RefError or UnknownNameError for a declaration that cannot be planted."""
        plant(parse_declaration(ref.locator), context.catalogue)

    def load(self, ref: ModelRef, options: Options, context: LoadContext) -> Backend:
        """Plant the declared effects."""
        assert isinstance(options, PlantedOptions)
        return PlantedBackend(plant(parse_declaration(ref.locator), context.catalogue), options.seed)


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``planted``."""
    register(PlantedAdapter)
