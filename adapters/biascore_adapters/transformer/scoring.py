"""In which passes texts are scored: what several begin with computed once, a text that is too long in windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from biascore.errors import AnswerError, QuestionError
from biascore_adapters.transformer.causal import AfterPrompts, ScoredText, SharedPrompt, shared_prompts
from biascore_adapters.transformer.prefixes import LONGEST, PAYS, Prefixes
from biascore_adapters.transformer.tokens import Input
from biascore_adapters.transformer.windows import Windows

Alone: TypeAlias = Callable[[Sequence[Input], Sequence[Sequence[tuple[int, int]]]], Sequence[Sequence[float]]]
"""log p, in nats, of the (position, token) pairs that are wanted of each text."""


class Scoring:
    """log p, in nats, of the scored tokens of each text.

    ``alone`` gives them for a text that the model takes whole, ``after_prompts`` for those after a prompt that is computed
    once, where the runtime can; without ``windows`` every text is taken whole. ``trees``: ``alone`` also takes the rows of
    a tree of prefixes, and short texts come in these.
    """

    def __init__(
        self,
        alone: Alone,
        after_prompts: AfterPrompts | None,
        windows: Windows | None,
        *,
        trees: bool = False,
    ) -> None:
        self._alone, self._after_prompts, self._windows, self._trees = alone, after_prompts, windows, trees

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
        tree, alone = self._tree(parts, [row for row in range(len(parts)) if row not in rows])
        lengths = [len(parts[row].input.ids) for row in alone] + [len(one.ids) for one in tree.rows]
        return [*lengths, *(length for group in shared for length in group.lengths)], len(parts)

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
        tree, _ = self._tree(read, [row for row, own in enumerate(found) if not own])
        with suppress(AnswerError, QuestionError):  # asked as they are, texts tell which of them it is
            for row, own in tree.answers(self._alone(tree.rows, tree.wanted())):
                found[row] = own
        rows = [row for row, own in enumerate(found) if not own]
        some = [read[row] for row in rows]
        alone = self._alone([one.input for one in some], [one.wanted for one in some])
        for row, own in zip(rows, alone, strict=True):
            found[row] = own
        return found

    def _tree(self, read: Sequence[ScoredText], rows: Sequence[int]) -> tuple[Prefixes[float], list[int]]:
        """The tree of the texts in these rows that are short enough, if it pays, and the rows that are in none."""
        short = [row for row in rows if self._trees and len(read[row].input.ids) <= LONGEST]
        tree = Prefixes[float]({row: (read[row].input, read[row].wanted) for row in short})
        if sum(len(one.ids) for one in tree.rows) > PAYS * sum(len(read[row].input.ids) for row in short):
            tree = Prefixes[float]({})
        return tree, [row for row in rows if row not in tree]
