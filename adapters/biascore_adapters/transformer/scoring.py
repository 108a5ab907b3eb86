"""In which passes texts are scored: a prompt of several texts computed once, a text that is too long in windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from biascore_adapters.transformer.causal import AfterPrompts, ScoredText, SharedPrompt, shared_prompts
from biascore_adapters.transformer.tokens import Input
from biascore_adapters.transformer.windows import Windows

Alone: TypeAlias = Callable[[Sequence[Input], Sequence[Sequence[tuple[int, int]]]], Sequence[Sequence[float]]]
"""log p, in nats, of the (position, token) pairs that are wanted of each text."""


class Scoring:
    """log p, in nats, of the scored tokens of each text.

    ``alone`` gives them for a text that the model takes whole, ``after_prompts`` for those after a prompt that is computed
    once, where the runtime can; without ``windows`` every text is taken whole.
    """

    def __init__(self, alone: Alone, after_prompts: AfterPrompts | None, windows: Windows | None) -> None:
        self._alone, self._after_prompts, self._windows = alone, after_prompts, windows

    def __call__(self, read: Sequence[ScoredText]) -> list[list[float]]:
        """One row for each text, in the order of its scored tokens."""
        parts = [self._parts(one) for one in read]
        found = iter(self._log_probabilities([part for some in parts for part in some]))
        return [[value for _ in some for value in next(found)] for some in parts]

    def passes(self, read: Sequence[ScoredText]) -> tuple[list[int], int]:
        """The tokens of each pass that answers, and the passes that it would take one at a time."""
        parts = [part for one in read for part in self._parts(one)]
        shared = self._shared(parts)
        rows = {row for group in shared for row in group.rows}
        alone = [len(part.input.ids) for row, part in enumerate(parts) if row not in rows]
        return [*alone, *(length for group in shared for length in group.lengths)], len(parts)

    def _parts(self, text: ScoredText) -> list[ScoredText]:
        return self._windows.of(text) if self._windows else [text]

    def _shared(self, read: Sequence[ScoredText]) -> list[SharedPrompt]:
        return shared_prompts(read) if self._after_prompts else []

    def _log_probabilities(self, read: Sequence[ScoredText]) -> list[Sequence[float]]:
        found: list[Sequence[float]] = [()] * len(read)
        groups = self._shared(read)
        asked = [group.prompt for group in groups], [group.rest for group in groups]
        answers = self._after_prompts(*asked) if self._after_prompts else ()
        for group, answer in zip(groups, answers, strict=True):
            for row, own in zip(group.rows, answer, strict=True):
                found[row] = own[-len(read[row].scored) :]
        rows = [row for row, own in enumerate(found) if not own]
        some = [read[row] for row in rows]
        alone = self._alone([one.input for one in some], [one.wanted for one in some])
        for row, own in zip(rows, alone, strict=True):
            found[row] = own
        return found
