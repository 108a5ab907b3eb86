"""Masked language models: log-probabilities of hidden tokens, each distinct masked text in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from biascore.errors import ModelLoadError
from biascore.plugins_api import Cost, Masked, TokenLogprobs, hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.head import VocabularyHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.masked import Cell, MaskedPlan, Pass

_Work = tuple[Pass, Sequence[Cell]]


class MaskedBackend(EncoderBackend):
    """Embeddings and masked log-probabilities of a masked language model."""

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        super().__init__(folder, options, loaded)
        mask = loaded.reader.tokenizer.mask_token_id
        if mask is None:
            raise ModelLoadError(
                f"{folder.path} is a masked language model whose tokenizer has no mask token. "
                "Save the tokenizer that it was trained with next to it"
            )
        self._mask = int(mask)
        self._head = VocabularyHead(loaded)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        """log p, in nats, of the hidden tokens; a word of several sub-tokens has as many log-probabilities.

        Raises QuestionError for a text that the model cannot take, AnswerError naming the text where
        the model computes no number.
        """
        plan = self._plan(queries)
        cells = plan.cells_by_pass()
        logprobs = np.full(len(plan.cells), np.nan)
        for rows in self._trunk.batches(plan.lengths()):
            work = [(plan.passes[row], [plan.cells[number] for number in cells[row]]) for row in rows]
            found = self._trunk.in_halves(work, self._log_probabilities, lambda one: one[0].text)
            logprobs[[number for row in rows for number in cells[row]]] = [p for some in found for p in some]
        return plan.answers(logprobs)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each distinct masked text."""
        if hook != "mask_logprob":
            return super().cost(hook, questions, params)
        plan = self._plan(questions)
        return Cost.of_passes(questions, [len(one.ids) for one in plan.passes], plan.naive_passes)

    def _plan(self, queries: Sequence[Masked]) -> MaskedPlan:
        return MaskedPlan(queries, self._reader.read([query.text for query in queries]), self._mask)

    def _log_probabilities(self, work: Sequence[_Work]) -> list[list[float]]:
        """The log-probabilities of each pass's cells, in their order."""
        positions = [sorted({cell.position for cell in cells}) for _, cells in work]
        inputs = self._trunk.inputs([one.ids for one, _ in work], [one.types for one, _ in work])
        places = [(row, position) for row, some in enumerate(positions) for position in some]
        states = self._states(inputs, positions)
        row_of = {place: number for number, place in enumerate(places)}
        wanted = [
            (row_of[row, cell.position], cell.token) for row, (_, cells) in enumerate(work) for cell in cells
        ]
        # The head wants its rows ascending, and cells of one pass need not be in order of position.
        order = sorted(range(len(wanted)), key=wanted.__getitem__)
        found = self._head.log_probabilities(states, [wanted[i] for i in order])
        values = iter(value for _, value in sorted(zip(order, found, strict=True)))
        return [[next(values) for _ in cells] for _, cells in work]

    def _states(self, inputs: dict[str, torch.Tensor], positions: list[list[int]]) -> torch.Tensor:
        """The last hidden states at the positions of each row, one below the other."""
        most = max(map(len, positions))
        padded = torch.tensor(
            [[*some, *[some[0]] * (most - len(some))] for some in positions], device=self._trunk.device
        )
        rows = torch.tensor([row for row, some in enumerate(positions) for _ in some], device=padded.device)
        columns = torch.tensor([i for some in positions for i in range(len(some))], device=padded.device)
        if 2 * most <= inputs["input_ids"].shape[1]:
            with self._head.only_at(padded) as trimmed:
                hidden = self._trunk.hidden(inputs)
            if trimmed:
                return hidden[rows, columns]
        else:
            hidden = self._trunk.hidden(inputs)
        return hidden[rows, padded[rows, columns]]
