"""A loaded model with what its answers to a few tokens show of it: the facts that no configuration states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.probes import (
    TOLERANCE,
    TOLERANCE_16_BIT,
    Run,
    described,
    moved_by_padding,
    moved_by_what_follows,
    sees_later,
    takes_trees,
)
from biascore_adapters.transformer.tokens import Input


def probed(loaded: Loaded) -> Loaded:
    """The model with ``causal`` and ``padding`` as seen, and a fact for each.

    Where the probe of causality decides nothing, as with damaged weights, what the class of the model says holds.
    """
    trunk = Trunk(loaded, None)

    def states(ids: Sequence[Sequence[int]]) -> list[npt.NDArray[np.floating[Any]]]:
        with torch.inference_mode():
            hidden = trunk.hidden(trunk.tensors([Input(own) for own in ids])).float().cpu().numpy()
        return [row[: len(own)] for row, own in zip(hidden, ids, strict=True)]

    # Texts that are rounded together move each other, whatever their tokens see.
    later = None if loaded.alone else sees_later(states, *few_tokens(loaded))
    causal = loaded.causal if later is None else not later
    # Quantised weights round by the shape of a batch, which only the other question sees.
    if later is False and not loaded.exact and not loaded.quantised:
        padding = not moved_by_what_follows(states, *few_tokens(loaded))
    else:
        padding = not moved(loaded, states)
    facts = {**loaded.facts, **described(causal=causal, padding=padding), **_attention(loaded)}
    decoder = loaded.decoder or causal
    kind: Kind = "decoder" if decoder and loaded.kind == "encoder" else loaded.kind
    return replace(loaded, kind=kind, decoder=decoder, causal=causal, padding=padding, facts=facts)


def moved(loaded: Loaded, run: Run) -> bool:
    """Whether padding behind a text moves what ``run`` gives for it."""
    return moved_by_padding(run, *few_tokens(loaded))


def shares_prefixes(loaded: Loaded, trunk: Trunk) -> bool:
    """Whether texts that begin alike may be computed as a tree, which has positions and a mask of its own."""

    def states(texts: Sequence[Input]) -> npt.NDArray[np.floating[Any]]:
        with torch.inference_mode():
            return trunk.hidden(trunk.tensors(texts)).float().cpu().numpy()

    return (
        loaded.causal
        and loaded.padding
        and not loaded.alone
        and takes_trees(
            lambda texts: [
                row[: len(own)] for row, own in zip(states(list(map(Input, texts))), texts, strict=True)
            ],
            lambda row: states([row])[0],
            *few_tokens(loaded),
        )
    )


def few_tokens(loaded: Loaded) -> tuple[list[int], int | None, float]:
    """Tokens of ordinary text, the most that the model takes, and how far rounding moves a number."""
    tolerance = TOLERANCE if loaded.exact else TOLERANCE_16_BIT
    ids = loaded.reader.ordinary_ids(13, loaded.model.config.to_dict())
    return ids, loaded.reader.limit, tolerance


def _attention(loaded: Loaded) -> dict[str, str]:
    """BigBird attends to blocks until it sees a short text, such as a probe, and to everything from then on."""
    stated = getattr(loaded.model.config, "attention_type", None)
    used = getattr(loaded.trunk, "attention_type", stated)
    return {} if stated == used else {"attention": f"{used}, not {stated}, since the first short text"}
