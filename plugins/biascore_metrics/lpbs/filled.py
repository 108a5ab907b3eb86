"""A template of LPBS with its two words, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

from biascore.api.queries import Masked, Span
from biascore.api.stimuli import ATTRIBUTE, TARGET


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with a target and an attribute in place, and where they stand."""

    text: str
    target: Span
    attribute: Span

    @classmethod
    def of(cls, template: str, target: str, attribute: str) -> Filled:
        """The template with both words as they are listed."""
        words = {TARGET: target, ATTRIBUTE: attribute}
        text, spans, rest = "", {}, template
        for slot in sorted(words, key=template.index):
            before, _, rest = rest.partition(slot)
            start = len(text) + len(before)
            spans[slot] = (start, start + len(words[slot]))
            text += before + words[slot]
        return cls(text + rest, spans[TARGET], spans[ATTRIBUTE])

    def questions(self) -> tuple[Masked, Masked]:
        """p_tgt: the target hidden, the attribute in sight; p_prior: both hidden, the target asked for."""
        return Masked(self.text, (self.target,)), Masked(self.text, (self.target,), also=(self.attribute,))
