"""Options of LPBS: those of the effect size, the templates, and how a word of several sub-tokens counts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, field_validator

from biascore.api.metrics import Model, Test
from biascore.api.stimuli import ATTRIBUTE, TARGET, slots_missing
from biascore.designs.options import ReferenceOptions

SIMPLEST: Final = f"{TARGET} {ATTRIBUTE}"
"""The template of Puttick & Kurpicz-Briki 2025: two words alone need not agree in gender."""
Subtokens: TypeAlias = Literal["sum", "mean"]


class LpbsOptions(ReferenceOptions):
    """Conventions of LPBS.

    ``templates``: sentences with TARGET and ATTRIBUTE once each; the associations are averaged over them, and
    several are also reported apart. Without any, those of the test, and where it has none, "TARGET ATTRIBUTE".
    ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.
    ``subtokens``: the log-probability of a target of several sub-tokens, hidden
    together, is their sum or their mean. ``over``: whether targets are the observations, as in WEAT, or
    attributes, as in the code of Kurita et al. and of the Italian study.
    """

    templates: Annotated[tuple[str, ...] | None, Field(strict=False, min_length=1)] = None
    model_kind: Literal["auto", "masked", "causal"] = "auto"
    subtokens: Subtokens = "sum"
    over: Literal["targets", "attributes"] = "targets"

    @field_validator("templates")
    @classmethod
    def _hold_each_slot_once(cls, templates: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for problem in slots_missing(templates or ()):
            raise ValueError(problem)
        for template in templates or ():
            if (templates or ()).count(template) > 1:
                raise ValueError(f"the template {template!r} is given twice; give it once")
        return templates

    def of(self, test: Test) -> tuple[str, ...]:
        """The sentences in which the words of a test are asked."""
        return self.templates or test.asked_in or (SIMPLEST,)

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of LPBS: options that are not the defaults."""
        templates = () if self.templates is None else (" + ".join(map(repr, self.templates)),)
        return ", ".join([*templates, *self.changed("templates", "model_kind")])
