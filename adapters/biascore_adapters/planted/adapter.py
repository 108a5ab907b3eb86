"""``planted:`` a model whose bias is known because it is declared: the yardstick of every metric.

``planted:gender=0.5`` plants an effect of 0.5 in every test of the concept *gender*;
``planted:en/weat6=1,en/crows_own=0`` plants test by test. Nothing is trained or downloaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from biascore.api.adapters import Adapter, Options

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, ModelRef


class PlantedOptions(Options):
    """``seed`` draws another model with the same declared bias."""

    seed: int = Field(default=0, ge=0)


class PlantedAdapter(Adapter[PlantedOptions]):
    """Opens planted models; the locator declares concepts or tests and their effect sizes."""

    id: ClassVar[str] = "planted"
    summary: ClassVar[str] = "a model with a declared bias, for calibration and examples"
    example: ClassVar[str] = "planted:gender=0.5"
    answers_version: ClassVar[str | None] = "2"
    uses_stimuli: ClassVar[bool] = True
    on_workers: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {"embed", "mask_logprob", "translate", "score", "choose", "generate"}
    )

    def check(self, ref: ModelRef, options: PlantedOptions, context: LoadContext) -> None:
        """Raise RefError or UnknownNameError for a declaration that cannot be planted."""
        from biascore_adapters.planted.planting import Planted

        self._planted = (ref, options, context), Planted.of(ref.locator, options.seed, context)

    def load(self, ref: ModelRef, options: PlantedOptions, context: LoadContext) -> Backend:
        """Plant the declared effects."""
        from biascore_adapters.planted.backend import PlantedBackend
        from biascore_adapters.planted.planting import Planted

        checked, planted = vars(self).pop("_planted", (None, None))
        if checked is None or not _same(checked, (ref, options, context)):
            planted = Planted.of(ref.locator, options.seed, context)
        return PlantedBackend(planted, context.languages, options.seed)


def _same(
    checked: tuple[ModelRef, PlantedOptions, LoadContext], now: tuple[ModelRef, PlantedOptions, LoadContext]
) -> bool:
    """Whether what is opened is what was checked, from the same stimuli and languages, which would be planted alike."""
    (*one, was), (*other, context) = checked, now
    return one == other and was.catalogue is context.catalogue and was.languages is context.languages
