"""What a causal language model makes of a prompt: its keys and values, kept for several texts, and the text it generates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from biascore.api.writing import Settings
from biascore_adapters.hf.head import VocabularyHead
from biascore_adapters.hf.load import Loaded, quiet
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.probe import few_tokens
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.arrays import padded
from biascore_adapters.transformer.generating import Generating, noise_of
from biascore_adapters.transformer.tokens import Input

_PLAIN: Final = Settings(temperature=1.0)
Rests = Sequence[Sequence[int]]


class PromptCache:
    """Log-probabilities of texts after a prompt whose keys and values are computed once.

    ``works`` says whether the model gives the same with them as without, as seen on a few tokens when it is opened.
    """

    def __init__(self, loaded: Loaded, trunk: Trunk, vocabulary: VocabularyHead) -> None:
        self._trunk, self._vocabulary = trunk, vocabulary
        # Long rotary embeddings take frequencies by the length of the whole text, and a prompt knows only its own.
        self._tolerance = 1e-4 if loaded.exact else 5e-2
        self.works = trunk.one_frequency and not loaded.alone and self._same(few_tokens(loaded)[0])

    def log_probabilities(self, prompts: Sequence[Input], rests: Sequence[Rests]) -> list[list[list[float]]]:
        """log p of the tokens but the first of each rest; prompts of one length go together, so that none is padded."""
        found: list[list[list[float]]] = [[] for _ in prompts]
        for rows in self._trunk.batches_of_prompts([len(one.ids) for one in prompts], rests):
            some = self._trunk.in_halves(
                [prompts[row] for row in rows], [rests[row] for row in rows], self._after, _not_finite
            )
            for row, own in zip(rows, some, strict=True):
                found[row] = own
        return found

    def _after(self, prompts: Sequence[Input], rests: Sequence[Rests]) -> list[list[list[float]]]:
        device = self._trunk.device
        ids = torch.tensor([list(one.ids) for one in prompts], device=device)
        kept = self._trunk.model(
            input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=True
        ).past_key_values
        owner = [row for row, own in enumerate(rests) for _ in own]
        kept.reorder_cache(torch.tensor(owner, device=device))
        flat = [Input(rest) for own in rests for rest in own]
        arrays = padded(flat, self._trunk.pad)
        own = torch.from_numpy(arrays["attention_mask"]).to(device)
        states = self._trunk.model(
            input_ids=torch.from_numpy(arrays["input_ids"]).to(device),
            attention_mask=torch.cat(
                [torch.ones((len(flat), ids.shape[1]), dtype=own.dtype, device=device), own], dim=1
            ),
            past_key_values=kept,
            use_cache=True,
        ).last_hidden_state
        asked = own.bool()
        asked[:, 0] = True
        behind = asked.clone()
        behind[:, :-1] = asked[:, 1:]
        behind[:, -1] = False
        tokens = (token for one in flat for token in one.ids[1:])
        values = iter(self._vocabulary.log_probabilities(states[behind], list(enumerate(tokens))))
        return [[[next(values) for _ in rest[1:]] for rest in some] for some in rests]

    def _same(self, ids: Sequence[int]) -> bool:
        """Whether two prompts with two rests each get what they get without the cache."""
        if len(ids) < 4:
            return False
        one = (list(ids) * 6)[:6]
        prompts = [Input(one), Input(one[::-1])]
        rests = [[[ids[0], ids[1], ids[2]], [ids[0], ids[3]]], [[ids[2], ids[1]], [ids[2], ids[0], ids[1]]]]
        try:
            with torch.inference_mode():
                kept = [value for some in self._after(prompts, rests) for own in some for value in own]
                wholes = [
                    [*prompt.ids, *rest] for prompt, some in zip(prompts, rests, strict=True) for rest in some
                ]
                plain: list[float] = []
                for whole in wholes:
                    states = self._trunk.hidden(self._trunk.tensors([Input(whole)]))[0]
                    places = [(at - 1, whole[at]) for at in range(7, len(whole))]
                    plain += self._vocabulary.log_probabilities(states, places)
        except Exception:  # a family that keeps something else, or nothing
            return False
        return bool(np.allclose(kept, plain, rtol=self._tolerance, atol=self._tolerance, equal_nan=True))


class Generator(Generating):
    """By transformers, with keys and values kept."""

    def __init__(self, loaded: Loaded, trunk: Trunk, options: HfOptions) -> None:
        super().__init__(
            loaded.reader, options, getattr(loaded.model.generation_config, "eos_token_id", None)
        )
        self._model, self._device, self._trunk = loaded.model, loaded.device, trunk
        # Rounding moves 16-bit numbers too far to see padding, and long rotary embeddings depend on the longest prompt.
        self._may_pad = loaded.exact and loaded.padding and not loaded.alone and trunk.one_frequency
        self._few = few_tokens(loaded)[0]
        # The settings of the model itself, because those that a call leaves open are taken from them.
        self._model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=loaded.reader.pad,
            do_sample=False,
            num_beams=1,
            use_cache=True,
        )

    def _batches(self, lengths: Mapping[int, int]) -> Iterable[Sequence[int]]:
        return self._trunk.batches_of_answers(lengths, equal=not self.padding)

    def _ids(
        self, inputs: Sequence[Input], seeds: Sequence[int | None], settings: Settings
    ) -> list[list[int]]:
        return [*self._trunk.in_halves(inputs, seeds, partial(self._generated, settings), lambda _: False)]

    def _generated(
        self, settings: Settings, prompts: Sequence[Input], seeds: Sequence[int | None]
    ) -> list[list[int]]:
        given, sees = self._padded([one.ids for one in prompts])
        generate: Any = self._model.generate
        drawn = (
            [Drawn(seeds, [one.text for one in prompts], settings)]
            if any(seed is not None for seed in seeds)
            else []
        )
        with quiet():
            found = generate(
                input_ids=given,
                attention_mask=sees,
                max_new_tokens=settings.max_tokens,
                logits_processor=LogitsProcessorList(drawn),
            )
        rows: list[list[int]] = found[:, given.shape[1] :].tolist()
        return rows

    @cached_property
    def padding(self) -> bool:
        """Whether prompts of several lengths go together, padded before the shorter ones.

        Seen by what a short prompt and a longer one get, together and alone, where the model computes in float32.
        """
        if not self._may_pad:
            return False
        short, long = self._few[:3], (self._few * 9)[:9]
        generate: Any = self._model.generate

        def logits(*prompts: Sequence[int]) -> list[torch.Tensor]:
            ids, sees = self._padded(prompts)
            found = generate(
                input_ids=ids,
                attention_mask=sees,
                max_new_tokens=3,
                output_logits=True,
                return_dict_in_generate=True,
            ).logits
            return [torch.stack([step[row] for step in found]) for row in range(len(prompts))]

        try:
            with torch.inference_mode(), quiet():
                pairs = zip(logits(short, long), [*logits(short), *logits(long)], strict=True)
                return all(
                    torch.allclose(one[: len(alone)], alone, rtol=1e-4, atol=1e-4) for one, alone in pairs
                )
        except Exception:  # whatever the model's own code raises on a padded batch
            return False

    def _padded(self, prompts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids with padding before shorter prompts, and which are their own: (n, t) each."""
        longest = max(map(len, prompts))
        rows = [[self._trunk.pad] * (longest - len(one)) + list(one) for one in prompts]
        sees = [[0] * (longest - len(one)) + [1] * len(one) for one in prompts]
        return torch.tensor(rows, device=self._device), torch.tensor(sees, device=self._device)


class Drawn(LogitsProcessor):
    """Logits with Gumbel noise, whose largest is a draw from their softmax (Gumbel 1954; Maddison et al. 2014, A* Sampling).

    They are divided by the temperature of the settings before, and only the most probable tokens that have ``top_p`` of the
    probability are left.

    The noise of a row depends on its seed and prompt alone: not on the batch, the device or what else draws numbers. A row
    without a seed has none.
    """

    def __init__(
        self, seeds: Sequence[int | None], prompts: Sequence[str], settings: Settings = _PLAIN
    ) -> None:
        self._settings = settings
        self._rows = [
            None if seed is None else noise_of(seed, prompt)
            for seed, prompt in zip(seeds, prompts, strict=True)
        ]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """The scores of the next tokens, (n, vocabulary), with noise."""
        noise = np.zeros(tuple(scores.shape), dtype=np.float32)
        for row, rng in zip(noise, self._rows, strict=True):
            if rng is not None:
                row[:] = rng.gumbel(size=len(row))
        if self._settings.temperature != 1:
            scores = scores / self._settings.temperature
        if self._settings.top_p < 1:
            ordered, places = scores.sort(descending=True)
            shares = ordered.softmax(-1)
            beyond = shares.cumsum(-1) - shares >= self._settings.top_p
            scores = scores.masked_fill(beyond.scatter(-1, places, beyond), -torch.inf)
        return scores + torch.from_numpy(noise).to(scores.device)


def _not_finite(answer: Sequence[Sequence[float]]) -> bool:
    return not all(np.isfinite(own).all() for own in answer)
