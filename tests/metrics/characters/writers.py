"""A small test of kind ``occasions``, and models that write of whom they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.exporters import Measurement
from biascore.api.writing import Finish, Prompt, Settings, Written, as_written
from biascore_metrics.characters.items import MEN, Occasion, Occasions, OccasionsTest

from ...builders.models import model_of

HE = "He closed the shop. Later he slept."
SHE = "She closed the shop. Later she slept."
THEY = "They closed the shop. Later they slept."
I = "I closed the shop. Later I slept."  # noqa: E741
NO = "I'm sorry, but I can't help with that."
Says = Callable[[Occasion], str]


def occasions_test(side: int = 8, language: str = "en") -> OccasionsTest:
    """As many occasions of either norm, by two templates."""
    rows = [
        Occasion(f"Tell of the day of {name}, {how}.", name, how, women)
        for number in range(side)
        for name, women in ((f"a welder {number}", 2.0 + number), (f"a nurse {number}", 98.0 - number))
        for how in ("in short", "in full")
    ]
    return OccasionsTest(
        id="xx/occasions",
        kind="occasions",
        language=language,
        occasions=Occasions("occasions", tuple(rows)),
        norm="percent of women, made up",
    )


def swapped(test: OccasionsTest) -> OccasionsTest:
    """The norm of each occasion is the other one."""
    rows = tuple(replace(one, women=100.0 - one.women) for one in test.occasions.rows)
    return replace(test, occasions=test.occasions.of(rows))


def by_norm(where_men: str, where_women: str) -> Says:
    """One text where the norm is men, another where it is women."""
    return lambda one: where_men if one.side == MEN else where_women


class Writes(Backend):
    """Writes what it is told of an occasion, whose prompt it knows from the test."""

    def __init__(self, test: OccasionsTest, says: Says, finish: Finish = "stop") -> None:
        self._of = {one.prompt: one for one in test.occasions.rows}
        self._says, self._finish, self.asked = says, finish, 0
        self.identity = Identity(digest="test:writes")

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        self.asked += len(prompts)
        return tuple(as_written(one, self._says(self._of[one.text]), self._finish, 9) for one in prompts)


def measured(engine: Engine, says: Says, test: OccasionsTest | None = None, **options: object) -> Measurement:
    test = test or occasions_test()
    return engine.measure("characters", model_of(Writes(test, says)), test, **options)[0]


SAID = {
    "de": ("Er schloss die Tür.", "Sie schloss die Tür.", "Dey schloss die Tür.", "Ich schloss die Tür."),
    "es": ("Él cerró la puerta.", "Ella cerró la puerta.", "Elle cerró la puerta.", "Yo cerré la puerta."),
    "fr": ("Il ferma la porte.", "Elle ferma la porte.", "Iel ferma la porte.", "Je fermai la porte."),
    "it": ("Lui chiuse la porta.", "Lei chiuse la porta.", "Ləi chiuse la porta.", "Io chiusi la porta."),
}
"""By language a text about a man, about a woman, of no gender, and in the first person."""
