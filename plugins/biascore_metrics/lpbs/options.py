"""Options of LPBS: those of the effect size, the templates, and how a word of several sub-tokens counts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, field_validator

from biascore.api.metrics import Model
from biascore.designs.options import TopicOptions

TARGET: Final = "TARGET"
ATTRIBUTE: Final = "ATTRIBUTE"
SIMPLEST: Final = f"{TARGET} {ATTRIBUTE}"
"""The template of Puttick & Kurpicz-Briki 2025: two words alone need not agree in gender."""
Subtokens: TypeAlias = Literal["sum", "mean"]


class LpbsOptions(TopicOptions):
    """Conventions of LPBS.

    ``templates``: sentences with TARGET and ATTRIBUTE once each; the associations are averaged over them, and
    several are also reported apart. ``subtokens``: the log-probability of a target of several sub-tokens, hidden
    together, is their sum or their mean. ``over``: whether targets are the observations, as in WEAT, or
    attributes, as in the code of Kurita et al. and of the Italian study.
    """

    templates: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = (SIMPLEST,)
    subtokens: Subtokens = "sum"
    over: Literal["targets", "attributes"] = "targets"

    @field_validator("templates")
    @classmethod
    def _hold_each_slot_once(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        for template in templates:
            for slot in (TARGET, ATTRIBUTE):
                if template.count(slot) != 1:
                    raise ValueError(
                        f"the template {template!r} has {slot} {template.count(slot)} times; write {TARGET} and "
                        f"{ATTRIBUTE} once each, as in {SIMPLEST!r}"
                    )
            if templates.count(template) > 1:
                raise ValueError(f"the template {template!r} is given twice; give it once")
        return templates

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of LPBS: options that are not the defaults."""
        templates = () if self.templates == (SIMPLEST,) else (" + ".join(map(repr, self.templates)),)
        return ", ".join([*templates, *self.changed("templates")])
